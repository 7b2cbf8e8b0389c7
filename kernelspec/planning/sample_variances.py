"""The variances of samples on the rows that plans are compared on, computed once for all budgets and candidates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from kernelspec.laws.collisions import Collisions
from kernelspec.laws.variance import SampleMoments
from kernelspec.notation.pairs import NumericPairs
from kernelspec.numerics.phasor import Form
from kernelspec.planning.pair_sums import PairSums
from kernelspec.planning.reference import Reference
from kernelspec.planning.strata import Stratum, kernel_value
from kernelspec.planning.variance import estimate_bias, estimate_variance

__all__ = ["SampleVariances"]

_VALUES, _FEWEST_ROWS = 4_000_000, 64
"""Values of terms, for which there are fewer rows of many terms."""


@dataclass(frozen=True, eq=False)
class SampleVariances:
    """Of one sample of a stratum of a kernel, without its weight: pair by pair, and summed over all pairs of the data.

    `whole` are strata that make up the kernel. Every stratum that was met is held, so that its law stays itself.
    """

    reference: Reference
    collisions: Collisions | None
    whole: tuple[Stratum, ...]
    _moments: dict[tuple[int, tuple[int, ...]], tuple[Stratum, SampleMoments]] = field(default_factory=dict)
    _on_pairs: dict[tuple[int, tuple[int, ...], Form], NDArray[np.float64]] = field(default_factory=dict)
    _summed: dict[tuple[int, tuple[int, ...], Form, bool], tuple[Stratum, PairSums]] = field(default_factory=dict)

    def on_pairs(self, stratum: Stratum, form: Form) -> NDArray[np.float64]:
        """On the pairs of the reference; the moments of a stratum are computed once for all forms."""
        if stratum.draws is not None:
            pairs = self.reference.pairs.select(stratum.positions)
            return stratum.law.variance(pairs, 1, form, self._shared_by(stratum))
        key = (id(stratum.law), stratum.positions)
        if key not in self._moments:
            pairs = self.reference.pairs.select(stratum.positions)
            self._moments[key] = (stratum, SampleMoments.of(stratum.law, pairs, self._shared_by(stratum)))
        if (*key, form) not in self._on_pairs:
            self._on_pairs[*key, form] = self._moments[key][1].variance(form)
        return self._on_pairs[*key, form]

    def of_one_pair(self, stratum: Stratum, pairs: NumericPairs) -> float:
        """The mean variance of one sample on pairs of rows made to agree in their categories; 0 where it is exact.

        No pair of rows may agree, and then none of them says how much the samples of rows that do agree vary.
        """
        if stratum.known is None or stratum.law.is_exact:
            return 0.0
        agreeing = pairs.with_equal_categories(stratum.known.positions)
        return float(np.mean(stratum.law.variance(agreeing.select(stratum.positions), 1, "paired")))

    def relative_error(self, parts: Sequence[tuple[Stratum, int]], form: Form) -> float | None:
        """Expected √E‖K̂ − K‖²_F / ‖K‖_F of all rows of the data, from up to 200 of them; None without data.

        The diagonal has its share of 1/n, n the number of rows [Theorems 7 and 8 on random binning].
        """
        if self.reference.sample is None or not parts:
            return None
        error = reduce(add, (self._sums(stratum, form).scaled(stratum.weight**2 / n) for stratum, n in parts))
        strata = [stratum for stratum, _ in parts]
        if any(stratum.law.cuts for stratum in strata):
            error += PairSums.of(np.square(estimate_bias(strata, self._grid)))
        if not (np.isfinite(error.own + error.others) and np.isfinite(self._size.own + self._size.others)):
            return float("inf")
        return error.relative_to(self._size, self.reference.n_rows)

    def _sums(self, stratum: Stratum, form: Form) -> PairSums:
        """Over the pairs of the sample of the data, with all that sharing columns adds there."""
        alone = self._independent_sums(stratum.independent, form, hashed=True)
        if stratum.draws is None:
            return alone
        # offsets and buckets are independent, and add what they always do
        gained = self._independent_sums(stratum.independent, "paired", hashed=False)
        return alone + gained.scaled(stratum.ratio - 1)

    def _independent_sums(self, stratum: Stratum, form: Form, *, hashed: bool) -> PairSums:
        key = (id(stratum.law), stratum.positions, form, hashed)
        if key not in self._summed:
            one = [(replace(stratum, weight=1.0), 1)]
            found = PairSums.of(estimate_variance(one, self._grid, form, self.collisions if hashed else None))
            if not found.own + found.others:  # as if one pair of rows agreed, and so both ways
                found = replace(found, others=2 * self.of_one_pair(stratum, self.reference.pairs))
            self._summed[key] = (stratum, found)
        return self._summed[key][1]

    @cached_property
    def _grid(self) -> NumericPairs:
        sample = self.reference.sample
        assert sample is not None
        some = sample.some(max(_FEWEST_ROWS, math.isqrt(_VALUES // max(1, len(self.whole)))))
        return NumericPairs(some, some)

    @cached_property
    def _size(self) -> PairSums:
        """Σ k(x, y)²: the kernel is the same, however it is sampled."""
        with np.errstate(over="ignore"):  # checked where it divides
            return PairSums.of(np.square(kernel_value(self.whole, self._grid)))

    def _shared_by(self, stratum: Stratum) -> Collisions | None:
        """What sharing columns adds; nothing to categories of the data, which have columns of their own."""
        return None if stratum.known is not None else self.collisions
