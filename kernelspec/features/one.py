"""Samples of the kernel that is one everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.features.runs import ones
from kernelspec.features.sampler import Sampler

if TYPE_CHECKING:
    from kernelspec.features.samples import Samples
    from kernelspec.streams import Stream

__all__ = ["OneSampler"]


@dataclass(frozen=True)
class OneSampler(Sampler):
    """p = 1 for all rows."""

    has_phasor: ClassVar[bool] = False
    has_key: ClassVar[bool] = False

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        del stream
        return [ones(np.arange(n))]

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        del names
        return ["a constant, exactly"]
