"""Random features of skeletons: sparse frequencies, drawn for all features at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.features.chosen_key import ChosenKey
from kernelspec.features.columns_read import in_order
from kernelspec.features.degree_sums import MOST_DRAWS
from kernelspec.features.linear_forms import LinearForms
from kernelspec.features.run_key import RunKey
from kernelspec.features.runs import ones
from kernelspec.features.sampler import Sampler, columns_shown, indented
from kernelspec.features.samples import Phasors, Samples
from kernelspec.features.skeleton_paths import Paths, draw_paths
from kernelspec.kernels.binary import Binary
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.match import Match

if TYPE_CHECKING:
    from kernelspec.kernels.skeleton import Skeleton
    from kernelspec.streams import Stream

__all__ = ["SkeletonSampler"]

_TOGETHER = 256
"""Features drawn at a time, always all of them: the first ones do not depend on how many follow."""


@dataclass(frozen=True)
class SkeletonSampler(Sampler):
    """p = ∏ p_u over the base nodes u that random paths down the skeleton end at.

    Over base kernels with frequencies the product is one phasor: the frequencies of each column add up, in one sparse
    matrix. Over binary() it is a product of columns, over match() the categories of columns are the key. Raises
    PlanError for other base kernels. Reference: Daniely, Frostig, Gupta and Singer 2017, Algorithm 1.
    """

    skeleton: Skeleton
    positions: tuple[int, ...]

    def __post_init__(self) -> None:
        base = self.skeleton.image.base
        if not (base.is_fourier or isinstance(base, Binary | Match)):
            raise PlanError(
                f"features of a skeleton over {base} cannot be drawn: its base must have frequencies, such as circle() "
                "or gaussian(), or be binary() or match()"
            )

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        parts = []
        for block, start in enumerate(range(0, n, _TOGETHER)):
            own = stream.child(block)
            paths = draw_paths(self.skeleton.layers, own.child(0), _TOGETHER)
            kept = paths.feature < min(_TOGETHER, n - start)  # after everything has been drawn
            values = self._values(own.child(1), paths)[kept]
            parts.append((paths.feature[kept] + start, paths.node[kept], values))
        if not parts:
            return []
        feature, node, values = (np.concatenate(part) for part in zip(*parts, strict=True))
        met, first = np.unique(feature, return_index=True)
        products = self._products(node, values, np.append(first, len(feature)).astype(np.intp))
        batches = [replace(products, index=met), ones(np.setdiff1d(np.arange(n), met))]
        return [batch for batch in batches if len(batch)]

    @property
    def has_phasor(self) -> bool:
        return self.skeleton.image.base.is_fourier

    @property
    def has_key(self) -> bool:
        return isinstance(self.skeleton.image.base, Match)

    @property
    def has_amplitude(self) -> bool:
        return not self.has_key

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        first, *rest = self.skeleton.lines()
        read = columns_shown(self.positions, names)
        return [
            f"products of base kernels along random paths of a skeleton on columns {read}",
            *indented([first, *rest]),
        ]

    def _values(self, stream: Stream, paths: Paths) -> NDArray[np.float64]:
        """What `count` independent factors of a column are together: the sum of their frequencies, or their number."""
        base, counts = self.skeleton.image.base, paths.count
        if not base.is_fourier:
            return counts.astype(np.float64)
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

    def _products(self, node: NDArray[np.intp], values: NDArray[np.float64], starts: NDArray[np.intp]) -> Samples:
        """The samples with factors: those at `node` from each of `starts` up to the next."""
        n = len(starts) - 1
        whole = Samples(np.arange(n), np.ones(n), np.ones(n))
        if self.has_key:  # a category agrees with itself however often it is asked
            return replace(whole, keys=(RunKey(ChosenKey(np.array(self.positions, dtype=np.intp)[node]), starts),))
        columns = in_order(self.positions)
        place = {column: i for i, column in enumerate(columns)}
        places = np.array([place[column] for column in self.positions], dtype=np.intp)[node]
        if self.has_phasor:
            from scipy.sparse import csr_array

            frequencies = csr_array((values, places, starts), shape=(n, len(columns)))
            frequencies.sum_duplicates()
            frequencies.eliminate_zeros()
            return replace(whole, phasors=Phasors.symmetric(columns, frequencies))
        odd = values % 2 == 1  # x² = 1
        kept = np.concatenate([[0], np.cumsum(odd)])[starts].astype(np.intp)
        one = np.ones(int(odd.sum()))
        forms = LinearForms(columns, kept, places[odd], np.full(len(one), -1), one, one)
        return replace(whole, amplitudes=(forms,))
