"""Whether a measure has its density in closed form."""

from __future__ import annotations

from typing import Literal

from kernelspec.measures.block_density import is_inverted
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.measure import Measure
from kernelspec.measures.spectral import Spectral
from kernelspec.notation.symbolic_pairs import SymbolicPairs

__all__ = ["Closure", "closure"]

Closure = Literal["closed", "series", "open", "atoms"]


def closure(measure: Measure) -> Closure:
    """The density in closed form, a series of such over the atoms of a factor, open, or none but atoms.

    Open is what is an unevaluated convolution in SymPy, and in numbers an integral for every frequency or nothing.
    """
    if measure.without_density() is not None:
        return "atoms"
    if is_inverted(measure):
        return "open"
    factors = measure.parts if isinstance(measure, Convolution) else (measure,)
    if any(isinstance(part, Spectral) and not _is_stated(part) for part in factors):
        return "open"
    periodic = any(part.atoms() is not None and part.finite_atoms() is None for part in factors)
    return "series" if periodic else "closed"


def _is_stated(part: Spectral) -> bool:
    """Whether the catalogue states the density, or the atoms, without an integral."""
    import sympy

    return not sympy.S(part.expression(SymbolicPairs.frequency(part.dim))).has(sympy.Integral)
