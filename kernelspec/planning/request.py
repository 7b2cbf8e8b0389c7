"""What a plan is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from kernelspec.errors import PlanError
from kernelspec.kernels.kernel import Kernel
from kernelspec.planning.options import ANCHORED, MapOptions
from kernelspec.planning.refinements import check_refinements
from kernelspec.planning.strata import Categories
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

__all__ = ["PlanRequest", "SeenData"]


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
        check_refinements(options, has_data=self.data is not None)
        if method not in ANCHORED and draws in ("auto", "independent"):
            return
        asked = f"method={method!r}" if method in ANCHORED else f"draws={draws!r}"
        for name, is_asked in (("storage='sparse'", options.storage == "sparse"), ("normalized=True", self.normalized)):
            if is_asked:
                raise PlanError(f"{name} is for samples that are drawn independently: not {asked}")


@dataclass(frozen=True)
class SeenData:
    """Rows to compare plans on, if there are any, and all rows whose keys are met, in blocks, as often as needed."""

    rows: Rows | None
    blocks: Iterable[Rows]
