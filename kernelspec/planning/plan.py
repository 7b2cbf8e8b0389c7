"""A plan: what will be drawn, how much of each, at what predicted variance, and what else was considered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from kernelspec.data import Layout
from kernelspec.features.phasor import Form
from kernelspec.planning.strata import Stratum

if TYPE_CHECKING:
    from kernelspec.spec import Spec

__all__ = ["METHODS", "Candidate", "Method", "Plan"]

Method = Literal["auto", "paired", "phase", "complex"]

METHODS: tuple[Method, ...] = ("auto", "paired", "phase", "complex")


@dataclass(frozen=True)
class Candidate:
    """One way to spend the budget: `counts` samples of each stratum, in one form.

    `variance` is the predicted mean variance of an inner product over the reference pairs.
    """

    form: Form
    mixture: bool
    counts: tuple[int, ...]
    variance: float

    def describe(self) -> str:
        """`paired, stratified`."""
        if len(self.counts) < 2:
            return self.form
        return f"{self.form}, {'mixture' if self.mixture else 'stratified'}"


@dataclass(frozen=True)
class Plan:
    """The plan that won, with everything needed to draw it again."""

    spec: Spec
    layout: Layout
    n_features: int
    seed: int
    buckets: int | None
    strata: tuple[Stratum, ...]
    chosen: Candidate
    alternatives: tuple[Candidate, ...]
    reference: str
    reason: str

    @property
    def form(self) -> Form:
        """How a complex amplitude becomes columns."""
        return self.chosen.form

    @property
    def parts(self) -> list[tuple[Stratum, int]]:
        """Every stratum with its number of samples."""
        return list(zip(self.strata, self.chosen.counts, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON data."""
        return {
            "spec": str(self.spec),
            "columns": self.layout.dim,
            "names": None if self.layout.names is None else list(self.layout.names),
            "n_features": self.n_features,
            "seed": self.seed,
            "buckets": self.buckets,
            "method": self.form,
            "strata": [
                {"weight": stratum.weight, "positions": list(stratum.positions), "samples": n}
                for stratum, n in self.parts
            ],
            "predicted_variance": self.chosen.variance,
            "reference": self.reference,
            "reason": self.reason,
            "alternatives": [
                {"plan": other.describe(), "samples": list(other.counts), "predicted_variance": other.variance}
                for other in self.alternatives
            ],
        }
