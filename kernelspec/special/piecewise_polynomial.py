"""Smooth functions as polynomials on panels of one width: a few multiplications instead of an integral."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

__all__ = ["PiecewisePolynomial", "interpolated"]

_BLOCK = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class PiecewisePolynomial:
    """Polynomials in s ∈ [−1, 1] on panels [start + i·width, start + (i + 1)·width].

    `coefficients` has a column for every panel, the highest power first.
    """

    start: float
    width: float
    coefficients: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """The values at x, of any shape; beyond the panels the polynomials at the ends go on."""
        x = np.asarray(x, dtype=float)
        flat, values = x.ravel(), np.empty(x.size)
        for first in range(0, x.size, _BLOCK):  # as much as stays in the cache
            block = slice(first, first + _BLOCK)
            values[block] = self._block(flat[block])
        return values.reshape(x.shape)

    def _block(self, x: np.ndarray) -> np.ndarray:
        place = (x - self.start) / self.width
        panel = np.clip(place, 0, self.coefficients.shape[1] - 1).astype(np.intp)
        s = 2 * (place - panel) - 1
        total: np.ndarray = self.coefficients[0][panel]
        for row in self.coefficients[1:]:
            total *= s
            total += row[panel]
        return total


def interpolated(
    function: Callable[[np.ndarray], np.ndarray], start: float, stop: float, width: float, degree: int
) -> PiecewisePolynomial:
    """The interpolant of a function in the Chebyshev points of panels that cover [start, stop], end exclusive."""
    panels = max(1, int(np.ceil((stop - start) / width)))
    points = chebyshev.chebpts1(degree + 1)
    centres = start + width * (np.arange(panels) + 0.5)
    values = function((centres[:, None] + width / 2 * points).ravel()).reshape(panels, degree + 1)
    series = np.linalg.solve(chebyshev.chebvander(points, degree), values.T)
    coefficients = np.zeros((degree + 1, panels))
    for power, row in enumerate(series):
        basis = chebyshev.cheb2poly(np.eye(degree + 1)[power])
        coefficients[: len(basis)] += basis[:, None] * row
    return PiecewisePolynomial(start, width, np.ascontiguousarray(coefficients[::-1]))
