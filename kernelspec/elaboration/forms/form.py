"""The contract of a named form, and the forms by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.call_arguments import match_arguments, require_arguments, vector_entries
from kernelspec.errors import DimensionError, TypeMismatchError
from kernelspec.kernels.kernel import all_parts
from kernelspec.kernels.leaf import Leaf
from kernelspec.language import nodes
from kernelspec.loading import load_from, loaded

if TYPE_CHECKING:
    from kernelspec.elaboration.forms.grids import Grid
    from kernelspec.elaboration.scope import Columns, Definitions, Elaborator
    from kernelspec.kernels.kernel import Kernel

__all__ = [
    "FORMS",
    "Form",
    "arguments_of",
    "kernel_and_vector",
    "load_form",
    "refuse_categories",
    "refuse_functions_of_rows",
    "require_given_columns",
]


@dataclass(frozen=True, slots=True)
class Form:
    """How a form is written, what it means in a few words, and the rule that makes the kernel, or a grid of kernels.

    `maps_columns` says whether the kernel stands on functions of the columns.
    """

    signature: str
    meaning: str
    rule: Callable[[Elaborator, nodes.Call, Columns, Definitions], Kernel | Grid]
    maps_columns: bool = False


def arguments_of(node: nodes.Call, *names: str) -> tuple[nodes.Expression, ...]:
    """The arguments of a call by the names of the form, all of them required. Raises ArgumentError."""
    shown = f"{node.function}({', '.join(names)})"
    given = match_arguments(node, list(names), shown)
    require_arguments(node, given, names, shown)
    return tuple(given[name] for name in names)


def kernel_and_vector(
    elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions
) -> tuple[Kernel, tuple[Any, ...]]:
    """The arguments of f(kernel, by) for a form that acts on differences: `by` has one entry for every column.

    Raises ArgumentError, TypeMismatchError or DimensionError.
    """
    inner, by = arguments_of(node, "kernel", "by")
    kernel = elaborator.kernel(inner, columns, scope)
    refuse_categories(kernel, node)
    value = elaborator.value(by, columns, scope)
    return kernel, vector_entries(elaborator, value, by, columns, f"'by' of {node.function}()")


def require_given_columns(node: nodes.Call, columns: Columns) -> None:
    """Raise DimensionError where the columns of a kernel on all columns were only inferred from names in the spec."""
    if not columns.given:
        raise DimensionError(
            f"{node.function}() applies to all columns, but only some are named in the spec: "
            "select its columns, as in k[age], or give the columns of the data",
            node.span,
        )


def refuse_categories(kernel: Kernel, node: nodes.Call) -> None:
    """Raise TypeMismatchError if a part compares categories, which have no differences, or is no function of x − y."""
    for part in all_parts(kernel):
        if isinstance(part, Leaf) and part.compares_categories:
            raise TypeMismatchError(
                f"{node.function}() acts on differences, and {part} compares "
                f"{'rows' if part.reads_numbers else 'categories'}: apply it to the other factors",
                node.span,
            )
    refuse_functions_of_rows(kernel, node)


def refuse_functions_of_rows(kernel: Kernel, node: nodes.Call) -> None:
    """Raise TypeMismatchError if a part of the kernel is no function of x − y."""
    for part in all_parts(kernel):
        if isinstance(part, loaded("kernelspec.elaboration.column_functions:PullBack")):
            raise TypeMismatchError(
                f"{node.function}() acts on differences of columns, and {part} takes functions of them: put it inside "
                f"the selection, as in {node.function}(…)[log(income)]",
                node.span,
            )
        if isinstance(part, Leaf) and not part.takes_differences:
            raise TypeMismatchError(
                f"{node.function}() acts on differences, and {part} is a function of the rows themselves: apply it to "
                "the other factors",
                node.span,
            )


FORMS: Mapping[str, str] = {
    "basis": "kernelspec.elaboration.forms.formulas:BASIS",
    "changepoint": "kernelspec.elaboration.forms.formulas:CHANGEPOINT",
    "conv": "kernelspec.elaboration.forms.grids:CONV",
    "dual": "kernelspec.elaboration.forms.combinations:DUAL",
    "full": "kernelspec.elaboration.forms.grids:FULL",
    "hamming": "kernelspec.elaboration.forms.formulas:HAMMING",
    "image": "kernelspec.elaboration.forms.grids:IMAGE",
    "layer": "kernelspec.elaboration.forms.combinations:LAYER",
    "mean": "kernelspec.elaboration.forms.combinations:MEAN",
    "modulate": "kernelspec.elaboration.forms.lags:MODULATE",
    "normalize": "kernelspec.elaboration.forms.combinations:NORMALIZE",
    "polynomial": "kernelspec.elaboration.forms.formulas:POLYNOMIAL",
    "product": "kernelspec.elaboration.forms.formulas:PRODUCT",
    "radial": "kernelspec.elaboration.forms.formulas:RADIAL",
    "shift": "kernelspec.elaboration.forms.lags:SHIFT",
    "stretch": "kernelspec.elaboration.forms.lags:STRETCH",
    "tilt": "kernelspec.elaboration.forms.lags:TILT",
}


def load_form(name: str) -> Form:
    """The form of that name."""
    found: Form = load_from(FORMS[name])
    return found
