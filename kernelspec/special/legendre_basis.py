"""Legendre's polynomials of degree 0 to 23 at the nodes of Gauss: from values to coefficients and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

__all__ = ["AT_ENDS", "DEGREES", "NODES", "TO_COEFFICIENTS", "VALUES", "WEIGHTS", "legendre_coefficients"]

DEGREES = 24
NODES = legendre.leggauss(DEGREES)[0]
WEIGHTS = legendre.leggauss(DEGREES)[1]
VALUES = legendre.legvander(NODES, DEGREES - 1)
TO_COEFFICIENTS = (WEIGHTS[:, None] * VALUES * (np.arange(DEGREES) + 0.5)).T
"""From values at the nodes to coefficients: (l + ½) Σ w_j P_l(x_j) f(x_j)."""

AT_ENDS = legendre.legvander(np.array([-1.0, 1.0]), DEGREES - 1).T


def legendre_coefficients(values: NDArray[Any]) -> NDArray[Any]:
    """The coefficients of polynomials with these values at the nodes, (n, 24) both."""
    return values @ TO_COEFFICIENTS.T
