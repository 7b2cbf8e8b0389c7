"""Forms that combine or change kernels: mean, normalize, dual and layer."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from operator import truediv
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.call_arguments import match_arguments, require_arguments
from kernelspec.elaboration.column_functions import PullBack
from kernelspec.elaboration.forms.form import Form, arguments_of
from kernelspec.elaboration.forms.grids import Grid, grid_of, mean_of, mean_size
from kernelspec.elaboration.operators import is_zero, weighted_sum
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import ArgumentError, DimensionError, RangeError
from kernelspec.expressions.elementary import is_integral, known_number
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.product import Power, Product, one
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.loading import suggest

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation
    from kernelspec.elaboration.scope import Elaborator
    from kernelspec.expressions.arguments import Scalar
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language import nodes

__all__ = ["DUAL", "LAYER", "MEAN", "NORMALIZE", "dual_of", "max_degree_of"]


def _mean(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel | Grid:
    if node.keywords or not node.positional:
        raise ArgumentError("mean() takes kernels, one or more: mean(k1, k2, …)", node.span)
    written, *others = node.positional
    first = elaborator.value(written, columns, scope)
    if isinstance(first, Grid):
        grids = [first, *(grid_of(elaborator, part, columns, scope, "this part of the mean") for part in others)]
        elaborator.counts.count_kernels(mean_size(grids), node)
        try:
            return mean_of(grids)
        except ValueError as error:
            raise DimensionError(f"grids of one shape over one image have a mean: {error}", node.span) from None
    kernels = [elaborator.as_kernel(first, written), *(elaborator.kernel(part, columns, scope) for part in others)]
    share = elaborator.constant(Fraction(1, len(kernels)))
    return weighted_sum([(share, kernel) for kernel in kernels], columns, node.span)


MEAN = Form("mean(k1, k2, …)", "average of kernels, or of grids of one shape: a grid again", _mean)


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
    """k(x, x); in symbols a function by its name where it is an integral, of which SymPy may compute digits forever."""
    size = kernel.diagonal()
    if not is_integral(size):
        return size
    import sympy

    return sympy.Function(f"size_of_{kernel}", real=True)(0)


def _normalized(kernel: Kernel, node: nodes.Call) -> Kernel:
    """The kernel divided by the root of its diagonal, which depends on x: factor by factor, linear() by directions.

    Raises RangeError for sums, and for what is made of sums.
    """
    if kernel.has_constant_diagonal:
        size = _size(kernel)
        known = known_number(size)
        if known is not None and known <= 0:
            raise RangeError(
                f"normalize() divides by k(x, x), and that of a factor is {known:g} here: it must be above 0", node.span
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
        "normalize() of a kernel whose k(x, x) depends on x is available for linear(), its products and powers, and "
        "not for sums or other functions of it: normalize the parts, as in normalize(linear()) + …",
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
    cut = max_degree_of(elaborator, given["max_degree"], columns, scope) if "max_degree" in given else None
    return dual_of(elaborator, activation, kernel, columns, node, cut)


def max_degree_of(elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions) -> int | None:
    """The number of an argument `max_degree`; None if it is not known yet. Raises RangeError."""
    value = elaborator.number(elaborator.value(node, columns, scope), node, "'max_degree'")
    known = elaborator.arithmetic.known(value)
    if known is None:
        return None
    if known != int(known) or not 0 <= known <= _LARGEST_CUT:
        raise RangeError(f"'max_degree' must be a whole number from 0 to {_LARGEST_CUT}, not {known:g}", node.span)
    return int(known)


def dual_of(
    elaborator: Elaborator,
    activation: Activation,
    kernel: Kernel,
    columns: Columns,
    node: nodes.Call,
    max_degree: int | None = None,
) -> Kernel:
    """σ̂(k). Raises RangeError where k may have values at which the power series of σ̂ diverges."""
    made = Dual(activation=activation, base=kernel, max_degree=max_degree, dim=kernel.dim, span=node.span)
    radius = _known(activation.radius())
    if is_zero(kernel):  # σ̂(0), whatever the rows are
        return weighted_sum([(made.of_size(elaborator.constant(0)), one(columns.dim, node.span))], columns, node.span)
    if radius is None or radius == math.inf:
        if made.magnitude() == math.inf:  # never while a parameter is free
            raise RangeError(
                f"{node.function}({activation}, …) of this kernel, whose mass is {float(kernel.magnitude()):g}, is "
                "larger than any float: normalize the kernel, as in normalize(k)",
                node.span,
            )
        return made
    if not kernel.has_constant_diagonal:
        raise RangeError(
            f"{node.function}({activation.name}, …) needs a kernel of values between −{radius:g} and {radius:g}, and "
            "those of linear() have no bound: write normalize(linear()), or sphere() for rows of norm 1",
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


def _diverges(activation: Activation, mass: float, radius: float) -> bool:
    """Whether Σ a_l m^l is infinite. The series converges for a mass of one, however near the radius is."""
    if activation.diverges_at_radius:
        return mass > 1 and mass >= radius * (1 - _LAST_BITS)
    return mass > radius * (1 + _ROUNDING)


def _known(number: Scalar) -> float | None:
    """The number as a float, infinity too; None for a symbol, and while it is not known."""
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
        cut = max_degree_of(elaborator, keyword.value, columns, scope)
    if len(node.positional) < 2:
        raise ArgumentError(f"layer() takes an activation and one or more kernels: {_LAYER_SHOWN}", node.span)
    first, *parts = node.positional
    activation = elaborator.activation(first, columns, scope)
    share = elaborator.constant(Fraction(1, len(parts)))
    terms = [(share, elaborator.kernel(part, columns, scope)) for part in parts]
    return dual_of(elaborator, activation, weighted_sum(terms, columns, node.span), columns, node, cut)


LAYER = Form(_LAYER_SHOWN, "σ̂ of the average of kernels", _layer)
