"""What the inner products share: x·y of rows, of rows of norm 1, of one column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.verdict import Verdict
from kernelspec.notation.column_sums import Inner

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs, Pairs

__all__ = ["InnerProduct"]


@dataclass(frozen=True, kw_only=True)
class InnerProduct(Leaf):
    """k(x, y) = x·y, perhaps of rows of norm 1: `has_unit_rows`, because they are, or because they are divided by it.

    The latter is `of_directions`.
    """

    takes_differences: ClassVar[bool] = False
    has_unit_rows: ClassVar[bool] = False
    of_directions: ClassVar[bool] = False

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return Inner(directions=self.of_directions).numbers(pairs)

    def expression(self, pairs: Pairs) -> Any:
        return Inner(directions=self.of_directions).expression(pairs)

    def verdict(self) -> Verdict:
        return Verdict("proved", (f"{self}: positive definite, an inner product",), stationary=False)

    @property
    def is_stationary(self) -> bool:
        return False

    def without_measure(self) -> str:
        return f"{self} is an inner product, no function of x − y: there is no spectral measure"
