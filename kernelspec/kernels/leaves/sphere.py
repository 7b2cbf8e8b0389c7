"""The inner product of rows of norm 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kernelspec.kernels.families.inner_product import InnerProduct
from kernelspec.tables.domain import Domain, UnitSphere

__all__ = ["Sphere"]


@dataclass(frozen=True, kw_only=True)
class Sphere(InnerProduct):
    """k(x, y) = x·y of rows of norm 1 (to within 1e-6).

    One column is binary(). Raises DataError for rows of another norm. Reference: Daniely, Frostig, Gupta and Singer
    2017, section 4.
    """

    name: ClassVar[str] = "sphere"
    formula: ClassVar[str] = "x·y, ‖x‖ = ‖y‖ = 1"
    frequencies: ClassVar[str] = "none: √(d/2)(x_j ± i x_{j+1}), j uniform"
    reference: ClassVar[str] = "Daniely, Frostig, Gupta and Singer 2017, section 4"
    domain: ClassVar[Domain] = UnitSphere()
    has_unit_rows: ClassVar[bool] = True
