"""The inner product of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NoReturn

from kernelspec.kernels.families.inner_product import InnerProduct

__all__ = ["Linear"]


@dataclass(frozen=True, kw_only=True)
class Linear(InnerProduct):
    """k(x, y) = x·y; k(x, x) = ‖x‖² depends on x, and a row of zeros has features of zeros.

    Features √d x_j with a column j at random, or (method "exact") the columns themselves, without variance.
    Reference: Daniely, Frostig, Gupta and Singer 2017, section 4.
    """

    name: ClassVar[str] = "linear"
    formula: ClassVar[str] = "x·y"
    frequencies: ClassVar[str] = "none: √d x_j, j uniform; or all columns"
    reference: ClassVar[str] = "Daniely, Frostig, Gupta and Singer 2017, section 4"

    @property
    def has_constant_diagonal(self) -> bool:
        return False

    def diagonal(self) -> NoReturn:
        raise TypeError("k(x, x) = ‖x‖² of linear() is no number: ask has_constant_diagonal first")
