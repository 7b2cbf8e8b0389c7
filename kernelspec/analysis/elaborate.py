"""From the syntax tree to the kernel tree: what every name, number and selection means."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from kernelspec.activations.catalogue import ACTIVATIONS, load_activation
from kernelspec.analysis import operators
from kernelspec.analysis.arithmetic import FUNCTIONS, Arithmetic
from kernelspec.analysis.binding import bind
from kernelspec.analysis.canonical import weighted_sum
from kernelspec.analysis.forms.catalogue import FORMS, load_form
from kernelspec.analysis.grid import Grid
from kernelspec.analysis.scope import Columns, Definitions
from kernelspec.analysis.unavailable import Unavailable
from kernelspec.analysis.vocabulary import CONSTANTS, UPCOMING
from kernelspec.distributions.catalogue import DISTRIBUTIONS, load_distribution
from kernelspec.errors import (
    ArgumentError,
    DimensionError,
    NotAvailableYet,
    RangeError,
    TypeMismatchError,
    UnknownNameError,
)
from kernelspec.kernels.arguments import Scalar
from kernelspec.kernels.catalogue import KERNELS, load_kernel
from kernelspec.kernels.kernel import Kernel
from kernelspec.language import nodes
from kernelspec.language.diagnostics import suggest
from kernelspec.language.limits import MAX_EXPONENT

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation

__all__ = ["Elaborator"]

_MOST_KERNELS = 100_000
_LARGEST = 10.0**MAX_EXPONENT
_DEEPEST = 120


class Elaborator:
    """Turns expressions into kernels (or numbers, or vectors), in one arithmetic.

    With `checking`, unknown numbers and columns are let through, and forms of later versions too: this
    is what a spec is held against as soon as it is read. A kernel that stands at the top of a spec whose
    columns were inferred from names has no columns of its own, and is refused.
    """

    def __init__(self, arithmetic: Arithmetic, *, checking: bool = False) -> None:
        self.arithmetic = arithmetic
        self.checking = checking
        self._made = 0
        self._depth = 0

    # -- what an expression is ---------------------------------------------------------------------------------------

    def kernel(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Kernel:
        """The kernel an expression stands for. Raises TypeMismatchError if it is none."""
        value = self.value(node, columns, scope)
        if isinstance(value, Kernel):
            return value
        if isinstance(value, Grid):
            raise TypeMismatchError(
                "a grid of kernels stands where a kernel is needed: full(relu, input=…) makes one of it", node.span
            )
        what = "a vector" if isinstance(value, tuple) else "a number"
        raise TypeMismatchError(f"{what} stands where a kernel is needed", node.span)

    def number(self, value: Any, node: nodes.Expression, where: str = "this") -> Scalar:
        """The value, if it is a number. Raises TypeMismatchError if it is none."""
        if isinstance(value, Kernel | tuple | Grid):
            what = "a kernel" if isinstance(value, Kernel) else "a vector" if isinstance(value, tuple) else "a grid"
            raise TypeMismatchError(f"{where} must be a number, not {what}", node.span)
        return value

    def constant(self, value: float) -> Scalar:
        """A number that stands in no spec, such as a default."""
        return self.arithmetic.argument(self.arithmetic.literal(Fraction(value)))

    def value(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        """A Kernel, a number, a vector (a tuple; of tuples for a matrix), or a Grid of kernels."""
        self._depth += 1
        if self._depth > _DEEPEST:  # the parser bounds each line; a chain of lets can still be long
            raise RangeError(f"nested more than {_DEEPEST} levels deep, counting through lets", node.span)
        value = self._evaluate(node, columns, scope)
        self._depth -= 1
        return value

    def _evaluate(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        match node:
            case nodes.Number():
                return self.arithmetic.literal(node.value)
            case nodes.Name():
                return self._name(node, columns, scope)
            case nodes.Call():
                return self._call(node, columns, scope)
            case nodes.Vector():
                return tuple(self._entry(item, columns, scope) for item in node.items)
            case nodes.Negation():
                value = self.value(node.operand, columns, scope)
                if isinstance(value, Kernel):
                    return weighted_sum([(-1, value)], columns, node.span)
                return -self.number(value, node.operand)
            case nodes.Sum():
                return operators.add(self, node, columns, scope)
            case nodes.Product():
                return operators.multiply(self, node, columns, scope)
            case nodes.Power():
                return operators.power(self, node, columns, scope)
            case nodes.Select():
                return operators.select(self, node, columns, scope)
            case nodes.Lambda():
                raise TypeMismatchError(
                    "a formula stands by itself: it belongs inside radial(…) or product(…)", node.span
                )
        raise TypeError(f"no rule for {type(node).__name__}")

    def compute(self, operation: Callable[[], Scalar], node: nodes.Expression) -> Scalar:
        """The result of an arithmetic operation. Raises RangeError where it has none that is a float too."""
        try:
            result = operation()
            known = self.arithmetic.known(result)
        except ZeroDivisionError:
            raise RangeError("division by zero", node.span) from None
        except ValueError:
            raise RangeError("this is not a real number", node.span) from None
        except OverflowError:
            known, result = math.inf, math.inf
        except FloatingPointError:
            known, result = 0.0, math.nan
        if known is None or result == 0:
            return result
        if abs(known) > _LARGEST:
            raise RangeError(f"this number is too large: it must lie below 1e{MAX_EXPONENT}", node.span)
        if abs(known) < 1 / _LARGEST:
            raise RangeError(f"this number is too small: it must lie above 1e-{MAX_EXPONENT}, or be 0", node.span)
        return self.arithmetic.rounded(result)

    def distribution(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        """The distribution an expression stands for: position decides, so `gaussian` is one here."""
        if isinstance(node, nodes.Name) and node.identifier in scope.lets:
            let, inner = scope.lets[node.identifier]
            return self.distribution(let.value, columns, inner)
        if isinstance(node, nodes.Name):
            node = nodes.Call(node.identifier, (), (), span=node.span, function_span=node.span)
        if not isinstance(node, nodes.Call):
            raise TypeMismatchError("a distribution is needed here, such as student_t(dof=3)", node.span)
        if node.function not in DISTRIBUTIONS:
            known = ", ".join(sorted(DISTRIBUTIONS))
            hint = suggest(node.function, DISTRIBUTIONS) or f"; there are {known}"
            raise UnknownNameError(f"there is no distribution '{node.function}'{hint}", node.function_span)
        cls = load_distribution(node.function)
        fields = bind(self, node, cls, columns, scope)
        try:
            return cls(**fields)
        except ValueError as error:
            raise RangeError(str(error), node.span) from None

    def activation(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Activation:
        """The activation an expression stands for: position decides, so `gaussian` is one here."""
        if isinstance(node, nodes.Name) and node.identifier in scope.lets:
            let, inner = scope.lets[node.identifier]
            return self.activation(let.value, columns, inner)
        if isinstance(node, nodes.Name):
            node = nodes.Call(node.identifier, (), (), span=node.span, function_span=node.span)
        if not isinstance(node, nodes.Call):
            shown = "; write a formula as in activation(x -> …)" if isinstance(node, nodes.Lambda) else ""
            raise TypeMismatchError(f"an activation is needed here, such as relu{shown}", node.span)
        if node.function == "activation":
            return self._formula_activation(node, columns, scope)
        if node.function not in ACTIVATIONS:
            hint = suggest(node.function, [*ACTIVATIONS, "activation"]) or (
                f"; there are {', '.join(ACTIVATIONS)}, and formulas, as in activation(x -> x**2)"
            )
            raise UnknownNameError(f"there is no activation '{node.function}'{hint}", node.function_span)
        cls = load_activation(node.function)
        fields = bind(self, node, cls, columns, scope)
        try:
            return cls(**fields, span=node.span)
        except ValueError as error:
            raise RangeError(getattr(error, "message", str(error)), node.span) from None

    def _formula_activation(self, node: nodes.Call, columns: Columns, scope: Definitions) -> Activation:
        from kernelspec.activations.formula import FormulaActivation
        from kernelspec.analysis.formula_building import build_formula

        if len(node.positional) != 1 or node.keywords or not isinstance(node.positional[0], nodes.Lambda):
            raise ArgumentError("activation() takes one formula: activation(x -> f(x))", node.span)
        formula = build_formula(self, node.positional[0], columns, scope)
        return FormulaActivation(function=formula, span=node.span)

    # -- names and calls ---------------------------------------------------------------------------------------------

    def _name(self, node: nodes.Name, columns: Columns, scope: Definitions) -> Any:
        name = node.identifier
        if name in scope.params:
            return self._parameter(scope.params[name], node, columns, scope)
        if name in scope.lets:
            let, inner = scope.lets[name]
            return self.value(let.value, columns, inner)
        if name == "pi":
            return self.arithmetic.pi()
        if name == "d":
            return self._dimension(columns)
        if name == "ones":
            one = self.arithmetic.literal(Fraction(1))
            # where d is a symbol the vector cannot be written out, but a number means the constant vector
            return one if columns.count is None and not self.checking else (one,) * (columns.count or 1)
        if name in KERNELS or name in UPCOMING or name in FORMS:
            raise TypeMismatchError(f"'{name}' is a kernel: write {name}(…)", node.span)
        hint = suggest(name, [*scope.names(), *CONSTANTS, *KERNELS]) or "; a column is selected as in k[age]"
        raise UnknownNameError(f"unknown name '{name}'{hint}", node.span)

    def _dimension(self, columns: Columns) -> Scalar:
        if columns.count is not None:
            return self.arithmetic.literal(Fraction(columns.count))
        return math.nan if columns.dim is None else columns.dim

    def _parameter(self, param: nodes.Param, node: nodes.Name, columns: Columns, scope: Definitions) -> Scalar:
        from kernelspec.analysis.parameters import check_bound, free_symbol

        value = scope.value_of(param)
        if isinstance(value, Fraction):
            check_bound(self, param, value, scope)
            return self.arithmetic.literal(value)
        if value is not None:
            return self.number(self.value(value, columns, scope), value, f"the default of '{param.name}'")
        if self.checking:
            return math.nan
        return free_symbol(self.arithmetic, param, node)

    def _entry(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        value = self.value(node, columns, scope)
        if isinstance(value, Kernel | Grid):
            raise TypeMismatchError("a vector holds numbers, not kernels", node.span)
        return value

    def _call(self, node: nodes.Call, columns: Columns, scope: Definitions) -> Any:
        name = node.function
        if name in FUNCTIONS:
            if len(node.positional) != 1 or node.keywords:
                raise ArgumentError(f"{name}() takes one number", node.span)
            (inner,) = node.positional
            argument = self.number(self.value(inner, columns, scope), inner, f"{name}()'s argument")
            return self.compute(lambda: self.arithmetic.function(name, argument), node)
        if name in FORMS:
            return load_form(name).rule(self, node, columns, scope)
        if name in UPCOMING:
            if self.checking:
                return Unavailable(dim=columns.dim, span=node.span, form=name)
            raise NotAvailableYet(f"{name}() is in the language, but not available yet in this version", node.span)
        if name not in KERNELS:
            hint = suggest(name, [*KERNELS, *FORMS, *UPCOMING, *FUNCTIONS])
            if not hint and name in DISTRIBUTIONS:
                hint = f"; as a distribution it goes inside bochner({name}(…))"
            if name in ACTIVATIONS or name == "activation":
                hint = f"; as an activation it goes inside dual({name}, …)"
            raise UnknownNameError(f"there is no kernel '{name}'{hint}", node.function_span)
        return self._leaf(node, columns, scope)

    def _leaf(self, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
        self._made += 1
        if self._made > _MOST_KERNELS:
            raise RangeError(f"more than {_MOST_KERNELS:,} kernels, counting every use of a let", node.span)
        if not columns.given:
            raise DimensionError(
                f"{node.function}() applies to all columns, but only some are named in the spec: "
                "select its columns, as in k[age], or give the columns of the data",
                node.span,
            )
        cls = load_kernel(node.function)
        fields = bind(self, node, cls, columns, scope)
        try:
            return cls(**fields, dim=columns.dim, span=node.span)
        except DimensionError as error:
            raise DimensionError(error.message, node.span) from None
