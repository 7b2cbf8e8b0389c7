"""The Fourier transforms of the Polya kernels of powers of gamma variables, in SymPy."""

from __future__ import annotations

from typing import Any

__all__ = ["generalized_gamma_transform"]


def generalized_gamma_transform(order: Any, power: Any, unit: Any, frequency: Any) -> Any:
    """φ̂(ω) = (2/ω²) E[(1 − cos Rω)/R] of R = λ Y^{1/k}, Y ~ Gamma(a, 1): a = `order`, k = `power`, λ = `unit`.

    k = 1: 2/(λ(a−1)ω²) · (1 − Re(1 − iλω)^{1−a}), or ln(1 + λ²ω²)/λω² for a = 1. k = 2: E R · ₂F₂(a + ½, 1; 3/2, 2;
    −λ²ω²/4). Otherwise E[(1 − cos Rω)/R] as an integral over the ray r e^{iα}, where it decays instead of oscillating:
    (k/Γ(a)) ∫ Re[(1 − e^{iwy}) y^{ak−1} e^{−y^k}] dr/r, y = r e^{iα}, w = λ|ω|, α = π/2(1 + k).
    """
    import sympy

    x = unit * frequency
    if power == 1:
        special = sympy.log(1 + x**2) / (unit * frequency**2)
        if order == 1:
            return special
        if order == 2:
            return 2 * unit / (1 + x**2)
        real_part = (1 + x**2) ** ((1 - order) / 2) * sympy.cos((order - 1) * sympy.atan(x))
        general = 2 * (1 - real_part) / (unit * (order - 1) * frequency**2)
        return general if order.is_number else sympy.Piecewise((special, sympy.Eq(order, 1)), (general, True))
    half = sympy.Rational(1, 2)
    if power == 2:
        mean = unit * sympy.gamma(order + half) / sympy.gamma(order)
        return mean * sympy.hyper([order + half, 1], [3 * half, 2], -(x**2) / 4)
    r = sympy.Dummy("r", positive=True)
    w, angle = sympy.Abs(x), sympy.pi / (2 * (1 + power))
    phase = (order * power - 1) * angle - r**power * sympy.sin(power * angle)
    damping, turn = w * r * sympy.sin(angle), w * r * sympy.cos(angle)
    # Re[e^{iψ} (1 − e^{−damping + i·turn})] with the difference taken by hand, which would cancel as r → 0
    first = 2 * sympy.cos(phase) * sympy.exp(-damping / 2) * sympy.sinh(damping / 2)
    second = 2 * sympy.exp(-damping) * sympy.sin(turn / 2) * sympy.sin(phase + turn / 2)
    decay = r ** (order * power - 2) * sympy.exp(-(r**power) * sympy.cos(power * angle))
    return 2 * unit / w**2 * power / sympy.gamma(order) * sympy.Integral(decay * (first + second), (r, 0, sympy.oo))
