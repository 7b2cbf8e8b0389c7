"""The request for a plan, including estimators from papers."""

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
    """Everything that determines a plan, except its budget.

    `text` is the spec of the kernel, with the `values` of its parameters: a label. `noise` is the variance of the
    observation noise. Known `categories` of keys have their own columns, others `buckets` or `bits` of the options.
    `data` are the rows to plan for.
    """

    text: str
    values: tuple[tuple[str, Fraction], ...]
    kernel: Kernel
    layout: Layout
    noise: float = 0.0
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
        """Raise PlanError for options that contradict each other, or the data."""
        options = self.options
        method, draws = options.method, options.draws
        if self.normalized and method not in ("auto", "phase"):
            raise PlanError(f"normalized=True requires features with random offsets, not method={method!r}")
        options.check_draws(has_data=self.data is not None)
        if method not in LANDMARK_METHODS and draws in ("auto", "independent"):
            return
        asked = f"method={method!r}" if method in LANDMARK_METHODS else f"draws={draws!r}"
        for name, is_asked in (("storage='sparse'", options.storage == "sparse"), ("normalized=True", self.normalized)):
            if is_asked:
                raise PlanError(f"{name} requires independent samples, not {asked}")


@dataclass(frozen=True)
class SeenData:
    """Rows for comparing plans, if any, and all rows with keys, in blocks, as often as needed."""

    rows: Rows | None
    blocks: Iterable[Rows]


@dataclass(frozen=True)
class Published:
    """Estimators as published, none exactly unbiased: `ks.compile(…, published=ks.Published(…))`.

    `zero_bit=True` keeps only the coordinate i* of minmax()'s keys: biased upwards, labelled with the amount.
    `normalized=True` divides every row of features with random offsets by its norm: biased, of order 1/n.
    `masses="estimated"` fits the weights of the parts of method='jordan' to the kernel matrix of `n_rows_for_masses`
    rows of the data instead of using the exact masses: the weights depend on the samples. Raises PlanError for other
    masses, or fewer than two rows. References: Li 2017 (normalised features), He et al. 2022 (masses).
    """

    zero_bit: bool = False
    normalized: bool = False
    masses: Literal["exact", "estimated"] = "exact"
    n_rows_for_masses: int = 50

    def __post_init__(self) -> None:
        if self.masses not in ("exact", "estimated"):
            raise PlanError(f"masses must be 'exact' or 'estimated', not {self.masses!r}")
        whole_number("n_rows_for_masses", self.n_rows_for_masses, 2)
