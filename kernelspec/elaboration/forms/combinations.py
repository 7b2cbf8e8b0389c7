"""Forms that combine or change kernels: mean, additive, each, normalize, dual and layer."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from operator import truediv
from typing import Any

from kernelspec.activations.activation import Activation
from kernelspec.elaboration.call_arguments import match_arguments, require_arguments
from kernelspec.elaboration.column_functions import PullBack
from kernelspec.elaboration.forms.form import Form, arguments_of, require_given_columns, whole_number
from kernelspec.elaboration.forms.grids import Grid, grid_of, mean_of, mean_size
from kernelspec.elaboration.operators import is_zero, require_few_factors, scaled, weighted_sum
from kernelspec.elaboration.scope import Columns, Definitions, Elaborator
from kernelspec.errors import ArgumentError, DimensionError, RangeError
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.elementary import is_integral, known_number
from kernelspec.kernels.kernel import Kernel, all_parts
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.sums_and_products import Additive, Power, Product, Sum, one
from kernelspec.kernels.parts import written_out
from kernelspec.language import nodes
from kernelspec.loading import suggest, sympy

__all__ = ["ADDITIVE", "DUAL", "EACH", "LAYER", "MEAN", "NORMALIZE"]


def _mean(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel | Grid:
    if node.keywords or not node.positional:
        raise ArgumentError("mean() needs one or more kernels: mean(k1, k2, …)", node.span)
    written, *others = node.positional
    first = elaborator.value(written, columns, scope)
    if isinstance(first, Grid):
        grids = [first, *(grid_of(elaborator, part, columns, scope, "this part of the mean") for part in others)]
        elaborator.counts.count_kernels(mean_size(grids), node)
        try:
            return mean_of(grids)
        except ValueError as error:
            raise DimensionError(f"mean() needs grids of one shape over one image: {error}", node.span) from None
    kernels = [elaborator.as_kernel(first, written), *(elaborator.kernel(part, columns, scope) for part in others)]
    share = elaborator.constant(Fraction(1, len(kernels)))
    return weighted_sum([(share, kernel) for kernel in kernels], columns, node.span)


MEAN = Form("mean(k1, k2, …)", "average of kernels, or of grids of one shape: a grid again", _mean)


def _additive(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    given = match_arguments(node, ["kernel", "order"], ADDITIVE.signature)
    require_arguments(node, given, ("kernel",), ADDITIVE.signature)
    order: int | None = 2
    if "order" in given:
        order = whole_number(elaborator, given["order"], columns, scope, "'order' of additive()", 1)
    return _over_sets(elaborator, node, given["kernel"], order or 1, columns, scope)


def _each(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    (inner,) = arguments_of(node, "kernel")
    return _over_sets(elaborator, node, inner, 1, columns, scope)


def _over_sets(
    elaborator: Elaborator, node: nodes.Call, inner: nodes.Expression, order: int, columns: Columns, scope: Definitions
) -> Kernel:
    """The average over all sets of columns of a kernel on each. Raises DimensionError, RangeError."""
    require_given_columns(node, columns)
    weight, base = scaled(elaborator.kernel(inner, Columns(1), scope))
    elaborator.counts.count_kernels(order, node)
    if columns.count is None and not elaborator.checking:
        raise DimensionError(f"{node.function}() needs the number of columns: set dim= or columns=", node.span)
    if columns.count is not None and order > columns.count:
        raise DimensionError(f"cannot choose {order} of {columns.counted()}", node.span)
    if is_zero(base):
        return weighted_sum([], columns, node.span)
    require_few_factors([base], order, node)
    size = elaborator.compute(partial(elaborator.arithmetic.power, weight, elaborator.constant(order)), node)
    every = Additive(base=base, order=order, dim=columns.dim, span=node.span)
    made: Kernel = base if columns.count == 1 else every
    if columns.count not in (None, 1) and any(isinstance(part, PullBack) for part in all_parts(base)):
        elaborator.counts.count_kernels(order * math.comb(columns.count, order), node)
        terms = written_out(every).terms  # each column has functions of its own
        share = elaborator.constant(Fraction(1, len(terms)))
        made = weighted_sum([(share, term) for term in terms], columns, node.span)
    return weighted_sum([(elaborator.argument(size, node, "the weight"), made)], columns, node.span)


ADDITIVE = Form(
    "additive(kernel, order=2)",
    "average over all sets of `order` columns of the product of a kernel on each",
    _additive,
)

EACH = Form("each(kernel)", "average over the columns of a kernel on each: additive(kernel, order=1)", _each)


def _normalize(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    (inner,) = arguments_of(node, "kernel")
    kernel = elaborator.kernel(inner, columns, scope)
    if not kernel.has_constant_diagonal:
        return _normalized(kernel, node)
    size = _size(kernel)
    known = elaborator.arithmetic.known(size)
    if known is not None and known <= 0:
        raise RangeError(f"normalize() divides by k(x, x), which is {known:g} here: it must be positive", inner.span)
    share = elaborator.compute(partial(truediv, elaborator.constant(1), size), node)
    share = elaborator.argument(share, node, "1/k(x, x)")
    return weighted_sum([(share, kernel)], columns, node.span)


def _size(kernel: Kernel) -> Scalar:
    """k(x, x); a named symbolic function if it is an integral, which SymPy might evaluate forever."""
    size = kernel.diagonal()
    if not is_integral(size):
        return size
    return sympy.Function(f"size_of_{kernel}", real=True)(0)


def _normalized(kernel: Kernel, node: nodes.Call) -> Kernel:
    """The kernel divided by the root of its diagonal, which depends on x: factor by factor, linear() by directions.

    Raises RangeError for sums, and for kernels made of sums.
    """
    if kernel.has_constant_diagonal:
        size = _size(kernel)
        known = known_number(size)
        if known is not None and known <= 0:
            raise RangeError(
                f"normalize() divides by k(x, x), which is {known:g} for a factor: it must be positive", node.span
            )
        return kernel if size == 1 else _times(kernel, 1 / size)
    match kernel:
        case Leaf() if (found := kernel.normalized()) is not None:
            return found
        case Product():
            return replace(kernel, factors=tuple(_normalized(factor, node) for factor in kernel.factors))
        case Power() | Select() | PullBack():
            return replace(kernel, base=_normalized(kernel.base, node))
        case Sum(weights=(weight,)) if (known_number(weight) or 0) > 0:
            return _normalized(kernel.terms[0], node)
    raise RangeError(
        "normalize() of a kernel whose k(x, x) depends on x only works for linear(), its products and powers, "
        "not for sums or other functions: normalize the parts, as in normalize(linear()) + …",
        node.span,
    )


def _times(kernel: Kernel, weight: Any) -> Kernel:
    """The kernel times a number."""
    return Sum(terms=(kernel,), weights=(weight,), dim=kernel.dim, span=kernel.span)


NORMALIZE = Form("normalize(k)", "k(x, y) / √(k(x, x) k(y, y))", _normalize)


_DUAL_SHOWN = "dual(activation, kernel, max_degree=n)"
_LARGEST_CUT = 10_000
_ROUNDING = 1e-9
_LAST_BITS = 1e-14


def _dual(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    given = match_arguments(node, ["activation", "kernel", "max_degree"], _DUAL_SHOWN)
    require_arguments(node, given, ("activation", "kernel"), f"{_DUAL_SHOWN}, such as dual(relu, circle()[0])")
    activation = elaborator.activation(given["activation"], columns, scope)
    kernel = elaborator.kernel(given["kernel"], columns, scope)
    cut = _max_degree(elaborator, given["max_degree"], columns, scope) if "max_degree" in given else None
    return dual_of(elaborator, activation, kernel, columns, node, cut)


def _max_degree(elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions) -> int | None:
    return whole_number(elaborator, node, columns, scope, "'max_degree'", 0, _LARGEST_CUT)


def dual_of(
    elaborator: Elaborator,
    activation: Activation,
    kernel: Kernel,
    columns: Columns,
    node: nodes.Call,
    max_degree: int | None = None,
) -> Kernel:
    """σ̂(k). Raises RangeError if k may have values at which the power series of σ̂ diverges."""
    made = Dual(activation=activation, base=kernel, max_degree=max_degree, dim=kernel.dim, span=node.span)
    radius = _known(activation.radius())
    if is_zero(kernel):  # σ̂(0) for all rows
        return weighted_sum([(made.of_size(elaborator.constant(0)), one(columns.dim, node.span))], columns, node.span)
    if radius is None or radius == math.inf:
        if made.magnitude() == math.inf:  # NaN with free parameters
            raise RangeError(
                f"{node.function}({activation}, …) of this kernel, whose mass is {float(kernel.magnitude()):g}, is "
                "larger than any float: normalize the kernel, as in normalize(k)",
                node.span,
            )
        return made
    if not kernel.has_constant_diagonal:
        raise RangeError(
            f"{node.function}({activation.name}, …) needs a kernel of values between −{radius:g} and {radius:g}, and "
            + _what_is_unbounded(kernel),
            node.span,
        )
    mass = _known(kernel.magnitude())
    if mass is None or not _diverges(activation, mass, radius):
        return made
    here = _known(kernel.diagonal())
    plain = here is not None and abs(here - mass) <= _ROUNDING * mass
    where, more = ("below", "more than ") if activation.diverges_at_radius else ("up to", "")
    way_out = "normalize the kernel, as in normalize(k)" if plain else f"divide the kernel by {more}{mass / radius:.6g}"
    raise RangeError(
        f"{node.function}({activation.name}, …) is a power series that converges {where} {radius:g}, and the mass of "
        f"this kernel is {mass:g}: {way_out}",
        node.span,
    )


def _what_is_unbounded(kernel: Kernel) -> str:
    mapped = [part.base for part in all_parts(kernel) if isinstance(part, PullBack)]  # basis(), levels() and others
    for part in all_parts(kernel):
        if isinstance(part, Leaf) and part.normalized() is not None and not any(part is own for own in mapped):
            return f"{part} is unbounded: write normalize({part}), or sphere() for rows of norm 1"
    return "k(x, x) of this kernel may depend on x"


def _diverges(activation: Activation, mass: float, radius: float) -> bool:
    """Whether Σ a_l m^l is infinite. At mass one the series converges, however close the radius is."""
    if activation.diverges_at_radius:
        return mass > 1 and mass >= radius * (1 - _LAST_BITS)
    return mass > radius * (1 + _ROUNDING)


def _known(number: Scalar) -> float | None:
    """The number as a float, possibly infinite; None for symbols and unknown numbers."""
    known = known_number(number)
    return None if known is None or math.isnan(known) else known


DUAL = Form("dual(activation, k, max_degree=…)", "σ̂(k) = E σ(X)σ(Y) for normal X, Y of correlation k", _dual)


_LAYER_SHOWN = "layer(activation, k1, k2, …)"


def _layer(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    cut = None
    for keyword in node.keywords:
        if keyword.name != "max_degree":
            hint = suggest(keyword.name, ["max_degree"]) or f": {_LAYER_SHOWN}"
            raise ArgumentError(f"layer() has no argument '{keyword.name}'{hint}", keyword.name_span)
        cut = _max_degree(elaborator, keyword.value, columns, scope)
    if len(node.positional) < 2:
        raise ArgumentError(f"layer() needs an activation and one or more kernels: {_LAYER_SHOWN}", node.span)
    first, *parts = node.positional
    activation = elaborator.activation(first, columns, scope)
    share = elaborator.constant(Fraction(1, len(parts)))
    terms = [(share, elaborator.kernel(part, columns, scope)) for part in parts]
    return dual_of(elaborator, activation, weighted_sum(terms, columns, node.span), columns, node, cut)


LAYER = Form(_LAYER_SHOWN, "σ̂ of the average of kernels", _layer)
