"""What a kernel is made of: its parts, the columns its leaves read, the distances they see, and its periods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.elementary import Height, known_sign, of_one_length
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.nodes.columns_and_lags import Select, Shift, Stretch, Tilt
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.product import Power, Product
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.kernels.nodes.sum import Sum

if TYPE_CHECKING:
    from kernelspec.expressions.pairs import NumericPairs

__all__ = ["Measured", "height", "leaf_columns", "leaves_seen", "measured"]


def leaf_columns(kernel: Kernel, chosen: Callable[[Leaf], bool]) -> frozenset[int] | None:
    """The columns of all leaves that are `chosen`; None where they cannot be told, below a matrix or without a number
    of columns."""
    found: set[int] = set()
    whole = tuple(range(kernel.dim)) if isinstance(kernel.dim, int) else None
    pending: list[tuple[Kernel, tuple[int, ...] | None]] = [(kernel, whole)]
    while pending:
        node, positions = pending.pop()
        if isinstance(node, Stretch) and node.is_matrix:
            positions = None
        if isinstance(node, Select):
            positions = None if positions is None else tuple(positions[i] for i in node.positions)
        if isinstance(node, Skeleton):
            pending.append((node.image.base, positions))
        if isinstance(node, Leaf) and chosen(node):
            if positions is None:
                return None
            found.update(positions)
        pending.extend((child, positions) for child in node.children())
    return frozenset(found)


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


Lag = Sequence[Scalar]
"""One entry per column, or a single one for the constant vector."""


@singledispatch
def height(kernel: Kernel, lag: Lag) -> Height:
    """How k(r), r = `lag`, compares with k(0), for a kernel that is proved positive definite.

    As k(r) = ∫ cos(ω·r) μ(dω), it is k(0) just where ω·r is a multiple of 2π for almost all frequencies ω, and r is
    then a period of k; −k(0) where it is an odd multiple of π, and k(Δ + r) = −k(Δ). Raises TypeError for a kernel
    without a rule.
    """
    del lag
    raise TypeError(f"no rule for the periods of {type(kernel).__name__}")


@height.register
def _(kernel: Leaf, lag: Lag) -> Height:
    return kernel.height(lag)


@height.register
def _(kernel: Sum, lag: Lag) -> Height:
    if any(known_sign(weight) != 1 for weight in kernel.weights):
        return None
    found = {height(term, lag) for term in kernel.terms}
    if 0 in found or {1, -1} <= found:
        return 0
    return None if None in found else found.pop() if found else 1


@height.register
def _(kernel: Product, lag: Lag) -> Height:
    return _product(height(factor, lag) for factor in kernel.factors)


@height.register
def _(kernel: Power, lag: Lag) -> Height:
    return _product([height(kernel.base, lag)] * kernel.exponent)


@height.register
def _(kernel: Select, lag: Lag) -> Height:
    return height(kernel.base, [lag[i] if len(lag) > 1 else lag[0] for i in kernel.positions])


@height.register
def _(kernel: Stretch, lag: Lag) -> Height:
    if kernel.is_matrix:
        return height(
            kernel.base, [sum(a * b for a, b in zip(*of_one_length(row, lag), strict=True)) for row in kernel.matrix]
        )
    scales = kernel.matrix if isinstance(kernel.matrix, tuple) else (kernel.matrix,)
    return height(kernel.base, [a * b for a, b in zip(*of_one_length(scales, lag), strict=True)])


@height.register
def _(kernel: Shift, lag: Lag) -> Height:
    """Proved only where the translation is a period, and nothing else than the kernel below."""
    return height(kernel.base, lag)


@height.register
def _(kernel: Tilt, lag: Lag) -> Height:
    """Not known to be positive definite."""
    del kernel, lag
    return None


@height.register
def _(kernel: Dual, lag: Lag) -> Height:
    """|σ̂(ρ)| < σ̂(m) for |ρ| < m, a power series with coefficients of at least 0, unless it is constant."""
    below = height(kernel.base, lag)
    if below == 0:
        return 0 if kernel.varies else None
    return 1 if below == 1 else None


@height.register
def _(kernel: Skeleton, lag: Lag) -> Height:
    """The same, of means of the base kernels; some columns may lie outside all windows."""
    found = {height(kernel.image.base, (entry,)) for entry in lag}
    if found == {0}:
        return 0 if kernel.varies else None
    return 1 if found == {1} else None


def _product(heights: Iterable[Height]) -> Height:
    found: Height = 1
    for one in heights:
        if one == 0:
            return 0
        found = None if one is None or found is None else 1 if one == found else -1
    return found
