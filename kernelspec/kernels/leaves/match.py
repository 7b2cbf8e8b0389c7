"""Equality of categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.verdict import Verdict

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs, Pairs

__all__ = ["Match"]


@dataclass(frozen=True, kw_only=True)
class Match(Leaf):
    """k(x, y) = 1 where x and y agree in every column, else 0; columns of text or of numbers.

    An inner product of indicators of the categories.
    """

    name: ClassVar[str] = "match"
    formula: ClassVar[str] = "1[x = y]"
    frequencies: ClassVar[str] = "none: a key, with no variance"
    reference: ClassVar[str] = "Daniely, Frostig, Gupta and Singer 2017, base spaces"
    compares_categories: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return pairs.equal()

    def expression(self, pairs: Pairs) -> Any:
        return pairs.equal()

    def verdict(self) -> Verdict:
        reason = "match(): positive definite, an inner product of indicators of the categories"
        return Verdict("proved", (reason,), stationary=None, stationary_in_numbers=True)

    @property
    def is_stationary(self) -> bool:
        return False

    def without_measure(self) -> str:
        return (
            "match() compares categories, which have no difference x − y: there is no spectral measure on the columns"
        )
