"""Masses and transforms of the parts of a wave as SymPy series: the exact forms of the numbers in `special`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar
    from kernelspec.special.wave_part import WavePart

__all__ = ["mass_expression", "transform_expression"]


def mass_expression(part: WavePart, frequency: Scalar) -> Any:
    """E w⁺(aZ), Z ~ N(0, 1), a = `frequency` > 0, as an unevaluated series.

    E max(±cos aZ, 0) = 1/π ± ½ e^{−a²/2} − (2/π) Σ_{k≥1} (−1)^k e^{−2k²a²} / (4k² − 1);
    E max(±sin aZ, 0) = 1/π − (2/π) Σ_{k≥1} e^{−2k²a²} / (4k² − 1); absolute values are twice that without ½ e^{−a²/2}.
    """
    import sympy

    k = sympy.Symbol("k", integer=True, positive=True)
    turn = 1 if part.odd else (-1) ** k
    term = turn * sympy.exp(-2 * k**2 * frequency**2) / (4 * k**2 - 1)
    half = 1 / sympy.pi - 2 / sympy.pi * sympy.Sum(term, (k, 1, sympy.oo))
    if part.sign == 0:
        return 2 * half
    return half if part.odd else half + part.sign * sympy.exp(-(frequency**2) / 2) / 2


def transform_expression(part: WavePart, frequency: Scalar, lag: Any) -> Any:
    """E w⁺(aZ) cos τZ at τ = `lag`, as an unevaluated series of Gaussians."""
    import sympy

    k = sympy.Symbol("k", integer=True)
    turn = 1 if part.odd else (-1) ** k
    term = turn * sympy.exp(-((2 * k * frequency + lag) ** 2) / 2) / (4 * k**2 - 1)
    absolute = -2 / sympy.pi * sympy.Sum(term, (k, -sympy.oo, sympy.oo))
    if part.sign == 0:
        return absolute
    if part.odd:
        return absolute / 2
    turning = (sympy.exp(-((lag + frequency) ** 2) / 2) + sympy.exp(-((lag - frequency) ** 2) / 2)) / 2
    return (absolute + part.sign * turning) / 2
