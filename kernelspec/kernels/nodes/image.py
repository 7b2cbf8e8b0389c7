"""A grid of base kernels, one on every column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.kernels.kernel import Kernel
from kernelspec.notation.pairs import NumericPairs
from kernelspec.tables.rows import Rows

__all__ = ["Image", "OfPairs"]

_TOGETHER = 2**17
"""Values of one channel computed at a time."""

OfPairs: TypeAlias = Callable[[Any], Any]
"""A value, or a moment, of a kernel for pairs of rows."""


@dataclass(frozen=True)
class Image:
    """`base`, a kernel on one column, on every column: height × width places of `channels` nodes, in this order."""

    height: int
    width: int
    channels: int
    base: Kernel

    def validate(self) -> None:
        """Raise ValueError unless the kernel is one on a column, over at least one place."""
        if self.base.dim != 1 or min(self.height, self.width, self.channels) < 1:
            raise ValueError(f"an image has {self.height} × {self.width} places of kernels on {self.base.dim} columns")

    @property
    def n_nodes(self) -> int:
        """The number of columns."""
        return self.height * self.width * self.channels

    def sums(self, pairs: NumericPairs, of: OfPairs) -> NDArray[np.float64]:
        """`of` the pairs on one column, summed over the channels of every place, (height, width, *shape).

        Where rows are numbers the pairs of many columns are taken at a time, as rows of one column.
        """
        values = np.zeros((self.height * self.width, *pairs.shape))
        if pairs.x.categories or pairs.y.categories:
            for column in range(self.n_nodes):
                values[column // self.channels] += of(pairs.select((column,)))
        else:
            x, y = pairs.x.dense().T, pairs.y.dense().T
            many = max(1, _TOGETHER // max(1, prod(pairs.shape)))  # places
            for first in range(0, len(values), many):
                part = slice(first * self.channels, (first + many) * self.channels)
                found = _on_columns(x[part], y[part], pairs, of).reshape(-1, self.channels, *pairs.shape)
                values[first : first + many] = found.sum(axis=1)
        return values.reshape(self.height, self.width, *pairs.shape)

    def __str__(self) -> str:
        return f"image({self.height}, {self.width}, {self.channels}, base={self.base})"


def _on_columns(
    x: NDArray[np.float64], y: NDArray[np.float64], pairs: NumericPairs, of: OfPairs
) -> NDArray[np.float64]:
    """`of` the pairs on each of some columns x (p, n), y (p, m): (p, pairs)."""
    if pairs.grid:
        x, y = np.repeat(x, y.shape[1], axis=1), np.tile(y, (1, x.shape[1]))
    single = replace(pairs, x=Rows(x.reshape(-1, 1)), y=Rows(y.reshape(-1, 1)), grid=False)
    return np.broadcast_to(np.asarray(of(single), dtype=float), x.size).reshape(x.shape)
