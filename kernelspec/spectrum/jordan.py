"""The Jordan parts and the polar form of a spectral density, as SymPy expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kernelspec.measures.cartesian import cartesian, polar

if TYPE_CHECKING:
    from kernelspec.measures.measure import Measure
    from kernelspec.notation.symbolic_pairs import SymbolicPairs

__all__ = ["Jordan", "Polar", "jordan_parts", "polar_form"]


@dataclass(frozen=True)
class Jordan:
    """The four non-negative densities of μ = μ_R⁺ − μ_R⁻ + i(μ_I⁺ − μ_I⁻)."""

    real_positive: Any
    real_negative: Any
    imaginary_positive: Any
    imaginary_negative: Any


@dataclass(frozen=True)
class Polar:
    """μ = modulus · e^{i argument}: how the polar estimator draws ω, and the phase that it adds on the left."""

    modulus: Any
    argument: Any


def jordan_parts(measure: Measure, frequency: SymbolicPairs) -> Jordan:
    """The parts of the density at ω, each max(±Re μ, 0) or max(±Im μ, 0)."""
    import sympy

    real, imaginary = cartesian(measure, frequency)
    return Jordan(*(sympy.Max(part, 0) for part in (real, -real, imaginary, -imaginary)))


def polar_form(measure: Measure, frequency: SymbolicPairs) -> Polar:
    """Modulus and argument of the density at ω; a phase that is known is not reduced to (−π, π]."""
    return Polar(*polar(measure, frequency))
