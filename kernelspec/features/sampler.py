"""The contract of a node of the sampler tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.features.samples import Samples
    from kernelspec.streams import Stream

__all__ = ["Sampler"]


class Sampler(ABC):
    """Draws samples p_j of one kernel node, E p_j = k, independent over j."""

    @abstractmethod
    def draw(self, stream: Stream, n: int) -> list[Samples]:
        """Samples 0, …, n − 1, in batches that partition the indices. The first n do not depend on n."""

    @property
    @abstractmethod
    def has_phasor(self) -> bool:
        """Whether some sample has a complex amplitude, and so costs two columns when paired."""

    @property
    @abstractmethod
    def has_key(self) -> bool:
        """Whether some sample has a key, so that the features are sparse."""

    @abstractmethod
    def lines(self) -> list[str]:
        """The node and its children as indented lines of the plan."""


def indented(lines: list[str]) -> list[str]:
    """Lines of a child, two columns to the right."""
    return ["  " + line for line in lines]
