"""Operators between kernels: sum, product, power, selection."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from operator import add as plus
from operator import mul as times
from operator import sub as minus
from operator import truediv as over
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.canonical import is_zero, scaled, weighted_sum
from kernelspec.elaboration.derived_arguments import derived
from kernelspec.elaboration.factor_count import require_few_factors
from kernelspec.elaboration.grid import Grid
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.elaboration.selections import resolve
from kernelspec.errors import RangeError, TypeMismatchError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.leaves.constant import Constant
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.nodes.power import Power
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.stretch import Stretch
from kernelspec.language import nodes
from kernelspec.notation.arguments import Scalar

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator

__all__ = ["add", "multiply", "power", "select"]


def add(elaborator: Elaborator, node: nodes.Sum, columns: Columns, scope: Definitions) -> Any:
    """A sum of kernels, or of numbers; never of both."""
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
                raise TypeMismatchError("a kernel cannot divide: only a number stands after '/'", factor.span)
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
    factors = [factor for factor in factors if not isinstance(factor, Constant)] or factors[:1]
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
    closes = all(isinstance(leaf, Gaussian | Constant) for leaf in leaves) if whole else known is None or known > 0
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
    positions, inner = resolve(elaborator, node, columns)
    weight, base = scaled(elaborator.kernel(node.base, inner, scope))
    if is_zero(base):
        return weighted_sum([], columns, node.span)
    if isinstance(base, Constant):
        return weighted_sum([(weight, replace(base, dim=columns.dim))], columns, node.span)
    if isinstance(base, Select) and not elaborator.checking:
        positions = tuple(positions[i] for i in base.positions)
        base = base.base
    if len(positions) != columns.count or positions != tuple(range(len(positions))):
        base = Select(base=base, positions=positions, dim=columns.dim, span=node.span)
    return weighted_sum([(weight, base)], columns, node.span)


def _no_kernel(value: Any) -> str:
    """Why something cannot be added to a kernel, in words."""
    if isinstance(value, Grid):
        return "a grid cannot be added to a kernel: full(…, input=…) makes a kernel of it"
    if isinstance(value, tuple):
        return "a vector cannot be added to a kernel"
    return "a number cannot be added to a kernel: 2*constant() is the kernel that is 2 everywhere"


def _raised(kernel: Kernel, exponent: Scalar) -> Kernel | None:
    """A kernel to a positive real power where the catalogue has it in closed form."""
    if isinstance(kernel, Leaf):
        return kernel.raised(exponent)
    if isinstance(kernel, Select | Stretch):
        inner = _raised(kernel.base, exponent)
        return None if inner is None else replace(kernel, base=inner)
    if isinstance(kernel, Product):
        factors = [_raised(factor, exponent) for factor in kernel.factors]
        kept = tuple(factor for factor in factors if factor is not None)
        return replace(kernel, factors=kept) if len(kept) == len(factors) else None
    return None
