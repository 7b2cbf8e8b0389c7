"""Points whose kernel matrix has a negative eigenvalue, looked for where a frequency has negative mass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.kernels.kernel import Kernel
from kernelspec.notation.pairs import NumericPairs
from kernelspec.tables.rows import Rows

__all__ = ["Points", "points_against"]

_STEPS = (0.25, 0.5, 0.75, 1.0, 1.5)
"""Distances of neighbours, in units of half a wave of the frequency."""

_ON_LINE = (8, 24, 64)
_SIDES = {2: (5, 10), 3: (4,)}
_DRAWN, _SCALES = 120, (0.5, 1.0, 2.0, 4.0)
_ROUNDING = 1e-11
"""What the entries of a kernel matrix may be wrong by, as a share of Σ |w| k(0)."""


@dataclass(frozen=True)
class Points:
    """Rows, how NumPy makes them, and the least eigenvalue of their kernel matrix, beyond its rounding."""

    rows: NDArray[np.float64]
    words: str
    eigenvalue: float


def points_against(kernel: Kernel, frequency: tuple[float, ...]) -> Points | None:
    """The first points of those tried that disprove the kernel, in numbers, by rows alone; None where none does.

    Lattices with a neighbour every so many waves of the frequency, and normal rows where there are too many columns
    for a lattice.
    """
    for rows, words in _tried(np.asarray(frequency, dtype=float)):
        size = float(kernel.magnitude())
        with np.errstate(all="ignore"):
            pairs = NumericPairs(Rows(rows), Rows(rows))
            matrix = np.broadcast_to(np.asarray(kernel.value(pairs), dtype=float), (len(rows), len(rows)))
        if not np.isfinite(matrix).all():
            continue
        least = float(np.linalg.eigvalsh((matrix + matrix.T) / 2)[0])
        # an eigenvalue moves by no more than the norm of what is added [Weyl 1912]
        if least < -_ROUNDING * len(rows) * max(size, float(np.abs(matrix).max())):
            return Points(rows, words, least)
    return None


def _tried(frequency: NDArray[np.float64]) -> Iterator[tuple[NDArray[Any], str]]:
    dim, length = len(frequency), float(np.linalg.norm(frequency))
    wave = np.pi / length if length > 0 else 1.0
    for step in (_rounded(wave * share) for share in (_STEPS if length else (0.3, 1.0, 3.0))):
        if dim == 1:
            for count in _ON_LINE:
                yield np.arange(count)[:, None] * step, f"np.arange({count})[:, None]*{step:g}"
        for side in _SIDES.get(dim, ()):
            lattice = np.array(list(product(range(side), repeat=dim)), dtype=float) * step
            yield lattice, f"np.array(list(itertools.product(range({side}), repeat={dim})))*{step:g}"
    for scale in (_rounded(wave * share) for share in _SCALES):
        if dim > 1:
            rows = np.random.default_rng(0).standard_normal((_DRAWN, dim)) * scale
            yield rows, f"np.random.default_rng(0).standard_normal(({_DRAWN}, {dim}))*{scale:g}"


def _rounded(value: float) -> float:
    """The number as it is shown, with three digits."""
    return float(f"{value:.3g}")
