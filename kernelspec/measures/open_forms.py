"""Whether a spectral density in SymPy has a closed form, and if not, why."""

from __future__ import annotations

from typing import Any

from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.leaf import Stationary
from kernelspec.loading import sympy
from kernelspec.measures.algebra.closed_density import reason_not_closed
from kernelspec.measures.algebra.members import outside_pieces
from kernelspec.measures.convolution import Convolution, convolve, expanded_mixture, independent_blocks
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import Embedding, Mixture, PushForward
from kernelspec.measures.translated import Continued, Shifted

__all__ = ["is_open", "why_open"]

_UNDONE = ("Convolution", "convolution_power", "push_forward", "not_derived_in_time")


def is_open(expression: Any) -> bool:
    """Whether an integral or a convolution is left over; one that states a value at single points does not count."""
    name = expression.name if isinstance(expression, sympy.Symbol) else type(expression).__name__
    if isinstance(expression, sympy.Integral) or name in _UNDONE:
        return True
    if isinstance(expression, sympy.Piecewise):
        return any(is_open(value) for value, where in expression.args if not isinstance(where, sympy.Eq | sympy.Or))
    return any(map(is_open, expression.args))


def why_open(measure: Measure) -> str | None:
    """Why the density of a measure is left as an integral or a convolution; None for a closed form and for atoms."""
    frequency = SymbolicPairs.frequency(measure.dim)
    if measure.without_density() is not None or not is_open(measure.expression(frequency)):
        return None
    match measure:
        case Mixture():
            return _first(measure.parts)
        case Shifted() | Embedding() | PushForward():
            return why_open(measure.part)
        case Convolution():
            return _of_product(measure, frequency)
        case Spectral() | Continued():
            return _of_kernel(measure.kernel) or reason_not_closed(measure, frequency)
    return f"no closed form is known for {measure.describe()}"


def _first(parts: tuple[Measure, ...]) -> str | None:
    return next((reason for part in parts if (reason := why_open(part)) is not None), None)


def _of_product(measure: Convolution, frequency: SymbolicPairs) -> str | None:
    blocks = independent_blocks(measure.parts) if isinstance(measure.dim, int) else []
    if len(blocks) > 1:
        return _first(tuple(convolve(parts) for _, parts in blocks))
    expanded = expanded_mixture(measure.parts)
    if expanded is not None:
        return _first(tuple(term for _, term in expanded))
    diffuse = tuple(part for part in measure.parts if part.without_density() is None)
    if len(diffuse) == 1:
        return why_open(diffuse[0])
    reasons = (_of_kernel(part.kernel) for part in diffuse if isinstance(part, Spectral))
    return next((reason for reason in reasons if reason), None) or reason_not_closed(convolve(diffuse), frequency)


def _of_kernel(kernel: Stationary) -> str | None:
    """By what the kernel is: a formula, or one that states its own reason; None for others."""
    if not isinstance(kernel, FormulaProduct | FormulaRadial):
        return kernel.density_if or None
    outside = outside_pieces(kernel.shape)
    if outside is None:
        return None
    return (
        f"{outside[0]} is {outside[1]}; transforms are known here for polynomials times exponentials, Gaussians and "
        "waves on intervals, and for a few named functions"
    )
