"""Which rows to take as anchors: each with a probability in proportion to what the earlier ones leave of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from kernelspec.tables.rows import Rows

__all__ = ["Pivots", "choose_pivots", "solved"]

_PROPOSED = 64
"""Rows proposed at a time."""

_NOTHING = 1e-10
"""Of the trace: what is left then is rounding."""


@dataclass(frozen=True)
class Pivots:
    """Rows of a pool in the order in which they were chosen, and the triangular C with k(L, L) = C C', (m, m)."""

    chosen: NDArray[np.intp]
    triangle: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.chosen)


def choose_pivots(
    kernel: Callable[[Rows, Rows], NDArray[np.float64]],
    diagonal: NDArray[np.float64],
    pool: Rows,
    most: int,
    generator: np.random.Generator,
) -> Pivots:
    """At most so many rows of the pool for a positive definite kernel, by randomly pivoted Cholesky.

    `kernel` gives k(X, Y), `diagonal` k(x, x) of the pool. Rows are proposed in blocks, by what is left of the
    diagonal, and accepted or rejected so that their law is that of one after the other; fewer come where nothing is
    left. O(n m²).
    Reference: Chen, Epperly, Tropp and Webber 2025; Epperly, Tropp and Webber 2024 for the blocks.
    """
    left = np.maximum(diagonal, 0.0)
    enough = _NOTHING * float(left.sum())
    factor = np.zeros((len(pool), most))
    chosen: list[int] = []
    while len(chosen) < most and float(left.sum()) > enough:
        proposed = generator.choice(len(pool), _PROPOSED, p=left / left.sum())
        known = factor[proposed, : len(chosen)]
        rows = pool.take(proposed)
        square = kernel(rows, rows) - known @ known.T
        # what rounding leaves of a row is not proposed for ever
        left[proposed] = np.clip(np.diagonal(square), 0.0, left[proposed])
        accepted, triangle = _accepted(square, left[proposed], most - len(chosen), generator)
        taken = proposed[accepted]
        column = kernel(pool, pool.take(taken)) - factor[:, : len(chosen)] @ factor[taken, : len(chosen)].T
        new = solved(triangle, column.T).T
        factor[:, len(chosen) : len(chosen) + len(taken)] = new
        left = np.maximum(left - np.square(new).sum(axis=1), 0.0)
        left[taken] = 0.0
        chosen += taken.tolist()
    index = np.array(chosen, dtype=np.intp)
    return Pivots(index, np.tril(factor[index, : len(chosen)]))


def solved(
    triangle: NDArray[np.float64], right: NDArray[np.float64], *, transposed: bool = False
) -> NDArray[np.float64]:
    """C⁻¹ B for a lower triangular C, or C'⁻¹ B."""
    from scipy.linalg import solve_triangular

    return np.asarray(
        solve_triangular(triangle, right, trans="T" if transposed else "N", lower=True, check_finite=False)
    )


def _accepted(
    square: NDArray[np.float64], proposed: NDArray[np.float64], most: int, generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The rows of a block that are kept, and the triangular factor of their part of `square`.

    Each is kept with the probability that those before it in the block leave of its diagonal.
    """
    found: list[int] = []
    factor = np.zeros((len(square), len(square)))
    left = np.diagonal(square).copy()
    for i in range(len(square)):
        if len(found) < most and generator.random() * proposed[i] < left[i]:
            column = square[:, i] - factor[:, : len(found)] @ factor[i, : len(found)]
            factor[:, len(found)] = column / np.sqrt(left[i])
            left = left - np.square(factor[:, len(found)])
            left[i] = 0.0
            found.append(i)
    index = np.array(found, dtype=np.intp)
    return index, np.tril(factor[index, : len(found)])
