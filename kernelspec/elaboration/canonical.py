"""The canonical form of sums: flat, weights collected, equal terms merged, so that k − k is the zero kernel."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.scope import Columns
from kernelspec.errors import RangeError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.limits import MAX_SIZE
from kernelspec.notation.arguments import Scalar

if TYPE_CHECKING:
    from kernelspec.source import Span

__all__ = ["is_zero", "scaled", "weighted_sum", "weighted_terms"]


def weighted_sum(terms: Sequence[tuple[Scalar, Kernel]], columns: Columns, span: Span | None) -> Kernel:
    """Σ w k with nested sums flattened, equal kernels merged and zero terms dropped; a lone k of weight 1 is itself.

    Raises RangeError for a weight that has become too large to reckon with, as a formula's k(0)^d may.
    """
    collected: dict[Any, tuple[Kernel, list[Scalar]]] = {}
    for weight, kernel in terms:
        for own, term in weighted_terms(kernel):
            collected.setdefault(_identity(term), (term, []))[1].append(_product(weight, own, span))
    totals = [(_total(weights), term) for term, weights in collected.values()]
    kept = [(weight, term) for weight, term in totals if weight != 0]
    if len(kept) == 1 and kept[0][0] == 1:
        return kept[0][1]
    return Sum(
        terms=tuple(term for _, term in kept),
        # of fractions times arrays NumPy makes arrays of objects, a hundred times as slow
        weights=tuple(float(weight) if isinstance(weight, Fraction) else weight for weight, _ in kept),
        dim=columns.dim,
        span=span,
    )


def weighted_terms(kernel: Kernel) -> list[tuple[Scalar, Kernel]]:
    """A kernel as a sum of weights times kernels: one of weight 1 where it is no sum."""
    return list(zip(kernel.weights, kernel.terms, strict=True)) if isinstance(kernel, Sum) else [(1, kernel)]


def is_zero(kernel: Kernel) -> bool:
    """Whether the kernel is the empty sum."""
    return isinstance(kernel, Sum) and not kernel.terms


def scaled(kernel: Kernel) -> tuple[Scalar, Kernel]:
    """A kernel as weight times kernel."""
    if isinstance(kernel, Sum) and len(kernel.terms) == 1:
        return kernel.weights[0], kernel.terms[0]
    return 1, kernel


def _identity(kernel: Kernel) -> Any:
    """What makes two terms of a sum one: the order of the factors of a product does not matter."""
    return frozenset(Counter(kernel.factors).items()) if isinstance(kernel, Product) else kernel


def _product(weight: Scalar, own: Scalar, span: Span | None) -> Scalar:
    try:
        found: Scalar = weight * own
    except OverflowError:  # of a float and a fraction
        found = math.inf
    # NaN stands for a weight yet to be given
    if isinstance(found, int | float | Fraction) and (found > MAX_SIZE or found < -MAX_SIZE):
        raise RangeError(f"the weight of a term is beyond {MAX_SIZE:g}, the largest number kernels are made of", span)
    return found


def _total(weights: Sequence[Scalar]) -> Scalar:
    """The sum of the weights; zero where floats cancel up to the rounding of 0.1 + 0.2 − 0.3."""
    total = sum(weights[1:], weights[0])
    noise = len(weights) * sys.float_info.epsilon * sum(abs(w) for w in weights) if isinstance(total, float) else 0
    return 0 if len(weights) > 1 and isinstance(total, float) and abs(total) <= noise else total
