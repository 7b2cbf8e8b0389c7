"""Sums, products, powers, selections, stretches: kernels made from kernels, in a canonical form.

Sums and products are flat; weights are collected; equal terms are merged, so that k − k is the zero kernel.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from operator import add as plus
from operator import mul as times
from operator import sub as minus
from operator import truediv as over
from typing import TYPE_CHECKING, Any

from kernelspec.analysis.binding import match_arguments, vector_entries
from kernelspec.analysis.scope import Columns, Definitions
from kernelspec.analysis.selecting import resolve
from kernelspec.analysis.vocabulary import COMPOSITES
from kernelspec.errors import ArgumentError, DimensionError, RangeError, TypeMismatchError
from kernelspec.kernels.arguments import Scalar
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf, Stationary
from kernelspec.kernels.power import Power
from kernelspec.kernels.product import Product
from kernelspec.kernels.select import Select
from kernelspec.kernels.stretch import Stretch
from kernelspec.kernels.sum import Sum
from kernelspec.language import nodes

if TYPE_CHECKING:
    from kernelspec.analysis.elaborate import Elaborator
    from kernelspec.language.source import Span

__all__ = ["CALLS", "add", "multiply", "power", "select", "weighted_sum"]


def weighted_sum(terms: Sequence[tuple[Scalar, Kernel]], columns: Columns, span: Span) -> Kernel:
    """Σ w k with nested sums flattened, equal kernels merged and zero terms dropped; a lone k of weight 1 is itself."""
    collected: dict[Any, tuple[Kernel, list[Scalar]]] = {}
    for weight, kernel in terms:
        inner = zip(kernel.weights, kernel.terms, strict=True) if isinstance(kernel, Sum) else [(1, kernel)]
        for own, term in inner:
            collected.setdefault(_identity(term), (term, []))[1].append(weight * own)
    totals = [(_total(weights), term) for term, weights in collected.values()]
    kept = [(weight, term) for weight, term in totals if weight != 0]
    if len(kept) == 1 and kept[0][0] == 1:
        return kept[0][1]
    return Sum(
        terms=tuple(term for _, term in kept),
        weights=tuple(weight for weight, _ in kept),
        dim=columns.dim,
        span=span,
    )


def add(elaborator: Elaborator, node: nodes.Sum, columns: Columns, scope: Definitions) -> Any:
    """A sum of kernels, or of numbers; never of both."""
    values = [elaborator.value(term, columns, scope) for term in node.terms]
    operators = ("+", *node.operators)
    if any(isinstance(value, Kernel) for value in values):
        terms = []
        for value, term, operator in zip(values, node.terms, operators, strict=True):
            if not isinstance(value, Kernel):
                raise TypeMismatchError(
                    "a number cannot be added to a kernel (a constant is no kernel of the language)", term.span
                )
            terms.append((elaborator.constant(1 if operator == "+" else -1), value))
        return weighted_sum(terms, columns, node.span)
    total = elaborator.number(values[0], node.terms[0])
    for value, term, operator in zip(values[1:], node.terms[1:], node.operators, strict=True):
        step = plus if operator == "+" else minus
        total = elaborator.compute(partial(step, total, elaborator.number(value, term)), node)
    return total


def multiply(elaborator: Elaborator, node: nodes.Product, columns: Columns, scope: Definitions) -> Any:
    """A product of kernels and numbers; only numbers divide."""
    number: Scalar = elaborator.arithmetic.literal(Fraction(1))
    kernels: list[Kernel] = []
    for factor, operator in zip(node.factors, ("*", *node.operators), strict=True):
        value = elaborator.value(factor, columns, scope)
        if isinstance(value, Kernel):
            if operator == "/":
                raise TypeMismatchError("a kernel cannot divide: only a number stands after '/'", factor.span)
            kernels.append(value)
        else:
            value = elaborator.number(value, factor)
            number = elaborator.compute(partial(times if operator == "*" else over, number, value), node)
    if not kernels:
        return number
    weight = elaborator.arithmetic.argument(number)
    factors: list[Kernel] = []
    for kernel in kernels:
        own, base = _scaled(kernel)
        weight = elaborator.compute(partial(times, weight, own), node)
        factors += base.factors if isinstance(base, Product) else [base]
    if any(_is_zero(factor) for factor in factors):
        return weighted_sum([], columns, node.span)
    product = factors[0] if len(factors) == 1 else Product(factors=tuple(factors), dim=columns.dim, span=node.span)
    return weighted_sum([(weight, product)], columns, node.span)


def power(elaborator: Elaborator, node: nodes.Power, columns: Columns, scope: Definitions) -> Any:
    """k ** n: n independent draws; a real power where the catalogue has it in closed form; or a power of numbers."""
    base = elaborator.value(node.base, columns, scope)
    exponent = elaborator.number(elaborator.value(node.exponent, columns, scope), node.exponent, "the exponent")
    if not isinstance(base, Kernel):
        base = elaborator.number(base, node.base)
        return elaborator.compute(lambda: elaborator.arithmetic.power(base, exponent), node)
    known = elaborator.arithmetic.known(exponent)
    if known is None and elaborator.checking:
        return base
    weight, base = _scaled(base)
    size = elaborator.arithmetic.known(weight)
    closed = _raised(base, elaborator.arithmetic.argument(exponent)) if known is None or known > 0 else None
    whole = known is not None and known == int(known) and 1 <= known <= Power.largest
    if not whole and (closed is None or (size is not None and size <= 0)):
        allowed = f"a whole number from 1 to {Power.largest}"
        if (size is None or size > 0) and _raised(base, elaborator.constant(1)) is not None:
            allowed = "a number greater than 0"
        shown = "a symbol" if known is None else f"{known:g}"
        raise RangeError(f"the power of this kernel must be {allowed}, not {shown}", node.exponent.span)
    if size != 1:
        share = exponent if known is None or not whole else elaborator.constant(int(known))
        weight = elaborator.compute(partial(elaborator.arithmetic.power, weight, share), node)
    if closed is None and not _is_zero(base) and known != 1:
        closed = Power(base=base, exponent=int(known or 1), dim=columns.dim, span=node.span)
    return weighted_sum([(weight, closed or base)], columns, node.span)


def select(elaborator: Elaborator, node: nodes.Select, columns: Columns, scope: Definitions) -> Kernel:
    """The kernel on the selected columns, which are all that it sees; a selection of a selection is one."""
    positions, inner = resolve(node, columns, elaborator.checking)
    weight, base = _scaled(elaborator.kernel(node.base, inner, scope))
    if _is_zero(base):
        return weighted_sum([], columns, node.span)
    if isinstance(base, Select) and not elaborator.checking:
        positions = tuple(positions[i] for i in base.positions)
        base = base.base
    if positions != tuple(range(columns.count or 0)):
        base = Select(base=base, positions=positions, dim=columns.dim, span=node.span)
    return weighted_sum([(weight, base)], columns, node.span)


def _is_zero(kernel: Kernel) -> bool:
    return isinstance(kernel, Sum) and not kernel.terms


def _identity(kernel: Kernel) -> Any:
    """What makes two terms of a sum one: the order of the factors of a product does not matter."""
    return frozenset(Counter(kernel.factors).items()) if isinstance(kernel, Product) else kernel


def _total(weights: Sequence[Scalar]) -> Scalar:
    """The sum of the weights; zero where floats cancel up to the rounding of 0.1 + 0.2 − 0.3."""
    total = sum(weights[1:], weights[0])
    noise = len(weights) * sys.float_info.epsilon * sum(abs(w) for w in weights) if isinstance(total, float) else 0
    return 0 if len(weights) > 1 and isinstance(total, float) and abs(total) <= noise else total


def _raised(kernel: Kernel, exponent: Scalar) -> Kernel | None:
    """A kernel to a positive real power where the catalogue has it in closed form."""
    if isinstance(kernel, Stationary):
        return kernel.raised(exponent)
    if isinstance(kernel, Select | Stretch):
        inner = _raised(kernel.base, exponent)
        return None if inner is None else replace(kernel, base=inner)
    if isinstance(kernel, Product):
        factors = [_raised(factor, exponent) for factor in kernel.factors]
        kept = tuple(factor for factor in factors if factor is not None)
        return replace(kernel, factors=kept) if len(kept) == len(factors) else None
    return None


def _scaled(kernel: Kernel) -> tuple[Scalar, Kernel]:
    """A kernel as weight times kernel."""
    if isinstance(kernel, Sum) and len(kernel.terms) == 1:
        return kernel.weights[0], kernel.terms[0]
    return 1, kernel


def _mean(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    if node.keywords or not node.positional:
        raise ArgumentError("mean() takes kernels, one or more: mean(k1, k2, …)", node.span)
    share = elaborator.arithmetic.argument(elaborator.arithmetic.literal(Fraction(1, len(node.positional))))
    terms = [(share, elaborator.kernel(part, columns, scope)) for part in node.positional]
    return weighted_sum(terms, columns, node.span)


def _arguments(node: nodes.Call) -> tuple[nodes.Expression, ...]:
    names = COMPOSITES[node.function]
    shown = f"{node.function}({', '.join(names)})"
    given = match_arguments(node, list(names), shown)
    for name in names:
        if name not in given:
            raise ArgumentError(f"{node.function}() needs the argument '{name}': {shown}", node.span)
    return tuple(given[name] for name in names)


def _normalize(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    (inner,) = _arguments(node)
    kernel = elaborator.kernel(inner, columns, scope)
    size = kernel.diagonal()
    known = elaborator.arithmetic.known(size)
    if known is not None and known <= 0:
        raise RangeError(f"normalize() divides by k(x, x), which is {known:g} here: it must be positive", inner.span)
    share = elaborator.compute(partial(over, elaborator.constant(1), size), node)
    return weighted_sum([(share, kernel)], columns, node.span)


def _modulate(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    from kernelspec.kernels.cosine import Cosine

    inner, by = _arguments(node)
    kernel = elaborator.kernel(inner, columns, scope)
    _refuse_categories(kernel, node)
    entries = vector_entries(elaborator, elaborator.value(by, columns, scope), by, columns, "'by' of modulate()")
    weight, base = _scaled(kernel)
    if _is_zero(base):
        return kernel
    factors = base.factors if isinstance(base, Product) else (base,)
    wave = Cosine(by=entries, dim=columns.dim, span=node.span)
    product = Product(factors=(*factors, wave), dim=columns.dim, span=node.span)
    return weighted_sum([(weight, product)], columns, node.span)


def _stretch(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    inner, by = _arguments(node)
    where = "'by' of stretch()"
    value = elaborator.value(by, columns, scope)
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        matrix, seen = _matrix(elaborator, value, by, columns), Columns(len(value))
        kernel = elaborator.kernel(inner, seen, scope)
    else:
        kernel = elaborator.kernel(inner, columns, scope)
        scales = value if isinstance(value, tuple) else (elaborator.number(value, by, where),)
        for scale in scales:
            known = elaborator.arithmetic.known(scale)
            if known is not None and known <= 0:
                raise RangeError(f"{where} must be greater than 0, not {known:g}", by.span)
        one = elaborator.constant(1)
        if isinstance(value, tuple):
            matrix = tuple(one / s for s in vector_entries(elaborator, value, by, columns, where))
        else:
            matrix = one / elaborator.arithmetic.argument(value)
    _refuse_categories(kernel, node)
    weight, base = _scaled(kernel)
    stretched = base if _is_zero(base) else Stretch(base=base, matrix=matrix, dim=columns.dim, span=node.span)
    return weighted_sum([(weight, stretched)], columns, node.span)


def _matrix(elaborator: Elaborator, value: Any, node: nodes.Expression, columns: Columns) -> tuple[Any, ...]:
    widths = {len(row) if isinstance(row, tuple) else None for row in value}
    if len(widths) > 1 or None in widths:
        raise DimensionError("the rows of the matrix differ in length", node.span)
    (width,) = widths
    if columns.count is not None and width != columns.count:
        raise DimensionError(f"the matrix of stretch() has {width} columns for {columns.counted()} of data", node.span)
    if columns.count is None and not elaborator.checking:
        raise DimensionError("stretch() by a matrix needs the number of columns: give dim= or columns=", node.span)
    return tuple(tuple(elaborator.arithmetic.argument(entry) for entry in row) for row in value)


def _refuse_categories(kernel: Kernel, node: nodes.Call) -> None:
    pending = [kernel]
    while pending:
        part = pending.pop()
        if isinstance(part, Leaf) and part.compares_categories:
            raise TypeMismatchError(
                f"{node.function}() acts on differences, and {part} compares categories: apply it to the other factors",
                node.span,
            )
        pending.extend(part.children())


CALLS: Mapping[str, Callable[[Elaborator, nodes.Call, Columns, Definitions], Kernel]] = {
    "mean": _mean,
    "stretch": _stretch,
    "modulate": _modulate,
    "normalize": _normalize,
}
