"""Sums, products, powers, selections, stretches: kernels made from kernels, in a canonical form.

Sums and products are flat; weights are collected; equal terms are merged, so that k − k is the zero kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    collected: dict[Kernel, Scalar] = {}
    for weight, kernel in terms:
        inner = zip(kernel.weights, kernel.terms, strict=True) if isinstance(kernel, Sum) else [(1, kernel)]
        for own, term in inner:
            collected[term] = collected.get(term, 0) + weight * own
    kept = [(weight, term) for term, weight in collected.items() if weight != 0]
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
                raise TypeMismatchError("a kernel cannot divide", factor.span)
            kernels.append(value)
        else:
            value = elaborator.number(value, factor)
            number = elaborator.compute(partial(times if operator == "*" else over, number, value), node)
    if not kernels:
        return number
    weight, factors = elaborator.arithmetic.argument(number), []
    for kernel in kernels:
        own, kernel = _scaled(kernel)
        weight = weight * own
        factors += kernel.factors if isinstance(kernel, Product) else [kernel]
    if any(isinstance(factor, Sum) and not factor.terms for factor in factors):
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
    if isinstance(base, Stationary) and (known is None or known > 0):
        raised = base.raised(elaborator.arithmetic.argument(exponent))
        if raised is not None:
            return raised
    if known is None or known != int(known) or not 1 <= known <= Power.largest:
        shown = "a symbol" if known is None else f"{known:g}"
        raise RangeError(
            f"the power of this kernel must be a whole number from 1 to {Power.largest}, not {shown}",
            node.exponent.span,
        )
    n = int(known)
    weight, base = _scaled(base)
    if n == 1 or (isinstance(base, Sum) and not base.terms):
        return weighted_sum([(weight**n, base)], columns, node.span)
    raised_kernel = Power(base=base, exponent=n, dim=columns.dim, span=node.span)
    return weighted_sum([(weight**n, raised_kernel)], columns, node.span)


def select(elaborator: Elaborator, node: nodes.Select, columns: Columns, scope: Definitions) -> Kernel:
    """The kernel on the selected columns, which are all that it sees."""
    positions, inner = resolve(node, columns, elaborator.checking)
    base = elaborator.kernel(node.base, inner, scope)
    return Select(base=base, positions=positions, dim=columns.dim, span=node.span)


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
    given = match_arguments(node, list(names), f"{node.function}({', '.join(names)})")
    for name in names:
        if name not in given:
            raise ArgumentError(f"{node.function}() needs the argument '{name}'", node.span)
    return tuple(given[name] for name in names)


def _normalize(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    (inner,) = _arguments(node)
    kernel = elaborator.kernel(inner, columns, scope)
    size = kernel.diagonal()
    known = elaborator.arithmetic.known(size)
    if known is not None and known <= 0:
        raise RangeError(f"normalize() divides by k(x, x), which is {known:g} here: it must be positive", inner.span)
    return weighted_sum([(1 / size, kernel)], columns, node.span)


def _modulate(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    from kernelspec.kernels.cosine import Cosine

    inner, by = _arguments(node)
    kernel = elaborator.kernel(inner, columns, scope)
    _refuse_categories(kernel, node)
    entries = vector_entries(elaborator, elaborator.value(by, columns, scope), by, columns, "'by' of modulate()")
    weight, base = _scaled(kernel)
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
    return weighted_sum([(weight, Stretch(base=base, matrix=matrix, dim=columns.dim, span=node.span))], columns, node.span)


def _matrix(elaborator: Elaborator, value: Any, node: nodes.Expression, columns: Columns) -> tuple[Any, ...]:
    widths = {len(row) if isinstance(row, tuple) else None for row in value}
    if len(widths) > 1 or None in widths:
        raise DimensionError("the rows of the matrix differ in length", node.span)
    (width,) = widths
    if columns.count is not None and width != columns.count:
        raise DimensionError(f"the matrix of stretch() has {width} columns for {columns.count} columns of data", node.span)
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
