"""Which rows to take as landmarks, and what the first m of them leave of pilot samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.planning.known_rows import drawn_for
from kernelspec.planning.reference import PairSums
from kernelspec.random.streams import Stream
from kernelspec.samples.factor import amplitude_values, has_sides

if TYPE_CHECKING:
    from kernelspec.planning.strata import Stratum
    from kernelspec.samples.samples import Samples
    from kernelspec.tables.rows import Rows

__all__ = ["NestedRemainders", "Pivots", "SampleColumns", "choose_pivots", "solved"]

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


_PATH = (0x6E6573746564,)
"""Of the streams of these samples, which maps never draw from."""


@dataclass(frozen=True, eq=False)
class SampleColumns:
    """n samples p_j(x, y) = Σ_u s_u a_u(x) a_u(y) of one stratum as real columns a: cosine and sine of every term.

    The columns of a sample are consecutive.
    """

    batch: Samples
    n: int

    @classmethod
    def drawn(cls, stratum: Stratum, n: int, rows: Rows | None = None) -> SampleColumns | None:
        """n samples; for wide rows that are known, what they are on these and others of the same table.

        None if they differ in kind or in their numbers of terms, or have two sides.
        """
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
        found: NDArray[Any] = amplitude_values(self.batch, rows, "left").T
        if not np.iscomplexobj(found):
            return np.ascontiguousarray(found)
        return np.stack([found.real, found.imag], axis=1).reshape(-1, found.shape[1])

    def variance(self, columns: NDArray[np.float64], weights: NDArray[np.float64]) -> PairSums:
        """The variance of p_j, summed over pairs of rows, each of which stands for `weights` rows.

        Σ_xy p_j p_k = Σ_uv s_u s_v (Σ_x w a_u a_v)² for all samples j and k: those with j = k give second moments,
        the others squares of means, without bias.
        """
        n, rows = self.n, len(weights)
        signs = np.repeat(self.batch.sign, len(columns) // len(self.batch)).astype(float)
        gram = np.square((columns * weights) @ columns.T)
        gram *= signs
        gram *= signs[:, None]
        second = float(np.einsum("jujv->", gram.reshape(n, -1, n, len(columns) // n)))
        total = second / n - (float(gram.sum()) - second) / (n * (n - 1))
        own = (np.square(columns) * signs[:, None]).reshape(n, -1, rows).sum(axis=1).var(axis=0, ddof=1)
        others = max(0.0, total - float(np.square(weights) @ own))
        of_all, pairs = float(weights.sum()), float(weights.sum()) ** 2 - float(np.square(weights).sum())
        return PairSums(
            rows, rows * float(weights @ own) / of_all, rows * (rows - 1) * others / pairs if pairs > 0 else 0.0
        )


@dataclass(frozen=True, eq=False)
class NestedRemainders:
    """Landmarks `rows`, pivots of a positive definite kernel with the triangle C, and weighted rows to judge on.

    With W = C⁻¹ k(L, x), `whitened`, (landmarks, rows), and Ψ = C⁻¹ φ(L), the remainder of m landmarks is
    φ(x) − Σ_{i < m} W_i(x) Ψ_i: each landmark adds one term, since C is triangular.
    """

    pivots: Pivots
    rows: Rows
    judged: Rows
    weights: NDArray[np.float64]
    whitened: NDArray[np.float64]

    def variances(self, samples: Sequence[SampleColumns], sizes: Sequence[int]) -> Iterator[list[PairSums]]:
        """For every number of landmarks, ascending, Σ of the variance of one sample's product of every stratum."""
        most = sizes[-1] if sizes else 0
        rows, triangle = self.rows.take(slice(0, most)), self.pivots.triangle[:most, :most]
        columns = [own.values(self.judged) for own in samples]
        ends, left = np.cumsum([0, *map(len, columns)]), np.concatenate(columns)
        turned = solved(triangle, np.concatenate([own.values(rows) for own in samples]).T).T
        before = 0
        for m in sizes:
            left -= turned[:, before:m] @ self.whitened[before:m]
            before = m
            yield [own.variance(left[ends[i] : ends[i + 1]], self.weights) for i, own in enumerate(samples)]
