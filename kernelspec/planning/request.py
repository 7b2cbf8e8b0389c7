"""What a plan is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from kernelspec.catalogue import SAMPLERS
from kernelspec.errors import PlanError
from kernelspec.kernels.kernel import Kernel
from kernelspec.planning.methods import ANCHORED, METHODS, Anchoring, Draws, Method, Storage
from kernelspec.planning.refinements import check_refinements
from kernelspec.planning.strata import Categories
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

__all__ = ["PlanRequest", "SeenData"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanRequest:
    """Everything that a plan follows from, but its budget.

    `text` is the spec that the kernel is of, with the `values` of its parameters: a label. Keys of `categories`
    that are known have columns of their own, all others `buckets` or `bits`. `data` are the rows to plan for.
    """

    text: str
    values: tuple[tuple[str, Fraction], ...]
    kernel: Kernel
    layout: Layout
    seed: int
    method: Method = "auto"
    buckets: int | None = 256
    bits: int | None = None
    draws: Draws = "auto"
    anchors: Anchoring = "auto"
    normalized: bool = False
    data: Rows | None = None
    categories: Categories = field(default_factory=Categories)
    storage: Storage = "auto"

    def check(self) -> None:
        """Raise PlanError for a method or draws that there are not, or that contradict each other."""
        if self.method not in METHODS and not SAMPLERS.knows(self.method):
            raise PlanError(f"there is no method {self.method!r}: use one of {', '.join((*METHODS, *SAMPLERS))}")
        if self.normalized and self.method not in ("auto", "phase"):
            raise PlanError(
                f"normalized=True divides features with random offsets by their norm: not method={self.method!r}"
            )
        check_refinements(self.method, self.draws, self.anchors, has_data=self.data is not None)
        if self.method not in ANCHORED and self.draws in ("auto", "independent"):
            return
        asked = f"method={self.method!r}" if self.method in ANCHORED else f"draws={self.draws!r}"
        for name, is_asked in (("storage='sparse'", self.storage == "sparse"), ("normalized=True", self.normalized)):
            if is_asked:
                raise PlanError(f"{name} is for samples that are drawn independently: not {asked}")


@dataclass(frozen=True)
class SeenData:
    """Rows to compare plans on, if there are any, and all rows whose keys are met, in blocks, as often as needed."""

    rows: Rows | None
    blocks: Iterable[Rows]
