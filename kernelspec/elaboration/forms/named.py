"""Named kernels of geostatistics, time series and machine learning, made of other kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.call_arguments import match_arguments, require_arguments
from kernelspec.elaboration.column_functions import Function, PullBack, Source, pulled_back
from kernelspec.elaboration.forms.form import Form, positive, require_given_columns, whole_number
from kernelspec.elaboration.forms.formulas import selected
from kernelspec.elaboration.operators import scaled, weighted_sum
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import ArgumentError, ColumnError, DimensionError, RangeError, TypeMismatchError
from kernelspec.expressions.formula import Column
from kernelspec.kernels.leaves.discrete import Cosine
from kernelspec.kernels.leaves.gaussian import Gaussian, Gneiting
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.sums_and_products import Product
from kernelspec.kernels.stationary import Radial
from kernelspec.language import nodes
from kernelspec.language.parser import parse_program

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Elaborator
    from kernelspec.expressions.arguments import Scalar
    from kernelspec.kernels.kernel import Kernel

__all__ = ["GNEITING", "SPECTRAL_MIXTURE", "SPHERICAL", "WENDLAND"]

_SPHERICAL_DIM = 3
"""The most columns on which the overlap of two balls is positive definite."""


def _of_distance(
    elaborator: Elaborator,
    node: nodes.Call,
    given: Mapping[str, nodes.Expression],
    name: str,
    profile: str,
    most: int,
    columns: Columns,
    scope: Definitions,
) -> Kernel:
    """radial(r -> f(r/s)), s the argument `name`, for the text of f(u); fails for more than `most` columns."""
    require_given_columns(node, columns)
    if columns.count is not None and columns.count > most:
        more = "use radial(r -> …)" if node.function == "spherical" else f"write dim={columns.count}"
        raise DimensionError(
            f"{node.span.text} is positive definite on at most {most} columns, not {columns.count}: {more}", node.span
        )
    positive(elaborator, node, given, name, columns, scope)
    let = nodes.Let(_SIZE, given.get(name, nodes.Number(Fraction(1), span=node.span)), span=node.span)
    inner = replace(scope, lines={**scope.lines, _SIZE: (scope.above, let)}, above=scope.above + 1)
    formula = parse_program(f"radial(r -> {profile.replace('u', f'(r/{_SIZE})')})", "<named kernel>").body
    return replace(elaborator.kernel(formula, columns, inner), span=node.span)


_SIZE = "_size_of_a_named_kernel"


def _spherical(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    given = match_arguments(node, ["range"], SPHERICAL.signature)
    profile = "1 - 3/2*min(u, 1) + 1/2*min(u, 1)**3"
    return _of_distance(elaborator, node, given, "range", profile, _SPHERICAL_DIM, columns, scope)


SPHERICAL = Form(
    "spherical(range=1)", "1 − 3r/2a + r³/2a³ up to the range a, then 0; on at most three columns", _spherical
)

_MOST_ORDER, _MOST_DIM = 2, 15


def _wendland(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    """(1 − u)₊^{l + k} times a polynomial of degree k, l = ⌊dim/2⌋ + k + 1 [Wendland 1995]."""
    given = match_arguments(node, ["order", "dim", "scale"], WENDLAND.signature)
    k, dim = 1, columns.count or 1
    if "order" in given:
        k = whole_number(elaborator, given["order"], columns, scope, "'order' of wendland()", 0, _MOST_ORDER) or 0
    if "dim" in given:
        dim = whole_number(elaborator, given["dim"], columns, scope, "'dim' of wendland()", 0, _MOST_DIM) or dim
    if dim > _MOST_DIM:
        raise DimensionError(f"wendland() works on at most {_MOST_DIM} columns, not {dim}", node.span)
    ell = dim // 2 + k + 1
    polynomial = ["1", f"({ell + 1}*u + 1)", f"({ell**2 + 4 * ell + 3}*u**2 + {3 * ell + 6}*u + 3)/3"][k]
    profile = f"max(0, 1 - u)**{ell + k}" + ("" if k == 0 else f"*{polynomial}")
    return _of_distance(elaborator, node, given, "scale", profile, dim, columns, scope)


WENDLAND = Form(
    "wendland(order=1, dim=d, scale=1)",
    "a polynomial up to r = scale, then 0, with 2·order derivatives, on at most `dim` columns [Wendland 1995]",
    _wendland,
)


_Rows = tuple[tuple[Any, ...], ...]


def _spectral_mixture(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    names = ["weights", "means", "scales"]
    given = match_arguments(node, names, SPECTRAL_MIXTURE.signature)
    require_arguments(node, given, names, SPECTRAL_MIXTURE.signature)
    require_given_columns(node, columns)
    if columns.count is None and not elaborator.checking:
        raise DimensionError("spectral_mixture() needs the number of columns: set dim= or columns=", node.span)
    weights = elaborator.value(given["weights"], columns, scope)
    if not isinstance(weights, tuple) or any(isinstance(weight, tuple) for weight in weights):
        raise TypeMismatchError(
            "'weights' of spectral_mixture() must be a list of numbers, as in [0.5, 0.5]", given["weights"].span
        )
    sizes = elaborator.arguments(weights, given["weights"], "a weight of spectral_mixture()")
    means, scales = (_by_component(elaborator, given[name], name, len(sizes), columns, scope) for name in names[1:])
    elaborator.counts.count_kernels(2 * len(sizes), node)
    terms: list[tuple[Scalar, Kernel]] = []
    for size, mean, scale in zip(sizes, means, scales, strict=True):
        for number, what in ((size, "weight"), *((own, "scale") for own in scale)):
            known = elaborator.arithmetic.known(number)
            if known is not None and (known < 0 or (known == 0 and what == "scale")):
                raise RangeError(f"a {what} of spectral_mixture() must be positive, not {known:g}", node.span)
        widths = tuple(elaborator.argument(1 / own, node, "1/scale") for own in scale)
        if len(set(widths)) == 1:
            bell: Kernel = Gaussian(scale=widths[0], dim=columns.dim, span=node.span)
        else:
            plain = Gaussian(scale=elaborator.constant(1), dim=columns.dim, span=node.span)
            bell = Stretch(base=plain, matrix=scale, dim=columns.dim, span=node.span)
        if any(elaborator.arithmetic.known(own) != 0 for own in mean):
            factors = (bell, Cosine(by=mean, dim=columns.dim, span=node.span))
            bell = Product(factors=factors, dim=columns.dim, span=node.span)
        terms.append((size, bell))
    return weighted_sum(terms, columns, node.span)


def _by_component(
    elaborator: Elaborator, node: nodes.Expression, name: str, count: int, columns: Columns, scope: Definitions
) -> _Rows:
    """One number per column for every component. Raises DimensionError for a wrong number."""
    rows, width = elaborator.value(node, columns, scope), columns.count or 1
    what = f"'{name}' of spectral_mixture()"
    if not isinstance(rows, tuple) or len(rows) != count:
        raise DimensionError(f"{what} needs an entry for each of the {count} weights, as in [1, 2]", node.span)
    found = []
    for row in rows:
        own = row if isinstance(row, tuple) else (row,) * width
        if len(own) != width and columns.count is not None:
            raise DimensionError(f"an entry of {what} has {len(own)} numbers for {columns.counted()}", node.span)
        found.append(elaborator.arguments(own, node, what))
    return tuple(found)


SPECTRAL_MIXTURE = Form(
    "spectral_mixture(weights, means, scales)",
    "Σ w exp(−½ Σ_i s_i² Δ_i²) cos(m·Δ): frequencies about ±m, with standard deviations s, in radians",
    _spectral_mixture,
)


def _gneiting(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    given = match_arguments(node, ["space", "time", "alpha", "scale"], GNEITING.signature)
    require_arguments(node, given, ("space", "time"), f"{GNEITING.signature}, such as {_GNEITING_SHOWN}")
    elaborator.counts.count_kernels(2, node)
    alpha = positive(elaborator, node, given, "alpha", columns, scope, most=1)
    scale = positive(elaborator, node, given, "scale", columns, scope)
    numbers = {"alpha": elaborator.arithmetic.shape(alpha), "scale": elaborator.arithmetic.argument(scale)}
    weight, space = scaled(elaborator.kernel(given["space"], columns, scope))
    if not isinstance(space, Select | PullBack):
        raise ArgumentError(
            f"'space' of gneiting() must be a kernel on some columns, as in {_GNEITING_SHOWN}", given["space"].span
        )
    sources: tuple[Source, ...] = space.positions if isinstance(space, Select) else space.sources
    inner = space.base
    stretched = inner if isinstance(inner, Stretch) and not inner.is_matrix else None
    radial = inner if stretched is None else stretched.base
    if not isinstance(radial, Radial):
        raise TypeMismatchError(
            "'space' of gneiting() must be a mixture of Gaussians of the norm: gaussian(), matern(), exponential(), "
            "rational_quadratic(), powered_exponential() or one of these stretched by columns",
            given["space"].span,
        )
    term = selected(elaborator, given["time"], columns, scope, "'time' of gneiting()")
    time: Source = term.position if isinstance(term, Column) else Function(term)
    if time in sources and not elaborator.checking:
        raise ColumnError("'time' of gneiting() must not be a column of 'space'", given["time"].span)
    every = len(sources) + 1
    made: Kernel = Gneiting(space=replace(radial, dim=len(sources)), **numbers, dim=every, span=node.span)
    if stretched is not None:
        matrix = stretched.matrix if isinstance(stretched.matrix, tuple) else (stretched.matrix,) * len(sources)
        made = Stretch(base=made, matrix=(*matrix, elaborator.constant(1)), dim=every, span=node.span)
    if isinstance(space, Select) and isinstance(time, int):
        made = Select(base=made, positions=(*space.positions, time), dim=columns.dim, span=node.span)
    else:
        made = pulled_back(elaborator, made, (*sources, time), columns, node.span)
    return weighted_sum([(weight, made)], columns, node.span)


_GNEITING_SHOWN = "gneiting(space=matern(nu=3/2)[e, n], time=t)"

GNEITING = Form(
    "gneiting(space, time, alpha=1, scale=1)",
    "(1 + γ)^{−d/2} φ(‖h‖/√(1 + γ)), γ = (|u|/scale)^{2 alpha}: φ is the kernel of space, u the difference in time",
    _gneiting,
    maps_columns=True,
)
