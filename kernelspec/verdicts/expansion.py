"""The normal form of a kernel, in which equal terms cancel: a weighted sum of products of simplified factors."""

from __future__ import annotations

from collections.abc import Sequence
from operator import add, mul
from typing import Any

from kernelspec.elaboration.operators import weighted_sum, weighted_terms
from kernelspec.elaboration.scope import Columns
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.elementary import exponential
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf, Stationary, is_one
from kernelspec.kernels.leaves.gaussian_directions import GaussianDirection
from kernelspec.kernels.leaves.of_rows import InnerProduct
from kernelspec.kernels.nodes.columns_and_lags import Select, Shift, Stretch, Tilt
from kernelspec.kernels.nodes.sums_and_products import Power, Product, Sum, one
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided

__all__ = ["columns_of", "expanded", "factors_of", "product_of"]

_MOST_TERMS = 400

Terms = list[tuple[Scalar, tuple[Kernel, ...]]]


def expanded(kernel: Kernel) -> Kernel:
    """The kernel as a weighted sum of products without sums, with equal terms merged; unchanged if that is too long.

    Kernels whose product is in the catalogue are fused, also on some of the columns and stretched. Factors 1 vanish, an
    indicator of equal rows absorbs factors with value 1 there, columns are sorted if their order does not matter, and a
    tilted or shifted Gaussian becomes a multiple of a shifted one.
    """
    terms = _terms(kernel)
    if terms is None:
        return kernel
    products = [(weight * own, term) for weight, factors in terms for own, term in [_product(factors, kernel)]]
    return weighted_sum(products, Columns(kernel.dim), kernel.span)


def columns_of(kernel: Kernel) -> frozenset[int]:
    """The columns that a kernel on a known number of them may read."""
    if isinstance(kernel, Select):
        return frozenset(kernel.positions[i] for i in columns_of(kernel.base))
    if isinstance(kernel, Product):
        return frozenset[int]().union(*map(columns_of, kernel.factors))
    return frozenset() if is_one(kernel) else frozenset(range(int(kernel.dim)))


def factors_of(kernel: Kernel) -> tuple[Kernel, ...]:
    """The factors of a product; none for 1."""
    return kernel.factors if isinstance(kernel, Product) else () if is_one(kernel) else (kernel,)


def product_of(factors: Sequence[Kernel], whole: Kernel) -> Kernel:
    """The product on the columns of `whole`; 1 for no factors."""
    if len(factors) > 1:
        return Product(factors=tuple(factors), dim=whole.dim, span=whole.span)
    return factors[0] if factors else one(whole.dim, whole.span)


def _terms(kernel: Kernel) -> Terms | None:
    match kernel:
        case Sum():
            found: Terms = []
            for weight, term in weighted_terms(kernel):
                inner = _terms(term)
                if inner is None:
                    return None
                found += [(weight * own, factors) for own, factors in inner]
            return found if len(found) <= _MOST_TERMS else None
        case Product():
            return _multiplied([_terms(factor) for factor in kernel.factors])
        case Power():
            return _multiplied([_terms(kernel.base)] * kernel.exponent)
        case Select() | Stretch():
            terms = _terms(kernel.base)
            return terms and [(w, tuple(_placed(kernel, factor) for factor in own)) for w, own in terms]
        case GaussianDirection() if kernel.has_constant_real_part:
            return [(weight, (part,)) for weight, part in kernel.tilts()]
    simplest = kernel.simplest() if isinstance(kernel, Leaf) else kernel
    return [(1, () if is_one(simplest) else (simplest,))]


def _multiplied(factors: list[Terms | None]) -> Terms | None:
    found: Terms = [(1, ())]
    for terms in factors:
        if terms is None or len(found) * len(terms) > _MOST_TERMS:
            return None
        found = [(v * w, (*left, *right)) for v, left in found for w, right in terms]
    return found


def _placed(outer: Select | Stretch, factor: Kernel) -> Kernel:
    if isinstance(outer, Stretch):
        turned = isinstance(factor, Stationary) and factor.is_radial and _is_rotation(outer.matrix)
        return factor if turned else Stretch(base=factor, matrix=outer.matrix, dim=outer.dim, span=outer.span)
    positions = outer.positions
    if isinstance(factor, Select):
        positions, factor = tuple(positions[i] for i in factor.positions), factor.base
    if _treats_columns_alike(factor):
        positions = tuple(sorted(positions))
        if positions == tuple(range(len(positions))) and len(positions) == outer.dim:
            return factor
    return Select(base=factor, positions=positions, dim=outer.dim, span=outer.span)


def _treats_columns_alike(kernel: Kernel) -> bool:
    """Whether k is known to be invariant under permutations of the columns."""
    if isinstance(kernel, Stationary):
        return kernel.is_radial or kernel.has_independent_coordinates
    return isinstance(kernel, InnerProduct) or (isinstance(kernel, Leaf) and kernel.compares_categories)


def _is_rotation(matrix: Any) -> bool:
    """Whether AA' = I, for a square matrix."""
    if not (isinstance(matrix, tuple) and isinstance(matrix[0], tuple) and len(matrix) == len(matrix[0])):
        return False
    try:
        rows = [[ClosedNumber.of(entry) for entry in row] for row in matrix]
    except (NotDecided, TypeError):
        return False
    zero = ClosedNumber.of(0)
    inner = ((i == j, sum(map(mul, r, s), zero)) for i, r in enumerate(rows) for j, s in enumerate(rows))
    return all(entry == int(same) for same, entry in inner)


def _product(factors: tuple[Kernel, ...], whole: Kernel) -> tuple[Scalar, Kernel]:
    weight, found = _untilted(factors, whole)
    fused: list[Kernel] = []
    for factor in found:
        for i, other in enumerate(fused):
            joint = _fused(other, factor) or _fused(factor, other)
            if joint is not None:
                fused[i] = joint
                break
        else:
            fused.append(factor)
    return weight, product_of([factor for factor in fused if not is_one(factor)], whole)


def _untilted(factors: tuple[Kernel, ...], whole: Kernel) -> tuple[Scalar, tuple[Kernel, ...]]:
    """The product with all factors e^{β·Δ} combined: they may cancel, and shift a Gaussian."""
    tilted = [factor for factor in factors if isinstance(factor, Tilt | GaussianDirection)]
    if not tilted or (len(tilted) == 1 and isinstance(tilted[0], Tilt)):
        return 1, factors
    if any(len(factor.by) != whole.dim for factor in tilted):  # a constant vector on an unknown number of columns
        return 1, factors
    weight: Scalar = 1
    by: tuple[Scalar, ...] = (0,) * int(whole.dim)
    bases = [factor for factor in factors if not isinstance(factor, Tilt | GaussianDirection)]
    for factor in tilted:
        if isinstance(factor, Tilt):
            bases.append(factor.base)
            own = factor.by
        else:  # g e^{−‖Δ + s‖²/2σ²}
            square = factor.scale**2
            bases.append(factor.gaussian)
            own = tuple(-entry / square for entry in factor.step)
            weight *= exponential(factor.gain_exponent - sum(s * s for s in factor.step) / (2 * square))
        by = tuple(map(add, by, own))
    own_weight, base = _product(tuple(bases), whole)
    if all(entry == 0 for entry in by):
        return weight * own_weight, (base,)
    moved = base.tilted(by) if isinstance(base, Stationary) else None
    if not isinstance(moved, GaussianDirection):
        return weight * own_weight, (Tilt(base=base, by=by, dim=whole.dim, span=whole.span),)
    shift = Shift(base=moved.gaussian, by=moved.step, dim=whole.dim, span=whole.span)
    return weight * own_weight * moved.gain, (shift,)


def _fused(left: Kernel, right: Kernel) -> Kernel | None:
    """The catalogue kernel equal to the product of two, if there is one."""
    if isinstance(left, Stationary) and isinstance(right, Stationary):
        return left.fuse(right)
    if isinstance(left, InnerProduct) and left == right and left.of_signs:
        return one(left.dim, left.span)
    inner = left.base if isinstance(left, Select) else left
    if isinstance(inner, Leaf) and inner.compares_categories and isinstance(left.dim, int):
        other = right.base if isinstance(right, Select) else right
        has_one_on_diagonal = isinstance(other, Stationary) or other == inner
        return left if has_one_on_diagonal and columns_of(right) <= columns_of(left) else None
    for kind in (Select, Stretch):
        if isinstance(left, kind) and isinstance(right, kind) and _place(left) == _place(right):
            joint = _fused(left.base, right.base)
            return None if joint is None else _placed(left, joint)
    return None


def _place(kernel: Select | Stretch) -> object:
    return kernel.positions if isinstance(kernel, Select) else kernel.matrix
