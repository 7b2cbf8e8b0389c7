"""Random features of skeletons: sparse frequencies, drawn for all features at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.features.columns_read import in_order
from kernelspec.features.linear_forms import LinearForms
from kernelspec.features.runs import ones
from kernelspec.features.sampler import Sampler, columns_shown, indented
from kernelspec.features.samples import Phasors, Samples
from kernelspec.features.skeleton_paths import MOST_DRAWS, Paths, draw_paths
from kernelspec.kernels.binary import Binary
from kernelspec.kernels.leaf import Stationary

if TYPE_CHECKING:
    from kernelspec.features.columns_read import ColumnRead
    from kernelspec.kernels.skeleton import Skeleton
    from kernelspec.streams import Stream

__all__ = ["SkeletonSampler"]

_TOGETHER = 256
"""Features drawn at a time, always all of them: the first ones do not depend on how many follow."""


@dataclass(frozen=True)
class SkeletonSampler(Sampler):
    """p = ∏ p_u over the base nodes u that random paths down the skeleton end at.

    Over base kernels with frequencies the product is one phasor: the frequencies of each column add up, in one sparse
    matrix. Over binary() it is a product of columns. Raises PlanError for other base kernels.
    Reference: Daniely, Frostig, Gupta and Singer 2017, Algorithm 1.
    """

    skeleton: Skeleton
    positions: tuple[int, ...]

    def __post_init__(self) -> None:
        base = self.skeleton.image.base
        if not (base.is_fourier or isinstance(base, Binary)):
            raise PlanError(
                f"features of a skeleton over {base} cannot be drawn: its base must have frequencies, such as circle() "
                "or gaussian(), or be binary()"
            )

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        parts = []
        for block, start in enumerate(range(0, n, _TOGETHER)):
            own = stream.child(block)
            paths = draw_paths(self.skeleton.layers, own.child(0), _TOGETHER)
            kept = paths.feature < min(_TOGETHER, n - start)  # after everything has been drawn
            values = np.zeros(0) if self._is_real else self._frequencies(own.child(1), paths)[kept]
            parts.append((paths.feature[kept] + start, paths.node[kept], paths.count[kept], values))
        feature, node, count, values = (np.concatenate(part) for part in zip(*parts, strict=True))
        if self._is_real:
            return [self._products(feature, node, count, n)]
        whole, met = self._phasors(feature, node, values, n), np.unique(feature)
        batches = [whole.take(met), ones(np.setdiff1d(np.arange(n), met))]
        return [batch for batch in batches if len(batch)]

    @property
    def has_phasor(self) -> bool:
        return not self._is_real

    @property
    def has_key(self) -> bool:
        return False

    @property
    def has_amplitude(self) -> bool:
        return self._is_real

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        first, *rest = self.skeleton.lines()
        read = columns_shown(self.positions, names)
        return [
            f"products of base kernels along random paths of a skeleton on columns {read}",
            *indented([first, *rest]),
        ]

    @property
    def _is_real(self) -> bool:
        return not self.skeleton.image.base.is_fourier

    @property
    def _reads(self) -> tuple[tuple[ColumnRead, ...], NDArray[np.intp]]:
        """The columns that are read, each once, and the place of every base node among them."""
        columns = in_order(self.positions)
        place = {column: i for i, column in enumerate(columns)}
        return columns, np.array([place[column] for column in self.positions], dtype=np.intp)

    def _frequencies(self, stream: Stream, paths: Paths) -> NDArray[np.float64]:
        """Sums of `count` independent frequencies of the base kernel: by the law of the sum, where it is known."""
        base, counts = self.skeleton.image.base, paths.count
        drawn = base.draw_sums(stream, counts) if isinstance(base, Stationary) else None
        if drawn is not None:
            return np.asarray(drawn[:, 0])
        total = int(counts.sum())
        if total > MOST_DRAWS:
            raise PlanError(
                f"a batch of features has {total:,} base factors, and at most {MOST_DRAWS:,} frequencies of {base} are "
                "drawn: those of circle() and gaussian() are drawn at once"
            )
        if not total:
            return np.zeros(0)
        return np.asarray(np.add.reduceat(base.measure().sample(stream, total)[:, 0], np.cumsum(counts) - counts))

    def _phasors(
        self, feature: NDArray[np.intp], node: NDArray[np.intp], values: NDArray[np.float64], n: int
    ) -> Samples:
        from scipy.sparse import csr_array

        columns, places = self._reads
        starts = np.searchsorted(feature, np.arange(n + 1))
        frequencies = csr_array((values, places[node], starts), shape=(n, len(columns)))
        frequencies.sum_duplicates()  # a column may be selected twice
        frequencies.eliminate_zeros()
        return Samples(np.arange(n), np.ones(n), np.ones(n), Phasors.symmetric(columns, frequencies))

    def _products(self, feature: NDArray[np.intp], node: NDArray[np.intp], count: NDArray[np.int64], n: int) -> Samples:
        odd = count % 2 == 1  # x² = 1
        columns, places = self._reads
        first = places[node[odd]]
        starts = np.searchsorted(feature[odd], np.arange(n + 1))
        ones = np.ones(len(first))
        forms = LinearForms(columns, starts, first, np.full(len(first), -1), ones, ones)
        return Samples(np.arange(n), np.ones(n), np.ones(n), amplitudes=(forms,))
