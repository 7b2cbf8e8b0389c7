"""Strata and values of kernels on three columns, for tests of landmarks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.planning.landmarks.landmarks import ChosenLandmarks, LandmarkRows
from kernelspec.planning.strata import Stratum, kernel_value, terms_of
from kernelspec.tables.rows import Rows
from tests.laws.texts import kernel_of

__all__ = ["DEFINITE", "OTHERS", "POSITIONS", "grid", "landmarks_of", "rows", "strata_of", "values"]

POSITIONS = (0, 1, 2)
DEFINITE = [
    "gaussian(scale=2)",
    "laplace(scale=3)",
    "0.5*matern(nu=3/2)[0] + linear()",
    "dual(exp(c=1), gaussian(scale=2))",
]
OTHERS = ["gaussian() - 0.4*laplace()", "shift_gaussian(by=0.4)", "tilt(gaussian(scale=2), by=0.3)"]


def strata_of(text: str) -> tuple[Stratum, ...]:
    """Every term in the way it has by itself."""
    return tuple(stratum for term in terms_of(kernel_of(text, 3)) for stratum in term.under(None))


def rows(n: int, seed: int = 0, spread: float = 1.0) -> Rows:
    """Standard normal rows times a number."""
    return Rows(spread * np.random.default_rng(seed).standard_normal((n, 3)))


def grid(x: Rows, y: Rows) -> NumericPairs:
    """All pairs."""
    return NumericPairs(x, y)


def values(text: str, x: Rows, y: Rows) -> NDArray[np.float64]:
    """The kernel matrix."""
    return kernel_value(strata_of(text), grid(x, y))


def landmarks_of(text: str, own: Rows, ridge: float = 0.0) -> ChosenLandmarks:
    """Landmarks of a kernel, two-sided where it is not symmetric."""
    k, kept = values(text, own, own), LandmarkRows.of(own, POSITIONS)
    return ChosenLandmarks.of(kept, None if np.allclose(k, k.T) else kept, k, ridge)
