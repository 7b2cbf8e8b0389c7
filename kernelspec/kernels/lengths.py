"""The distances between rows that the kernels of a tree see, beside the lengths that they hold them against."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.power import Power
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.shift import Shift
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.kernels.nodes.stretch import Stretch
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.kernels.nodes.tilt import Tilt

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs

__all__ = ["Measured", "leaves_seen", "measured"]


@dataclass(frozen=True)
class Measured:
    """A kernel of the catalogue with a length, and the median of the distances between rows as it sees them."""

    leaf: Leaf
    length: float
    distance: float

    @property
    def ratio(self) -> float:
        """Median distance over length: k is nearly the identity where it is large, nearly constant where it is 0."""
        return self.distance / self.length


def leaves_seen(kernel: Kernel, pairs: NumericPairs) -> Iterator[tuple[Leaf, NumericPairs]]:
    """The leaves of a kernel, from left to right, and the pairs of rows as each of them sees these.

    A translation of the lag is left out. The base kernels of images see single columns, and are left out too. Raises
    TypeError for a node without a rule.
    """
    match kernel:
        case Leaf():
            yield kernel, pairs
        case Select():
            yield from leaves_seen(kernel.base, pairs.select(kernel.positions))
        case Stretch():
            if any(leaf.reads_numbers for leaf in kernel.base.parts() if isinstance(leaf, Leaf)):
                yield from leaves_seen(kernel.base, pairs.map(kernel.matrix))
        case Sum() | Product() | Power() | Dual() | Shift() | Tilt():
            for child in kernel.children():
                yield from leaves_seen(child, pairs)
        case Skeleton():
            return
        case _:
            raise TypeError(f"no rule for the lengths of {type(kernel).__name__}")


def measured(kernel: Kernel, pairs: NumericPairs) -> list[Measured | None]:
    """For every leaf its length and the median of the distances that it sees; None for one without a length."""
    found: list[Measured | None] = []
    for leaf, seen in leaves_seen(kernel, pairs):
        length = leaf.length
        distance = 0.0 if length is None else float(np.median(seen.of_different_rows(leaf.distance(seen))))
        found.append(None if length is None else Measured(leaf, float(length), distance))
    return found
