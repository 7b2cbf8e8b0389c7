"""The cosine of the angle between rows: the inner product, normalised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.kernels.families.inner_product import InnerProduct
from kernelspec.special.floats import floats

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs

__all__ = ["CosineSimilarity"]


@dataclass(frozen=True, kw_only=True)
class CosineSimilarity(InnerProduct):
    """k(x, y) = x·y / ‖x‖‖y‖, what normalize(linear()) is: sphere() of the rows divided by their norms.

    Raises DataError for a row of zeros, which has no direction.
    """

    name: ClassVar[str] = "normalize(linear())"
    formula: ClassVar[str] = "x·y / ‖x‖‖y‖"
    frequencies: ClassVar[str] = "none: √(d/2)(x_j ± i x_{j+1}) of unit rows, j uniform"
    reference: ClassVar[str] = "Daniely, Frostig, Gupta and Singer 2017, section 4"

    has_unit_rows: ClassVar[bool] = True
    of_directions: ClassVar[bool] = True

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return floats(np.clip(super().numbers(pairs), -1.0, 1.0))

    def __str__(self) -> str:
        return "normalize(linear())"
