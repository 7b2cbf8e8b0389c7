"""What is asked for to reproduce papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kernelspec.errors import PlanError
from kernelspec.planning.options import whole_number

__all__ = ["Published"]


@dataclass(frozen=True)
class Published:
    """Estimators as they were published, none of them exactly unbiased: `ks.compile(…, published=ks.Published(…))`.

    `zero_bit=True` keeps the coordinate i* of minmax()'s keys alone: biased upwards, and labelled with the amount.
    `normalized=True` divides every row of features with random offsets by its norm: biased, of order 1/n.
    `masses="estimated"` fits the weights of the parts of method='jordan' to the kernel matrix of `n_rows_for_masses`
    rows of the data instead of the exact masses: the weights depend on the samples.
    Raises PlanError for other masses, or fewer than two rows.
    References: Li 2017 (normalised features), He et al. 2022 (masses).
    """

    zero_bit: bool = False
    normalized: bool = False
    masses: Literal["exact", "estimated"] = "exact"
    n_rows_for_masses: int = 50

    def __post_init__(self) -> None:
        if self.masses not in ("exact", "estimated"):
            raise PlanError(f"masses must be 'exact' or 'estimated', not {self.masses!r}")
        whole_number("n_rows_for_masses", self.n_rows_for_masses, 2)
