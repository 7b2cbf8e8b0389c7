"""The contract of a node of the sampler tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kernelspec.random.streams import Stream
    from kernelspec.samples.columns_read import ColumnRead
    from kernelspec.samples.samples import Samples

__all__ = ["Sampler", "columns_shown", "indented", "reads_shown"]

_MOST_NAMES = 12


class Sampler(ABC):
    """Draws samples p_j of one kernel node, E p_j = k, independent over j."""

    @abstractmethod
    def draw(self, stream: Stream, n: int) -> list[Samples]:
        """Samples 0, …, n − 1, in batches that cover the indices; the first n do not depend on n.

        An index that occurs several times, in one batch or in several, is a sample that is the sum of these terms.
        """

    @property
    @abstractmethod
    def has_phasor(self) -> bool:
        """Whether some sample has a complex amplitude, and so costs two columns when paired."""

    @property
    @abstractmethod
    def has_key(self) -> bool:
        """Whether some sample has a key, so that the features are sparse."""

    @property
    def has_amplitude(self) -> bool:
        """Whether some sample has an amplitude that depends on the row."""
        return self.has_phasor

    def draw_products(self, stream: Stream, counts: NDArray[np.int64]) -> Samples | None:
        """Products of counts_j independent samples, j = 0, 1, …, in one draw, where their law is known; else None."""
        del stream, counts
        return None

    @property
    def n_terms(self) -> int:
        """The most terms that one sample is a sum of, each of which has columns of its own."""
        return 1

    def work(self, n: int, nonzeros: float) -> float:
        """Predicted nanoseconds for n samples of a row with so many nonzeros, where samplers of one law compete.

        Zero for samplers whose cost follows from their stored entries alone.
        """
        del n, nonzeros
        return 0.0

    @abstractmethod
    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        """The node and its children as indented lines of the plan; `names` are those of the table's columns."""


def columns_shown(positions: Sequence[int], names: Sequence[str] | None) -> str:
    """Columns by name where they have names, a long run of positions as a slice."""
    if names is not None:
        shown = [names[position] for position in positions[:_MOST_NAMES]]
        return ", ".join([*shown, f"… ({len(positions)})"] if len(positions) > _MOST_NAMES else shown)
    if len(positions) > 3 and tuple(positions) == tuple(range(positions[0], positions[-1] + 1)):
        return f"{positions[0]}:{positions[-1] + 1}"
    return ", ".join(map(str, positions))


def reads_shown(reads: Sequence[ColumnRead], positions: Sequence[int], names: Sequence[str] | None) -> str:
    """The columns at `positions`, and whether it is those of unit rows that are read."""
    unit = "" if all(isinstance(read, int) for read in reads) else ", divided by the norm of the row"
    return columns_shown(positions, names) + unit


def indented(lines: list[str]) -> list[str]:
    """Lines of a child, two columns to the right."""
    return ["  " + line for line in lines]
