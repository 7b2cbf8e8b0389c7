"""Draws of the inverse gamma law, which mixes Gaussians into Student and Cauchy laws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["LARGEST_VARIANCE", "draw_inverse_gamma"]

LARGEST_VARIANCE = 1e60
"""Variances of frequencies (in units of 1/scale²) are cut here, so that phases stay finite.

The kernel changes by E[exp(−10⁶⁰ Δ²/2)], which is zero in floating point for every lag above 1e-28 scales.
"""


def draw_inverse_gamma(stream: Stream, purpose: str, shape: float, size: int | tuple[int, ...]) -> np.ndarray:
    """Draws of a/G with G ~ Gamma(a, 1), a = `shape` > 0: the variance of a Student law of 2a degrees of freedom."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.minimum(shape / stream.gamma(purpose, shape, size), LARGEST_VARIANCE)
