"""What a rule of verdicts is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from kernelspec.kernels.kernel import Kernel
from kernelspec.verdicts.expansion import expanded

__all__ = ["Finding", "Question", "Rule"]


@dataclass(frozen=True)
class Question:
    """Whether a kernel is positive definite, that the verdicts of its nodes leave open; its numbers are exact."""

    kernel: Kernel

    @cached_property
    def expanded(self) -> Kernel:
        """The kernel with products of sums multiplied out and equal terms merged."""
        return expanded(self.kernel)


@dataclass(frozen=True)
class Finding:
    """What a rule proved, with the argument; for a disproof by the measure a frequency, one number for every column."""

    positive_definite: Literal["proved", "disproved"]
    reasons: tuple[str, ...]
    frequency: tuple[float, ...] | None = None


Rule: TypeAlias = Callable[[Question], Finding | None]
"""None: the rule does not apply, or does not decide."""
