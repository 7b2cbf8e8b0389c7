"""The negative binomial law of order ½, whose generating function is an inverse square root."""

from __future__ import annotations

import numpy as np

__all__ = ["half_binomial_at"]


def half_binomial_at(u: np.ndarray, complement: float) -> np.ndarray:
    """Draws of N, P(N = k) = √(1 − z) c_k z^k, from two columns of uniform numbers; `complement` is 1 − z in (0, 1].

    A mixture: c_k = E sin^{2k} θ for θ uniform, so N is geometric with the ratio z sin² θ, where θ has the density
    ∝ 1/(1 − z sin² θ), that is √(1 − z) tan θ = tan φ with φ uniform on (0, π/2).
    """
    angle = np.pi / 2 * u[:, 0]
    sine, cosine = np.square(np.sin(angle)), np.square(np.cos(angle))
    failure = complement / (complement * cosine + sine)  # 1 − z sin² θ
    with np.errstate(divide="ignore"):
        return np.asarray(np.floor(np.log(u[:, 1]) / np.log1p(-np.minimum(failure, 1.0))))
