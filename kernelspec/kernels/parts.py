"""The structure of a kernel: its parts, the columns its leaves read, the distances they see, and its periods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.elementary import Height, known_sign, of_one_length
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.nodes.columns_and_lags import Select, Shift, Stretch, Tilt
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.kernels.nodes.sums_and_products import Additive, Power, Product, Sum

__all__ = [
    "Measured",
    "height",
    "leaf_columns",
    "leaves_seen",
    "leaves_with_degrees",
    "measured",
    "measured_leaf",
    "written_out",
]


def leaf_columns(kernel: Kernel, chosen: Callable[[Leaf], bool]) -> frozenset[int] | None:
    """The columns of all `chosen` leaves; None if unknown, as below a matrix or without a number of columns."""
    found: set[int] = set()
    whole = tuple(range(kernel.dim)) if isinstance(kernel.dim, int) else None
    pending: list[tuple[Kernel, tuple[int, ...] | None]] = [(kernel, whole)]
    while pending:
        node, positions = pending.pop()
        if isinstance(node, Stretch) and node.is_matrix:
            positions = None
        if isinstance(node, Select):
            positions = None if positions is None else tuple(positions[i] for i in node.positions)
        pending.extend((base, positions) for base in node.bases())
        if isinstance(node, Leaf) and chosen(node):
            if positions is None:
                return None
            found.update(positions)
        pending.extend((child, positions) for child in node.children())
    return frozenset(found)


@dataclass(frozen=True)
class Measured:
    """A catalogue kernel with a length, and the median of the distances it sees between rows."""

    leaf: Leaf
    length: float
    distance: float

    @property
    def ratio(self) -> float:
        """Median distance over length: k is nearly the identity if it is large, nearly constant if it is near 0."""
        return self.distance / self.length


_DIFFERENCES = 2**22  # of single columns, at most


def leaves_seen(kernel: Kernel, pairs: NumericPairs) -> Iterator[tuple[Leaf, NumericPairs]]:
    """The leaves of a kernel, left to right, with the pairs of rows as each of them sees them.

    Translations of the lag and kernels in a skeleton are ignored. A kernel that is applied to every column alone sees
    the differences in all columns. Raises TypeError for a node without a rule.
    """
    return ((leaf, seen) for leaf, seen, _ in leaves_with_degrees(kernel, pairs, lambda leaf: True))


def leaves_with_degrees(
    kernel: Kernel, pairs: NumericPairs, chosen: Callable[[Leaf], bool], degree: int = 1
) -> Iterator[tuple[Leaf, NumericPairs, int]]:
    """The same for the `chosen` leaves, with the number of them that are multiplied where each stands."""
    match kernel:
        case Leaf() if chosen(kernel):
            yield kernel, pairs, degree
        case Leaf() | Skeleton():
            return
        case Select():
            yield from leaves_with_degrees(kernel.base, pairs.select(kernel.positions), chosen, degree)
        case Stretch():
            if any(leaf.reads_numbers for leaf in kernel.base.parts() if isinstance(leaf, Leaf)):
                yield from leaves_with_degrees(kernel.base, pairs.map(kernel.matrix), chosen, degree)
        case Power():
            yield from leaves_with_degrees(kernel.base, pairs, chosen, degree * kernel.exponent)
        case Sum() | Product() | Dual() | Shift() | Tilt():
            if isinstance(kernel, Product):
                held = (any(isinstance(part, Leaf) and chosen(part) for part in own.parts()) for own in kernel.factors)
                degree *= max(1, sum(held))
            for child in kernel.children():
                yield from leaves_with_degrees(child, pairs, chosen, degree)
        case Additive():
            yield from leaves_with_degrees(kernel.base, _of_single_columns(pairs), chosen, degree)
        case _:
            raise TypeError(f"no rule for the lengths of {type(kernel).__name__}")


def _of_single_columns(pairs: NumericPairs) -> NumericPairs:
    """The differences of distinct rows in every column alone; for many columns, in evenly spread ones."""
    x, y = pairs.x.dense(), pairs.y.dense()
    first, second = np.indices((len(x), len(y))).reshape(2, -1) if pairs.grid else (np.arange(len(x)),) * 2
    if pairs.grid and len(x) == len(y):
        first, second = np.triu_indices(len(x), 1)
    columns = np.unique(np.linspace(0, x.shape[1] - 1, max(1, _DIFFERENCES // max(1, len(first)))).astype(np.intp))
    return NumericPairs.of_vectors((x[first][:, columns] - y[second][:, columns]).reshape(-1, 1))


def measured(kernel: Kernel, pairs: NumericPairs) -> list[Measured | None]:
    """For every leaf, its length and the median of the distances it sees; None if it has no length."""
    return [measured_leaf(leaf, seen, leaf.length) for leaf, seen in leaves_seen(kernel, pairs)]


def measured_leaf(leaf: Leaf, seen: NumericPairs, length: Scalar | None) -> Measured | None:
    """The same for one leaf with this length, on the pairs as it sees them."""
    if length is None:
        return None
    return Measured(leaf, float(length), float(np.median(seen.of_different_rows(leaf.distance(seen)))))


def written_out(kernel: Additive) -> Sum:
    """The average over sets of columns as a sum of products of kernels on one column each."""
    single = [
        Select(base=kernel.base, positions=(i,), dim=kernel.dim, span=kernel.span) for i in range(int(kernel.dim))
    ]
    terms = tuple(
        chosen[0] if kernel.order == 1 else Product(factors=chosen, dim=kernel.dim, span=kernel.span)
        for chosen in combinations(single, kernel.order)
    )
    return Sum(terms=terms, weights=(1 / len(terms),) * len(terms), dim=kernel.dim, span=kernel.span)


Lag = Sequence[Scalar]
"""One entry per column, or a single one for the constant vector."""


def height(kernel: Kernel, lag: Lag) -> Height:
    """How k(r), r = `lag`, compares with k(0), for a kernel that is proved positive definite.

    As k(r) = ∫ cos(ω·r) μ(dω), it equals k(0) if and only if ω·r is a multiple of 2π for almost all frequencies ω, and
    r is then a period of k; it equals −k(0) if and only if it is an odd multiple of π, and k(Δ + r) = −k(Δ). Raises
    TypeError for a kernel without a rule.
    """
    match kernel:
        case Leaf():
            return kernel.height(lag)
        case Sum():
            if any(known_sign(weight) != 1 for weight in kernel.weights):
                return None
            found = {height(term, lag) for term in kernel.terms}
            if 0 in found or {1, -1} <= found:
                return 0
            return None if None in found else found.pop() if found else 1
        case Product():
            return _product(height(factor, lag) for factor in kernel.factors)
        case Power():
            return _product([height(kernel.base, lag)] * kernel.exponent)
        case Select():
            return height(kernel.base, [lag[i] if len(lag) > 1 else lag[0] for i in kernel.positions])
        case Stretch():
            return height(kernel.base, _image(kernel, lag))
        case Shift():  # proved only if the translation is a period, so that it is the kernel below
            return height(kernel.base, lag)
        case Tilt():  # not known to be positive definite
            return None
        case Dual():  # |σ̂(ρ)| < σ̂(m) for |ρ| < m, a power series with coefficients of at least 0, unless it is constant
            below = height(kernel.base, lag)
            return (0 if kernel.varies else None) if below == 0 else 1 if below == 1 else None
        case Skeleton() | Additive():  # the same, of means; of a set with a column in which |k| falls the product does
            found = {height(next(kernel.bases()), (entry,)) for entry in lag}
            falls = 0 in found if isinstance(kernel, Additive) else found == {0} and kernel.varies
            return 1 if found == {1} else 0 if falls else None
    raise TypeError(f"no rule for the periods of {type(kernel).__name__}")


def _image(kernel: Stretch, lag: Lag) -> list[Scalar]:
    """A r."""
    if kernel.is_matrix:
        rows = (zip(*of_one_length(row, lag), strict=True) for row in kernel.matrix)
        return [sum(a * b for a, b in row) for row in rows]
    scales = kernel.matrix if isinstance(kernel.matrix, tuple) else (kernel.matrix,)
    return [a * b for a, b in zip(*of_one_length(scales, lag), strict=True)]


def _product(heights: Iterable[Height]) -> Height:
    found: Height = 1
    for one in heights:
        if one == 0:
            return 0
        found = None if one is None or found is None else 1 if one == found else -1
    return found
