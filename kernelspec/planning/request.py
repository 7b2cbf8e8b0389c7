"""What a plan is asked for, estimators as papers published them included."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from kernelspec.errors import PlanError
from kernelspec.kernels.kernel import Kernel
from kernelspec.planning.options import LANDMARK_METHODS, MapOptions, whole_number
from kernelspec.planning.strata import Categories
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

__all__ = ["PlanRequest", "Published", "SeenData"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanRequest:
    """Everything that a plan follows from, but its budget.

    `text` is the spec that the kernel is of, with the `values` of its parameters: a label. Keys of `categories`
    that are known have columns of their own, all others `buckets` or `bits` of the options. `data` are the rows to plan
    for.
    """

    text: str
    values: tuple[tuple[str, Fraction], ...]
    kernel: Kernel
    layout: Layout
    options: MapOptions = field(default_factory=MapOptions)
    normalized: bool = False
    data: Rows | None = None
    categories: Categories = field(default_factory=Categories)

    @property
    def seed(self) -> int:
        """The seed, which is known by now."""
        assert self.options.seed is not None
        return self.options.seed

    def check(self) -> None:
        """Raise PlanError for options that contradict each other, or what is known of the data."""
        options = self.options
        method, draws = options.method, options.draws
        if self.normalized and method not in ("auto", "phase"):
            raise PlanError(
                f"normalized=True divides features with random offsets by their norm: not method={method!r}"
            )
        options.check_draws(has_data=self.data is not None)
        if method not in LANDMARK_METHODS and draws in ("auto", "independent"):
            return
        asked = f"method={method!r}" if method in LANDMARK_METHODS else f"draws={draws!r}"
        for name, is_asked in (("storage='sparse'", options.storage == "sparse"), ("normalized=True", self.normalized)):
            if is_asked:
                raise PlanError(f"{name} is for samples that are drawn independently: not {asked}")


@dataclass(frozen=True)
class SeenData:
    """Rows to compare plans on, if there are any, and all rows whose keys are met, in blocks, as often as needed."""

    rows: Rows | None
    blocks: Iterable[Rows]


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
