"""Which rows to take as landmarks, and what the first m of them leave of pilot samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.planning.landmarks.landmarks import CompiledPairs, PairSums
from kernelspec.samples.factor import amplitude_values

if TYPE_CHECKING:
    from kernelspec.planning.strata import Stratum
    from kernelspec.samples.samples import Samples
    from kernelspec.tables.rows import Rows

__all__ = ["NestedRemainders", "Pivots", "choose_pivots", "solved"]

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


_JUDGED = 400
"""Rows on which the squared mean is taken, a small part of the second moment."""


@dataclass(frozen=True, eq=False)
class NestedRemainders:
    """Anchors `rows`, pivots of a positive definite kernel with the triangle C, and rows to judge on.

    With W = C⁻¹ k(L, x), `whitened`, (anchors, rows), and Ψ = C⁻¹ φ(L), the remainder of m anchors is
    φ(x) − Σ_{i < m} W_i(x) Ψ_i: each one anchor more is one term more, since C is triangular.
    """

    pivots: Pivots
    rows: Rows
    judged: Rows
    whitened: NDArray[np.float64]

    def variances(self, stratum: Stratum, batch: Samples, sizes: Sequence[int]) -> list[PairSums]:
        """Σ over the pairs of rows of the variance of one sample's product, for every number of anchors, ascending.

        Σ E (Re l r̄)² = Σ_j (Σ_x |l|² Σ_y |r|² + Re Σ_x l² conj Σ_y r²)/2 over the batch, less the mean squared.
        """
        found = []
        for second, mean in zip(self._seconds(batch, sizes), self._means(stratum, sizes), strict=True):
            n, few = second.rows, mean.rows
            own = second.own / len(batch) - mean.own * n / few
            others = second.others / len(batch) - mean.others * n * (n - 1) / (few * (few - 1))
            found.append(PairSums(n, max(0.0, own), max(0.0, others)))
        return found

    def _seconds(self, batch: Samples, sizes: Sequence[int]) -> Iterator[PairSums]:
        """Second moments, summed over the batch."""
        left = amplitude_values(batch, self.judged, "left")
        turned = [np.ascontiguousarray(part(left)) for part in _PARTS[: 1 + np.iscomplexobj(left)]]
        anchors = amplitude_values(batch, self.rows, "left")
        solutions = [solved(self.pivots.triangle, part(anchors)) for part in _PARTS[: len(turned)]]
        before = 0
        for m in sizes:
            for i, solution in enumerate(solutions):
                turned[i] -= self.whitened[before:m].T @ solution[before:m]
            before = m
            yield _summed(turned)

    def _means(self, stratum: Stratum, sizes: Sequence[int]) -> Iterator[PairSums]:
        """Squared means of the products, k_s(x, y) − a k_s(L, y) − k_s(x, L) b + a k_s(L, L) b for a stratum's k_s."""
        some, most = self._some, sizes[-1]
        whitened, triangle = self.whitened[:most, : len(some)], self.pivots.triangle[:most, :most]
        anchors = self.rows.take(slice(0, most))
        left = solved(triangle, _value(stratum, anchors, some))
        inner = solved(triangle, solved(triangle, _value(stratum, anchors, anchors)).T)
        rest, before = _value(stratum, some, some), 0
        for m in sizes:
            new, old = slice(before, m), slice(0, before)
            # the terms of new anchors with new and with old ones
            half = 0.5 * inner[new, new] @ whitened[new] + inner[new, old] @ whitened[old] - left[new]
            change = whitened[new].T @ half
            rest += change + change.T
            before = m
            yield PairSums.of(np.square(rest))

    @cached_property
    def _some(self) -> Rows:
        return self.judged.take(slice(0, _JUDGED))


def _real(values: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(values.real)


def _imaginary(values: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(values.imag)


_PARTS = (_real, _imaginary)


def _summed(parts: Sequence[NDArray[np.float64]]) -> PairSums:
    """Over pairs of rows and over samples, Re² of the products of remainders given in one or two parts."""
    squares = [np.einsum("ij,ij->j", part, part) for part in parts]
    each = np.square(parts[0])
    if len(parts) == 1:
        total = float(np.square(squares[0]).sum())
    else:
        each += np.square(parts[1])
        crossed = np.einsum("ij,ij->j", *parts)
        total = float((np.square(squares[0]) + np.square(squares[1]) + 2 * np.square(crossed)).sum())
    own = float(np.vdot(each, each))
    return PairSums(len(each), own, total - own)


def _value(stratum: Stratum, x: Rows, y: Rows) -> NDArray[np.float64]:
    """k_s(x, y) without the weight, (x, y)."""
    pairs = CompiledPairs(x, y)
    return np.array(np.broadcast_to(np.asarray(stratum.independent.value(pairs), dtype=float), pairs.shape))
