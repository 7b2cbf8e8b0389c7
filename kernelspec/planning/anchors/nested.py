"""What the first m landmarks leave of pilot samples, for several m and all terms in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.planning.anchors.pivots import Pivots, solved
from kernelspec.planning.known_rows import drawn_for
from kernelspec.planning.pair_sums import PairSums
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitude_values import amplitude_values, has_sides

if TYPE_CHECKING:
    from kernelspec.planning.strata import Stratum
    from kernelspec.samples.samples import Samples
    from kernelspec.tables.rows import Rows

__all__ = ["NestedRemainders", "SampleColumns"]

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
