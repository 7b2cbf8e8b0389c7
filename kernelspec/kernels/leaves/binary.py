"""The product of two signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kernelspec.errors import DimensionError
from kernelspec.kernels.families.inner_product import InnerProduct
from kernelspec.tables.domain import Domain, Signs

if TYPE_CHECKING:
    pass

__all__ = ["Binary"]


@dataclass(frozen=True, kw_only=True)
class Binary(InnerProduct):
    """k(x, y) = xy of one column of −1 and 1; one feature, x itself, without variance.

    Raises DimensionError for more columns; DataError for other values. Reference: Daniely, Frostig, Gupta and Singer
    2017, section 4.
    """

    name: ClassVar[str] = "binary"
    formula: ClassVar[str] = "xy, one column of −1 and 1"
    frequencies: ClassVar[str] = "none: the column itself, with no variance"
    reference: ClassVar[str] = "Daniely, Frostig, Gupta and Singer 2017"
    domain: ClassVar[Domain] = Signs()

    def __post_init__(self) -> None:
        if isinstance(self.dim, int) and self.dim != 1:
            raise DimensionError(
                f"binary() is a kernel on one column of −1 and 1, not on {self.dim}: select a column, as in "
                "binary()[0], or write image(…, base=binary())",
                self.span,
            )
