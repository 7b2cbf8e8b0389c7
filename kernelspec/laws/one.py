"""Samples of the kernel that is one everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.laws.runs import ones
from kernelspec.laws.sampler import Sampler

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

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
