"""What the first m anchors leave of pilot samples, for several m in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.planning.anchors.pivots import Pivots, solved
from kernelspec.planning.compiled_pairs import CompiledPairs
from kernelspec.planning.pair_sums import PairSums
from kernelspec.samples.amplitude_values import amplitude_values

if TYPE_CHECKING:
    from kernelspec.planning.strata import Stratum
    from kernelspec.samples.samples import Samples
    from kernelspec.tables.rows import Rows

__all__ = ["NestedRemainders"]

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
