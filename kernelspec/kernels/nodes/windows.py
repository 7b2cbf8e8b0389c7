"""Square windows over a grid of nodes, one node of the next layer for each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Padding", "Windows"]

Padding = Literal["valid", "same"]
"""valid: only windows inside the grid; same: one per `stride` places, cut at the border."""


@dataclass(frozen=True)
class Windows:
    """Windows of size × size places, every `stride` places, over height × width places of `channels` nodes each.

    Without a size there is one window, the whole grid. Nodes are numbered by row, column and channel; windows, which
    have one node each, by row and column. With padding "same" there are ⌈height/stride⌉ × ⌈width/stride⌉ windows,
    centred as far as possible and cut at the border. Raises ValueError if no window fits.
    """

    height: int
    width: int
    channels: int
    size: int | None = None
    stride: int = 1
    padding: Padding = "valid"

    def __post_init__(self) -> None:
        if self.size is not None and self.padding == "valid" and self.size > min(self.height, self.width):
            raise ValueError(
                f"a window of {self.size} × {self.size} does not fit into a grid of {self.height} × {self.width} places"
            )

    def validate(self) -> None:
        """Raise ValueError for a grid or a window without places."""
        if min(self.height, self.width, self.channels, self.stride, 1 if self.size is None else self.size) < 1:
            raise ValueError(f"a grid or a window has no places: {self}")
        if max(self.height, self.width, self.channels) >= 2**31:
            raise ValueError(f"a grid has too many places: {self}")

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the grid of windows."""
        return len(self.rows[0]), len(self.columns[0])

    @property
    def n_nodes(self) -> int:
        """The nodes of the grid below."""
        return self.height * self.width * self.channels

    @cached_property
    def rows(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """First row of each row of windows, and the row after its last."""
        return self._spans(self.height)

    @cached_property
    def columns(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """First column of each column of windows, and the column after its last."""
        return self._spans(self.width)

    @property
    def counts(self) -> NDArray[np.intp]:
        """The number of nodes in every window, (height, width) of the grid of windows."""
        high, wide = (stop - start for start, stop in (self.rows, self.columns))
        return np.asarray(np.multiply.outer(high, wide) * self.channels)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over the windows of values (height, width, …) that are already summed over channels.

        First over rows, then over columns, so sums of ones are exact.
        """
        return _summed(_summed(values, 0, *self.rows), 1, *self.columns)

    def child(self, window: NDArray[np.intp], which: NDArray[np.intp]) -> NDArray[np.intp]:
        """The numbers of the `which`-th nodes of windows, counted by row, column and channel."""
        across = self.shape[1]
        first, last = (edge[window % across] for edge in self.columns)
        place, channel = np.divmod(which, self.channels)
        row, column = np.divmod(place, last - first)
        return ((self.rows[0][window // across] + row) * self.width + first + column) * self.channels + channel

    def children(self, window: int) -> NDArray[np.intp]:
        """The node numbers of one window."""
        which = np.arange(int(self.counts.ravel()[window]))
        return self.child(np.full(len(which), window), which)

    def _spans(self, length: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        if self.size is None:
            return np.array([0]), np.array([length])
        if self.padding == "valid":
            start = np.arange(0, length - self.size + 1, self.stride)
            return start, start + self.size
        many = -(-length // self.stride)
        outside = max((many - 1) * self.stride + self.size - length, 0)
        start = np.arange(many) * self.stride - outside // 2
        return np.maximum(start, 0), np.minimum(start + self.size, length)


def _summed(
    values: NDArray[np.float64], axis: int, starts: NDArray[np.intp], stops: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Sums over spans of one axis."""
    parts = [values[(slice(None),) * axis + (slice(a, b),)].sum(axis=axis) for a, b in zip(starts, stops, strict=True)]
    return np.stack(parts, axis=axis)
