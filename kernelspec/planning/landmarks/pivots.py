"""Choose rows as landmarks, and compute what the first m of them leave of pilot samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.planning.known_rows import drawn_for
from kernelspec.planning.landmarks.landmarks import NEGLIGIBLE
from kernelspec.planning.reference import PairSums
from kernelspec.planning.strata import Stratum
from kernelspec.random.streams import Stream
from kernelspec.samples.factor import amplitude_values, has_sides
from kernelspec.samples.frequencies import compiled_phasors
from kernelspec.samples.samples import Samples
from kernelspec.tables.rows import Rows

__all__ = ["GrowingPivots", "NestedRemainders", "SampleColumns", "solved"]

_PROPOSED = 64
"""Rows proposed at a time."""

_BLOCK = 1_024
"""Rows of the pool updated at a time, or up to twice as many: what is computed of them stays in the cache."""


@dataclass(frozen=True)
class Pivots:
    """Rows of a pool in the order of choice, and the triangular C with k(L, L) = C C', (m, m)."""

    chosen: NDArray[np.intp]
    triangle: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.chosen)


@dataclass(eq=False)
class GrowingPivots:
    """Pivots of a positive definite kernel, chosen on demand, and what they explain of `other` rows.

    Randomly pivoted Cholesky: the next row is chosen with probability proportional to what the others leave of k(x, x),
    `diagonal` at first. `kernel` gives k(X, Y). Rows are proposed in blocks, and accepted or rejected so that they have
    the same distribution as one by one. The m-th pivot is chosen from the first `eligible(m)` rows of the pool, which
    bounds the work: O(n m²) for n rows. Pivots never depend on how many are requested later. Reference: Chen, Epperly,
    Tropp and Webber 2025; Epperly, Tropp and Webber 2024 for the blocks.
    """

    kernel: Callable[[Rows, Rows], NDArray[np.float64]]
    diagonal: NDArray[np.float64]
    pool: Rows
    other: Rows
    generator: np.random.Generator
    eligible: Callable[[int], int]
    rounding: float = NEGLIGIBLE
    _chosen: list[int] = field(default_factory=list)
    _factors: list[NDArray[np.float64]] = field(default_factory=list)
    _triangle: list[NDArray[np.float64]] = field(default_factory=list)
    _whitened: list[NDArray[np.float64]] = field(default_factory=list)
    _left: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self._left = np.maximum(self.diagonal, 0.0)

    def first(self, m: int) -> Pivots:
        """The first m pivots; fewer if nothing is left of the eligible rows."""
        while len(self._chosen) < m and self._grow():
            pass
        size = min(m, len(self._chosen))
        triangle, start = np.zeros((size, size)), 0
        for rows in self._triangle:
            if start >= size:
                break
            stop = min(size, start + len(rows))
            triangle[start:stop, :stop] = rows[: stop - start, :stop]
            start += len(rows)
        return Pivots(np.array(self._chosen[:size], dtype=np.intp), triangle)

    def whitened(self, m: int) -> NDArray[np.float64]:
        """C⁻¹ k(L, x) of the first m pivots L and the other rows x, (m, rows)."""
        self.first(m)
        return np.concatenate([np.zeros((0, len(self.other))), *self._whitened])[:m]

    def _grow(self) -> bool:
        """Choose some more pivots; return False if nothing is left."""
        before = len(self._factors[-1]) if self._factors else len(self.pool)
        rows = min(before, self.eligible(len(self._chosen) + _PROPOSED))  # rows once excluded stay excluded
        left = self._left[:rows]
        total = float(left.sum())
        if not total > self.rounding * float(np.maximum(self.diagonal[:rows], 0.0).sum()):
            return False
        proposed = self.generator.choice(rows, _PROPOSED, p=left / total)
        known = np.hstack([np.zeros((len(proposed), 0)), *(factor[proposed] for factor in self._factors)])
        candidates = self.pool.take(proposed)
        square = self.kernel(candidates, candidates) - known @ known.T
        # do not propose rounding residues forever
        left[proposed] = np.clip(np.diagonal(square), 0.0, left[proposed])
        accepted, triangle = _accepted(square, left[proposed], self.generator)
        if not len(accepted):
            return True
        taken, known, inverse = proposed[accepted], known[accepted], np.tril(np.linalg.inv(triangle))
        pivots, start = self.pool.take(taken), 0
        of_pool = self.kernel(self.pool.take(slice(0, rows)), pivots)
        of_other = self.kernel(pivots, self.other)
        parts: list[NDArray[np.float64]] = []
        for whitened in self._whitened:
            parts.append(known[:, start : start + len(whitened)])
            of_other -= parts[-1] @ whitened
            start += len(whitened)
        for i in range(0, max(rows - _BLOCK, 0) + 1, _BLOCK):
            block = slice(i, i + _BLOCK if i + 2 * _BLOCK <= rows else rows)
            for factor, part in zip(self._factors, parts, strict=True):
                of_pool[block] -= factor[block] @ part.T
            of_pool[block] = of_pool[block] @ inverse.T
            left[block] -= np.square(of_pool[block]).sum(axis=1)
        np.maximum(left, 0.0, out=left)
        left[taken] = 0.0
        self._factors.append(of_pool)
        self._whitened.append(inverse @ of_other)
        self._triangle.append(np.hstack([known, triangle]))
        self._chosen += taken.tolist()
        return True


def solved(
    triangle: NDArray[np.float64], right: NDArray[np.float64], *, transposed: bool = False
) -> NDArray[np.float64]:
    """C⁻¹ B for a lower triangular C, or C'⁻¹ B."""
    from scipy.linalg import solve_triangular

    return np.asarray(
        solve_triangular(triangle, right, trans="T" if transposed else "N", lower=True, check_finite=False)
    )


def _accepted(
    square: NDArray[np.float64], proposed: NDArray[np.float64], generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Rows of a block, accepted with the share of the diagonal that earlier ones leave, and their triangular factor."""
    kept: list[int] = []
    factor = np.zeros((len(square), len(square)))
    left = np.diagonal(square).copy()
    for i in range(len(square)):
        if generator.random() * proposed[i] < left[i]:
            column = square[:, i] - factor[:, : len(kept)] @ factor[i, : len(kept)]
            factor[:, len(kept)] = column / np.sqrt(left[i])
            left = left - np.square(factor[:, len(kept)])
            left[i] = 0.0
            kept.append(i)
    index = np.array(kept, dtype=np.intp)
    return index, np.tril(factor[index, : len(kept)])


_PATH = (0x6E6573746564,)
"""The streams of these samples, which maps never use."""


@dataclass(frozen=True, eq=False)
class SampleColumns:
    """n samples p_j(x, y) = Σ_u s_u a_u(x) a_u(y) as real columns a, consecutive for a sample: cosines and sines."""

    batch: Samples
    n: int

    @classmethod
    def drawn(cls, stratum: Stratum, n: int, rows: Rows | None = None) -> SampleColumns | None:
        """n samples, on wide known rows their values; None if they differ in kind or number of terms."""
        batches = drawn_for(rows, stratum.law, Stream(0, _PATH), n, stratum.positions)
        if len(batches) != 1 or has_sides(batches[0]):
            return None
        (batch,) = batches
        counts = np.bincount(batch.index, minlength=n)
        if not len(batch) or not (counts == counts[0]).all():
            return None
        return cls(batch.take(np.argsort(batch.index, kind="stable")), n)

    def values(self, rows: Rows) -> NDArray[np.float64]:
        """The columns for some rows, (columns, rows)."""
        amplitudes: NDArray[Any] = amplitude_values(self.batch, rows, "left", compiled_phasors).T
        if not np.iscomplexobj(amplitudes):
            return np.ascontiguousarray(amplitudes)
        return np.stack([amplitudes.real, amplitudes.imag], axis=1).reshape(-1, amplitudes.shape[1])

    def signs(self, n_columns: int) -> NDArray[np.float64]:
        """The signs of the columns, in order."""
        return np.repeat(self.batch.sign, n_columns // len(self.batch)).astype(float)


def summed_variances(
    columns: NDArray[np.float64], signs: NDArray[np.float64], n: int, weights: NDArray[np.float64]
) -> list[PairSums]:
    """The variance of p_j, summed over pairs of rows that stand for `weights` rows, for n samples of each stratum.

    `columns` are (strata, columns, rows), `signs` (strata, columns). Σ_xy p_j p_k = Σ_uv s_u s_v (Σ_x w a_u a_v)² for
    all samples j and k: j = k gives second moments, the others unbiased squares of means.
    """
    strata, size, rows = columns.shape
    scaled = columns * np.sqrt(weights)
    # multiplying a matrix by its own transpose is half the work
    gram = np.square((scaled[0] @ scaled[0].T)[None] if strata == 1 else scaled @ scaled.transpose(0, 2, 1))
    gram *= signs[:, :, None]
    gram *= signs[:, None, :]
    second = np.einsum("gjujv->g", gram.reshape(strata, n, size // n, n, size // n))
    totals = second / n - (gram.sum(axis=(1, 2)) - second) / (n * (n - 1))
    squares = (np.square(columns) * signs[:, :, None]).reshape(strata, n, -1, rows).sum(axis=2)
    diagonal = squares.var(axis=1, ddof=1)
    others = np.maximum(0.0, totals - diagonal @ np.square(weights))
    of_all, pairs = float(weights.sum()), float(weights.sum()) ** 2 - float(np.square(weights).sum())
    own_sums = rows * (diagonal @ weights) / of_all
    other_sums = rows * (rows - 1) * others / pairs if pairs > 0 else np.zeros(strata)
    return [PairSums(rows, *sums) for sums in zip(own_sums.tolist(), other_sums.tolist(), strict=True)]


@dataclass(frozen=True, eq=False)
class NestedRemainders:
    """Landmarks `rows`, pivots of a positive definite kernel with the triangle C, and weighted rows for judging.

    With W = C⁻¹ k(L, x), `whitened`, (landmarks, rows), and Ψ = C⁻¹ φ(L), the remainder of m landmarks is φ(x) − Σ_{i <
    m} W_i(x) Ψ_i: each landmark adds one term, since C is triangular.
    """

    pivots: Pivots
    rows: Rows
    judged: Rows
    weights: NDArray[np.float64]
    whitened: NDArray[np.float64]

    def variances(self, samples: Sequence[SampleColumns], sizes: Sequence[int]) -> Iterator[list[PairSums]]:
        """For every number of landmarks, ascending, Σ of the variance of one sample's product for every stratum."""
        most = sizes[-1] if sizes else 0
        rows, triangle = self.rows.take(slice(0, most)), self.pivots.triangle[:most, :most]
        columns = [drawn.values(self.judged) for drawn in samples]
        ends, left = np.cumsum([0, *map(len, columns)]), np.concatenate(columns)
        kinds = [(len(values), one.n) for values, one in zip(columns, samples, strict=True)]
        starts = [i for i, kind in enumerate(kinds) if not i or kind != kinds[i - 1]]
        # group strata with equally many columns, since there may be hundreds with a few columns each
        runs = [
            (ends[i], ends[stop], kinds[i], np.concatenate([drawn.signs(kinds[i][0]) for drawn in samples[i:stop]]))
            for i, stop in zip(starts, [*starts[1:], len(samples)], strict=True)
        ]
        turned = solved(triangle, np.concatenate([drawn.values(rows) for drawn in samples]).T).T
        before = 0
        for m in sizes:
            left -= turned[:, before:m] @ self.whitened[before:m]
            before = m
            yield [
                sums
                for start, stop, (size, n), signs in runs
                for sums in summed_variances(
                    left[start:stop].reshape(-1, size, left.shape[1]), signs.reshape(-1, size), n, self.weights
                )
            ]
