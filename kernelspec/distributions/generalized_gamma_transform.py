"""The Fourier transforms of the Polya kernels of powers of gamma variables, in SymPy."""

from __future__ import annotations

from math import comb
from typing import Any

__all__ = ["generalized_gamma_transform"]

_MOST_WHOLE = 12
"""The largest order whose transform is written as a quotient of polynomials."""


def generalized_gamma_transform(order: Any, power: Any, unit: Any, frequency: Any) -> Any:
    """φ̂(ω) = (2/ω²) E[(1 − cos Rω)/R] of R = λ Y^{1/k}, Y ~ Gamma(a, 1): a = `order`, k = `power`, λ = `unit`.

    k = 1: 2/(λ(a−1)ω²) · (1 − Re(1 − iλω)^{1−a}), rational for whole a, or ln(1 + λ²ω²)/λω² for a = 1. k = 2:
    E R · ₂F₂(a + ½, 1; 3/2, 2; −λ²ω²/4). Otherwise an integral over Y: for k > 1 of (1 − cos Rω)/R as it is, for
    k < 1, where R has a heavy tail, on the ray Y = y e^{iθ}, θ = (π/2) min(k, ½), where e^{iωR} decays instead of
    oscillating.
    """
    import sympy

    x = unit * frequency
    if power == 1:
        special = sympy.log(1 + x**2) / (unit * frequency**2)
        if order == 1:
            return special
        if order.is_Integer and order <= _MOST_WHOLE:
            return _of_whole_order(int(order), unit, x)
        real_part = (1 + x**2) ** ((1 - order) / 2) * sympy.cos((order - 1) * sympy.atan(x))
        general = 2 * (1 - real_part) / (unit * (order - 1) * frequency**2)
        return general if order.is_number else sympy.Piecewise((special, sympy.Eq(order, 1)), (general, True))
    half = sympy.Rational(1, 2)
    if power == 2:
        mean = unit * sympy.gamma(order + half) / sympy.gamma(order)
        return mean * sympy.hyper([order + half, 1], [3 * half, 2], -(x**2) / 4)
    y, w = sympy.Dummy("y", positive=True), sympy.Abs(x)
    pitch, constant = y ** (1 / power), 2 * unit / x**2 / sympy.gamma(order)
    line = 2 * sympy.sin(w * pitch / 2) ** 2 / pitch * y ** (order - 1) * sympy.exp(-y)
    angle = sympy.pi / 2 * sympy.Min(power, half)
    phase = angle * (order - 1 / power) - y * sympy.sin(angle)
    damping, turn = w * pitch * sympy.sin(angle / power), w * pitch * sympy.cos(angle / power)
    wave = sympy.cos(phase) - sympy.exp(-damping) * sympy.cos(phase + turn)
    ray = wave / pitch * y ** (order - 1) * sympy.exp(-y * sympy.cos(angle))
    on_line, on_ray = (constant * sympy.Integral(integrand, (y, 0, sympy.oo)) for integrand in (line, ray))
    return sympy.Piecewise((on_line, power >= 1), (on_ray, True))


def _of_whole_order(order: int, unit: Any, x: Any) -> Any:
    """k = 1, x = λω, n = a − 1: (2λ/n) ((1 + x²)^n − Re(1 + ix)^n)/x² (1 + x²)^n, of which x² cancels."""
    import sympy

    n = order - 1
    weights = [comb(n, j) - (-1) ** j * comb(n, 2 * j) for j in range(1, n + 1)]
    numerator = sympy.Add(*[weight * x ** (2 * j) for j, weight in enumerate(weights)])
    return 2 * unit * numerator / (n * (1 + x**2) ** n)
