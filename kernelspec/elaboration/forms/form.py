"""The interface of named forms, and the forms by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.call_arguments import match_arguments, require_arguments, vector_entries
from kernelspec.errors import DimensionError, ParameterError, RangeError, TypeMismatchError
from kernelspec.kernels.kernel import all_parts
from kernelspec.kernels.leaf import Leaf
from kernelspec.language import nodes
from kernelspec.loading import load_from, loaded

if TYPE_CHECKING:
    from kernelspec.elaboration.forms.grids import Grid
    from kernelspec.elaboration.scope import Columns, Definitions, Elaborator
    from kernelspec.expressions.arguments import Scalar
    from kernelspec.kernels.kernel import Kernel

__all__ = [
    "FORMS",
    "Form",
    "arguments_of",
    "kernel_and_vector",
    "load_form",
    "positive",
    "refuse_categories",
    "refuse_functions_of_rows",
    "require_given_columns",
    "whole_number",
]


@dataclass(frozen=True, slots=True)
class Form:
    """The signature of a form, its meaning in a few words, and the rule that makes a kernel or a grid of kernels.

    `maps_columns` says whether the kernel reads functions of the columns, `is_one_between_equal` whether a call of a
    kernel of categories is 1 between equal ones.
    """

    signature: str
    meaning: str
    rule: Callable[[Elaborator, nodes.Call, Columns, Definitions], Kernel | Grid]
    maps_columns: bool = False
    is_one_between_equal: Callable[[nodes.Call], bool] | None = None


def arguments_of(node: nodes.Call, *names: str) -> tuple[nodes.Expression, ...]:
    """The arguments of a call by name, all required. Raises ArgumentError."""
    shown = f"{node.function}({', '.join(names)})"
    given = match_arguments(node, list(names), shown)
    require_arguments(node, given, names, shown)
    return tuple(given[name] for name in names)


def kernel_and_vector(
    elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions
) -> tuple[Kernel, tuple[Any, ...]]:
    """The arguments of f(kernel, by) for a form that acts on differences; `by` has one entry per column.

    Raises ArgumentError, TypeMismatchError or DimensionError.
    """
    inner, by = arguments_of(node, "kernel", "by")
    kernel = elaborator.kernel(inner, columns, scope)
    refuse_categories(kernel, node)
    value = elaborator.value(by, columns, scope)
    return kernel, vector_entries(elaborator, value, by, columns, f"'by' of {node.function}()")


def positive(
    elaborator: Elaborator,
    node: nodes.Call,
    given: Mapping[str, nodes.Expression],
    name: str,
    columns: Columns,
    scope: Definitions,
    most: float = math.inf,
) -> Scalar:
    """A positive argument in the arithmetic, by default 1. Raises RangeError."""
    if name not in given:
        return elaborator.arithmetic.literal(Fraction(1))
    written, what = given[name], f"'{name}' of {node.function}()"
    number = elaborator.number(elaborator.value(written, columns, scope), written, what)
    known = elaborator.arithmetic.known(number)
    if known is not None and not 0 < known <= most:
        upper = "" if most == math.inf else f" and at most {most:g}"
        raise RangeError(f"{what} must be greater than 0{upper}, not {known:g}", written.span)
    elaborator.argument(number, written, what)
    return number


def whole_number(
    elaborator: Elaborator,
    node: nodes.Expression,
    columns: Columns,
    scope: Definitions,
    what: str,
    least: int,
    most: float = math.inf,
) -> int | None:
    """A whole number in a range, or None while it is unknown. Raises RangeError, TypeMismatchError, ParameterError."""
    known = elaborator.arithmetic.known(elaborator.number(elaborator.value(node, columns, scope), node, what))
    if known is None and not elaborator.checking:
        raise ParameterError(f"{what} must be known here: set the parameter", node.span)
    if known is not None and (known != int(known) or not least <= known <= most):
        interval = f", at least {least}" if most == math.inf else f" from {least} to {most:,}"
        raise RangeError(f"{what} must be a whole number{interval}, not {known:g}", node.span)
    return None if known is None else int(known)


def require_given_columns(node: nodes.Call, columns: Columns) -> None:
    """Raise DimensionError if the columns of a kernel on all columns were only inferred from names in the spec."""
    if not columns.given:
        raise DimensionError(
            f"{node.function}() applies to all columns, but the spec only names some: "
            "select its columns, as in k[age], or set columns=",
            node.span,
        )


def refuse_categories(kernel: Kernel, node: nodes.Call) -> None:
    """Raise TypeMismatchError if a part compares categories, or is not a function of x − y."""
    for part in all_parts(kernel):
        if isinstance(part, Leaf) and part.compares_categories:
            raise TypeMismatchError(
                f"{node.function}() acts on differences, but {part} compares "
                f"{'rows' if part.reads_numbers else 'categories'}: apply it to the other factors",
                node.span,
            )
    refuse_functions_of_rows(kernel, node)


def refuse_functions_of_rows(kernel: Kernel, node: nodes.Call) -> None:
    """Raise TypeMismatchError if a part of the kernel is not a function of x − y."""
    for part in all_parts(kernel):
        if isinstance(part, loaded("kernelspec.elaboration.column_functions:PullBack")):
            raise TypeMismatchError(
                f"{node.function}() acts on differences of columns, but {part.span.text if part.span else part} uses "
                f"functions of them: apply it to other factors, or inside a selection, as in "
                f"{node.function}(…)[log(income)]",
                node.span,
            )
        if isinstance(part, Leaf) and not part.takes_differences:
            raise TypeMismatchError(
                f"{node.function}() acts on differences, but {part} is a function of the rows themselves: apply it to "
                "the other factors",
                node.span,
            )


FORMS: Mapping[str, str] = {
    "additive": "kernelspec.elaboration.forms.combinations:ADDITIVE",
    "basis": "kernelspec.elaboration.forms.formulas:BASIS",
    "changepoint": "kernelspec.elaboration.forms.formulas:CHANGEPOINT",
    "conv": "kernelspec.elaboration.forms.grids:CONV",
    "dual": "kernelspec.elaboration.forms.combinations:DUAL",
    "each": "kernelspec.elaboration.forms.combinations:EACH",
    "full": "kernelspec.elaboration.forms.grids:FULL",
    "gibbs": "kernelspec.elaboration.forms.formulas:GIBBS",
    "gneiting": "kernelspec.elaboration.forms.named:GNEITING",
    "hamming": "kernelspec.elaboration.forms.categories:HAMMING",
    "image": "kernelspec.elaboration.forms.grids:IMAGE",
    "layer": "kernelspec.elaboration.forms.combinations:LAYER",
    "levels": "kernelspec.elaboration.forms.categories:LEVELS",
    "mean": "kernelspec.elaboration.forms.combinations:MEAN",
    "modulate": "kernelspec.elaboration.forms.lags:MODULATE",
    "normalize": "kernelspec.elaboration.forms.combinations:NORMALIZE",
    "polynomial": "kernelspec.elaboration.forms.formulas:POLYNOMIAL",
    "product": "kernelspec.elaboration.forms.formulas:PRODUCT",
    "radial": "kernelspec.elaboration.forms.formulas:RADIAL",
    "shift": "kernelspec.elaboration.forms.lags:SHIFT",
    "spectral_mixture": "kernelspec.elaboration.forms.named:SPECTRAL_MIXTURE",
    "spherical": "kernelspec.elaboration.forms.named:SPHERICAL",
    "stretch": "kernelspec.elaboration.forms.lags:STRETCH",
    "tilt": "kernelspec.elaboration.forms.lags:TILT",
    "wendland": "kernelspec.elaboration.forms.named:WENDLAND",
}


def load_form(name: str) -> Form:
    """The form of that name."""
    found: Form = load_from(FORMS[name])
    return found
