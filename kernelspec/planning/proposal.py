"""A candidate with what it would draw."""

from __future__ import annotations

from dataclasses import dataclass

from kernelspec.planning.anchors.anchors import Anchors
from kernelspec.planning.plan import Candidate
from kernelspec.planning.strata import Stratum

__all__ = ["Proposal"]


@dataclass(frozen=True)
class Proposal:
    """A candidate, its strata, the anchors that it has, and what else is to be said of it."""

    candidate: Candidate
    strata: tuple[Stratum, ...]
    anchors: Anchors | None = None
    note: str = ""

    @property
    def rank(self) -> tuple[float, float, int, int]:
        """Variance, then work; of two without variance the smaller one, and then the one that names its schemes."""
        candidate = self.candidate
        plain = sum(scheme is None for scheme in candidate.schemes)
        size = 0 if candidate.variance else candidate.entries or 0
        return candidate.variance, candidate.work, size, plain

    @property
    def error(self) -> float:
        """The expected relative error on the data; without data the variance, which orders candidates alike."""
        return self.candidate.variance if self.candidate.error is None else self.candidate.error

    @property
    def merit(self) -> float:
        """By which refined candidates are compared: the error."""
        return self.error
