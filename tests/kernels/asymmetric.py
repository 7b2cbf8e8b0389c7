"""The asymmetric kernels of the catalogue once more, as functions of one lag in mpmath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np

from kernelspec.kernels.leaves.gaussian_directions import CoshGaussian, GaussianDirection, ShiftGaussian, SinhGaussian
from kernelspec.tables.rows import Rows

__all__ = ["CLASSES", "direction", "exact", "make", "rows"]

CLASSES: dict[str, type[GaussianDirection]] = {"shift": ShiftGaussian, "sinh": SinhGaussian, "cosh": CoshGaussian}


def direction(dim: int) -> tuple[float, ...]:
    """A vector with no two entries alike."""
    return tuple(round(0.7 - 0.3 * i, 1) for i in range(dim))


def make(kind: str, dim: int, scale: float = 1.3, by: tuple[float, ...] | None = None) -> GaussianDirection:
    """One of the three kernels."""
    return CLASSES[kind](scale=scale, by=direction(dim) if by is None else by, dim=dim)


def exact(kernel: GaussianDirection, lags: np.ndarray) -> np.ndarray:
    """The formula at lags (n, d), computed with 40 digits."""
    formula = _FORMULAS[type(kernel)]
    with mp.workdps(40):
        by, scale = [mp.mpf(float(b)) for b in kernel.by], mp.mpf(float(kernel.scale))
        return np.array([float(formula([mp.mpf(float(t)) for t in lag], by, scale)) for lag in lags])


def rows(dim: int, n: int = 5, seed: int = 3) -> Rows:
    """Normal rows."""
    return Rows(np.random.default_rng(seed).standard_normal((n, dim)))


def _gaussian(lag: list[Any], scale: Any) -> Any:
    return mp.exp(-mp.fsum(t**2 for t in lag) / (2 * scale**2))


_FORMULAS: dict[type, Callable[[list[Any], list[Any], Any], Any]] = {
    ShiftGaussian: lambda lag, by, s: _gaussian([t + b for t, b in zip(lag, by, strict=True)], s),
    SinhGaussian: lambda lag, by, s: _gaussian(lag, s) * (1 + mp.sinh(mp.fdot(lag, by))),
    CoshGaussian: lambda lag, by, s: _gaussian(lag, s) * mp.exp(mp.fdot(lag, by)),
}
