"""Operators between kernels, the canonical form of sums, and the bounds on what elaboration makes."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from operator import add as plus
from operator import mul as times
from operator import sub as minus
from operator import truediv as over
from typing import Any, TypeVar

from kernelspec.elaboration.arithmetic import Arithmetic, range_text
from kernelspec.elaboration.column_functions import PullBack, pulled_back
from kernelspec.elaboration.scope import Columns, Definitions, Elaborator
from kernelspec.elaboration.selections import resolve
from kernelspec.errors import RangeError, TypeMismatchError
from kernelspec.expressions.arguments import Scalar, declared
from kernelspec.expressions.elementary import known_sign
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf, is_one
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.sums_and_products import Additive, Power, Product, Sum
from kernelspec.language import nodes
from kernelspec.language.nodes import Expression
from kernelspec.limits import MAX_FACTORS, MAX_SIZE
from kernelspec.loading import Span, loaded

__all__ = [
    "add",
    "derived",
    "factor_count",
    "is_zero",
    "multiply",
    "power",
    "require_few_factors",
    "scaled",
    "select",
    "weighted_sum",
    "weighted_terms",
    "without_noise",
]


def require_few_factors(factors: Sequence[Kernel], exponent: int, node: Expression) -> None:
    """Raise RangeError if the product of these factors to a whole power has more than MAX_FACTORS factors."""
    count = exponent * sum(map(factor_count, factors))
    if count > MAX_FACTORS:
        raise RangeError(
            f"this product has {count:,} factors, counting powers and every use of a let; at most {MAX_FACTORS:,} are "
            "allowed",
            node.span,
        )


def factor_count(kernel: Kernel) -> int:
    """The largest number of factors in a sample; a sum has that of its largest term."""
    largest: dict[int, int] = {}
    pending: list[tuple[Kernel, bool]] = [(kernel, False)]
    while pending:
        current, ready = pending.pop()
        children = list(current.children())
        if not ready:
            if id(current) not in largest:
                pending.append((current, True))
                pending.extend((child, False) for child in children)
            continue
        counts = [largest[id(child)] for child in children]
        joined = sum(counts) if isinstance(current, Product) else max(counts, default=1)
        if isinstance(current, Additive):
            joined = current.order * factor_count(current.base)
        largest[id(current)] = joined * (current.exponent if isinstance(current, Power) else 1)
    return largest[id(kernel)]


K = TypeVar("K", bound=Kernel | None)


def derived(make: Callable[[], K], arithmetic: Arithmetic, span: Span | None) -> K:
    """The kernel made of others, or None if `make` makes none.

    Raises RangeError if an argument of a leaf becomes too large or too small: stated arguments are checked where they
    are written, but their powers and quotients may be any number.
    """
    try:
        kernel = make()
    except OverflowError:
        raise RangeError("an argument of the resulting kernel is too large or too small for a float", span) from None
    for part in kernel.parts() if kernel is not None else ():
        if isinstance(part, Leaf):
            _check(part, part.name, arithmetic, span)
    return kernel


def _check(stated: Any, name: str, arithmetic: Arithmetic, span: Span | None) -> None:
    for key, (argument, _) in declared(type(stated)).items():
        value = getattr(stated, key)
        if argument.kind == "distribution":
            _check(value, name, arithmetic, span)
        elif argument.kind in ("number", "vector") and value is not None:
            for entry in value if isinstance(value, tuple) else (value,):
                known = arithmetic.known(entry)
                if known is not None and not argument.is_reckoned_with(known):
                    raise RangeError(range_text(f"'{key}' of this {name}()", known), span)


def weighted_sum(terms: Sequence[tuple[Scalar, Kernel]], columns: Columns, span: Span | None) -> Kernel:
    """Σ w k with nested sums flattened, equal kernels merged and zero terms dropped; a lone k of weight 1 stays itself.

    Raises RangeError for a weight that is too large, as k(0)^d of a formula may be.
    """
    collected: dict[Any, tuple[Kernel, list[Scalar]]] = {}
    flat = [(_product(weight, own, span), term) for weight, kernel in terms for own, term in weighted_terms(kernel)]
    for weight, term in flat:  # a lone term needs no hash, which takes long for tables of quantiles
        collected.setdefault(_identity(term) if len(flat) > 1 else None, (term, []))[1].append(weight)
    totals = [(_total(weights), term) for term, weights in collected.values()]
    kept = [(weight, term) for weight, term in totals if weight != 0]
    if len(kept) == 1 and kept[0][0] == 1:
        return kept[0][1]
    return Sum(
        terms=tuple(term for _, term in kept),
        # NumPy would make object arrays of fractions times arrays, a hundred times slower
        weights=tuple(float(weight) if isinstance(weight, Fraction) else weight for weight, _ in kept),
        dim=columns.dim,
        span=span,
    )


def weighted_terms(kernel: Kernel) -> list[tuple[Scalar, Kernel]]:
    """A kernel as a list of (weight, kernel)."""
    return list(zip(kernel.weights, kernel.terms, strict=True)) if isinstance(kernel, Sum) else [(1, kernel)]


def is_zero(kernel: Kernel) -> bool:
    """Whether the kernel is the empty sum."""
    return isinstance(kernel, Sum) and not kernel.terms


def without_noise(kernel: Kernel) -> tuple[Kernel, Scalar]:
    """A sum without its term v·noise(), and v, the variance of observation noise, or 0.

    noise() alone, inside a selection or product, or subtracted stays the kernel of equal rows.
    """
    found = [(weight, term) for weight, term in weighted_terms(kernel) if _is_noise(term) and known_sign(weight) != -1]
    if not found or not isinstance(kernel, Sum) or len(kernel.terms) == 1:
        return kernel, 0
    rest = [own for own in weighted_terms(kernel) if own not in found]
    variance = found[0][0]  # terms of a sum are distinct
    if len(rest) == 1 and rest[0][0] == 1:
        return rest[0][1], variance
    return replace(kernel, terms=tuple(term for _, term in rest), weights=tuple(w for w, _ in rest)), variance


def _is_noise(kernel: Kernel) -> bool:
    return isinstance(kernel, Leaf) and kernel.is_noise


def scaled(kernel: Kernel) -> tuple[Scalar, Kernel]:
    """A kernel as weight times kernel."""
    if isinstance(kernel, Sum) and len(kernel.terms) == 1:
        return kernel.weights[0], kernel.terms[0]
    return 1, kernel


def _identity(kernel: Kernel) -> Any:
    """The key by which terms of a sum are merged: the order of factors does not matter."""
    return frozenset(Counter(kernel.factors).items()) if isinstance(kernel, Product) else kernel


def _product(weight: Scalar, own: Scalar, span: Span | None) -> Scalar:
    try:
        found: Scalar = weight * own
    except OverflowError:  # of a float and a fraction
        found = math.inf
    # NaN stands for an unknown weight
    if isinstance(found, int | float | Fraction) and (found > MAX_SIZE or found < -MAX_SIZE):
        raise RangeError(f"the weight of a term exceeds {MAX_SIZE:g}, the largest number in a kernel", span)
    return found


def _total(weights: Sequence[Scalar]) -> Scalar:
    """The sum of the weights, 0 if floats cancel up to the rounding of 0.1 + 0.2 − 0.3."""
    total = sum(weights[1:], weights[0])
    noise = len(weights) * sys.float_info.epsilon * sum(abs(w) for w in weights) if isinstance(total, float) else 0
    return 0 if len(weights) > 1 and isinstance(total, float) and abs(total) <= noise else total


def add(elaborator: Elaborator, node: nodes.Sum, columns: Columns, scope: Definitions) -> Any:
    """A sum of kernels, or of numbers."""
    values = [elaborator.value(term, columns, scope) for term in node.terms]
    operators = ("+", *node.operators)
    if any(isinstance(value, Kernel) for value in values):
        terms = []
        for value, term, operator in zip(values, node.terms, operators, strict=True):
            if not isinstance(value, Kernel):
                raise TypeMismatchError(_no_kernel(value), term.span)
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
                raise TypeMismatchError("cannot divide by a kernel: only a number can follow '/'", factor.span)
            kernels.append(value)
        else:
            value = elaborator.number(value, factor)
            number = elaborator.compute(partial(times if operator == "*" else over, number, value), node)
    if not kernels:
        return number
    weight = elaborator.argument(number, node, "the weight")
    factors: list[Kernel] = []
    for kernel in kernels:
        own, base = scaled(kernel)
        weight = elaborator.argument(elaborator.compute(partial(times, weight, own), node), node, "the weight")
        factors += base.factors if isinstance(base, Product) else [base]
    if any(is_zero(factor) for factor in factors):
        return weighted_sum([], columns, node.span)
    factors = [factor for factor in factors if not is_one(factor)] or factors[:1]
    require_few_factors(factors, 1, node)
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
    weight, base = scaled(base)
    size = elaborator.arithmetic.known(weight)
    whole = known is not None and known == int(known) and 1 <= known <= Power.largest
    leaves = [part for part in base.parts() if isinstance(part, Leaf)]
    # a whole power is that many independent draws, but of Gaussian kernels, whose frequencies add up to one draw
    closes = all(leaf.powers_are_one_draw for leaf in leaves) if whole else known is None or known > 0
    closed = None
    if closes:
        share = elaborator.argument(exponent, node.exponent, "the exponent")
        closed = derived(lambda: _raised(base, share), elaborator.arithmetic, node.span)
    if not whole and (closed is None or (size is not None and size <= 0)):
        allowed = f"a whole number from 1 to {Power.largest}"
        if (size is None or size > 0) and _raised(base, elaborator.constant(1)) is not None:
            allowed = "a number greater than 0"
        shown = "a symbol" if known is None else f"{known:g}"
        raise RangeError(f"the power of this kernel must be {allowed}, not {shown}", node.exponent.span)
    if size != 1:
        power_of_weight = exponent if known is None or not whole else elaborator.constant(int(known))
        raised = elaborator.compute(partial(elaborator.arithmetic.power, weight, power_of_weight), node)
        weight = elaborator.argument(raised, node, "the weight")
    if closed is None and not is_zero(base) and known != 1:
        require_few_factors([base], int(known or 1), node)
        closed = Power(base=base, exponent=int(known or 1), dim=columns.dim, span=node.span)
    return weighted_sum([(weight, closed or base)], columns, node.span)


def select(elaborator: Elaborator, node: nodes.Select, columns: Columns, scope: Definitions) -> Kernel:
    """The kernel on the selected columns, which are all that it sees; a selection of a selection is one."""
    sources, inner = resolve(elaborator, node, columns, scope)
    weight, base = scaled(elaborator.kernel(node.base, inner, scope))
    if is_zero(base):
        return weighted_sum([], columns, node.span)
    if is_one(base):
        return weighted_sum([(weight, replace(base, dim=columns.dim))], columns, node.span)
    positions = tuple(source for source in sources if isinstance(source, int))
    if len(positions) < len(sources):
        mapped = pulled_back(elaborator, base, sources, columns, node.span)
        return weighted_sum([(weight, mapped)], columns, node.span)
    if isinstance(base, Select) and not elaborator.checking:
        positions = tuple(positions[i] for i in base.positions)
        base = base.base
    moves = len(positions) != columns.count or positions != tuple(range(len(positions)))
    if moves or any(_is_noise(term) for _, term in weighted_terms(base)):
        base = Select(base=base, positions=positions, dim=columns.dim, span=node.span)
    return weighted_sum([(weight, base)], columns, node.span)


def _no_kernel(value: Any) -> str:
    """Why something cannot be added to a kernel, in words."""
    if isinstance(value, loaded("kernelspec.elaboration.forms.grids:Grid")):
        return "cannot add a grid to a kernel: turn it into a kernel with full(…, input=…)"
    if isinstance(value, tuple):
        return "cannot add a vector to a kernel"
    shown = f"{float(value):g}" if isinstance(value, Fraction | int | float) and value > 0 else "2"
    return f"cannot add a number to a kernel: for a kernel that is {shown} everywhere, write {shown}*constant()"


def _raised(kernel: Kernel, exponent: Scalar) -> Kernel | None:
    """A kernel to a positive real power where the catalogue has it in closed form."""
    if isinstance(kernel, Leaf):
        return kernel.raised(exponent)
    if isinstance(kernel, Select | Stretch | PullBack):
        inner = _raised(kernel.base, exponent)
        return None if inner is None else replace(kernel, base=inner)
    if isinstance(kernel, Product):
        factors = [_raised(factor, exponent) for factor in kernel.factors]
        kept = tuple(factor for factor in factors if factor is not None)
        return replace(kernel, factors=kept) if len(kept) == len(factors) else None
    return None
