"""What the inner products share: x·y of rows, of rows of norm 1, of one column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from kernelspec.errors import NotStationaryError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.verdict import Verdict
from kernelspec.notation.column_sums import Inner, coordinate_moments, pair_moments

if TYPE_CHECKING:
    from kernelspec.laws.moments import Moments
    from kernelspec.laws.sampler import Sampler
    from kernelspec.notation.pairs import NumericPairs, Pairs
    from kernelspec.samples.columns_read import ColumnRead

__all__ = ["InnerProduct"]


@dataclass(frozen=True, kw_only=True)
class InnerProduct(Leaf):
    """k(x, y) = x·y. Samples p = d x_j y_j with a column j at random, or `in_pairs` with two neighbours.

    `of_directions` means the rows divided by their norms.
    """

    takes_differences: ClassVar[bool] = False
    in_pairs: ClassVar[bool] = False
    of_directions: ClassVar[bool] = False

    @property
    def draws_pairs(self) -> bool:
        """Whether samples are pairs of neighbouring columns: better for rows of norm 1, whose features then have the
        least norm, √(d/2)."""
        return self.in_pairs and self.dim != 1

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return Inner(directions=self.of_directions).numbers(pairs)

    def expression(self, pairs: Pairs) -> Any:
        return Inner(directions=self.of_directions).expression(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        moments = pair_moments if self.draws_pairs else coordinate_moments
        return moments(pairs, self.dim, directions=self.of_directions)

    def verdict(self) -> Verdict:
        return Verdict("proved", (f"{self}: positive definite, an inner product",), stationary=False)

    @property
    def is_stationary(self) -> bool:
        return False

    def reads(self, positions: tuple[int, ...]) -> tuple[ColumnRead, ...]:
        """What samples read of a row, for each of the columns."""
        return positions

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.laws.coordinate import CoordinateSampler

        return CoordinateSampler(positions, self.reads(positions), in_pairs=self.draws_pairs)

    def measure(self) -> NoReturn:
        raise NotStationaryError(f"{self} is an inner product, no function of x − y: there is no spectral measure")

    def alternatives(self) -> Mapping[str, Kernel]:
        from kernelspec.laws.exact_columns import ExactColumns

        return {"exact": ExactColumns(base=self, dim=self.dim, span=self.span)} if isinstance(self.dim, int) else {}
