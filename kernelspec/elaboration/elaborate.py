"""From the syntax tree to the kernel tree: the meaning of every name, number and call."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from kernelspec.catalogue import ACTIVATIONS, DISTRIBUTIONS, KERNELS
from kernelspec.elaboration.arithmetic import FUNCTIONS, Arithmetic
from kernelspec.elaboration.call_arguments import bind, unknown_name
from kernelspec.elaboration.forms.form import FORMS, load_form, require_given_columns
from kernelspec.elaboration.formulas import SEVERAL_RESULTS
from kernelspec.elaboration.names_elsewhere import ACTIVATIONS_ELSEWHERE, DISTRIBUTIONS_ELSEWHERE, kernel_here
from kernelspec.elaboration.scope import (
    GIVE_DATA,
    MEDIAN,
    Columns,
    Definitions,
    Elaborator,
    SelectedFunctions,
    is_grid,
    number_lines,
    parameter,
)
from kernelspec.errors import (
    ArgumentError,
    DimensionError,
    ParameterError,
    RangeError,
    SpecError,
    TypeMismatchError,
    UnknownNameError,
)
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.formula import COLUMN_FUNCTIONS
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import load_kernel
from kernelspec.language import nodes
from kernelspec.limits import MAX_LEVELS
from kernelspec.loading import suggest

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation
    from kernelspec.language.nodes import Call, Name

__all__ = ["SpecElaborator", "call_meant", "value_of_call", "value_of_name"]


def call_meant(node: nodes.Expression, scope: Definitions) -> tuple[nodes.Expression, Definitions]:
    """Follow lets to the expression meant, and its scope; a bare name becomes a call without arguments.

    `student_t(3)` stays, `relu` becomes relu(), and so does `f` after `let f = relu`.
    """
    while isinstance(node, nodes.Name) and (found := scope.let(node.identifier)) is not None:
        let, scope = found
        node = let.value
    if isinstance(node, nodes.Name):
        node = nodes.Call(node.identifier, (), (), span=node.span, function_span=node.span)
    return node, scope


def value_of_name(elaborator: Elaborator, node: Name, columns: Columns, scope: Definitions) -> Any:
    """A Kernel, a number, a vector, or a Grid. Raises UnknownNameError, or TypeMismatchError for a kernel's name."""
    name = node.identifier
    found = scope.find(name)
    if found is not None:
        return elaborator.defined(*found, columns, node)
    if name == "pi":
        return elaborator.arithmetic.pi()
    if name == "d":
        if not columns.given:
            raise DimensionError("d counts all columns, but the spec only names some: set columns=", node.span)
        return _dimension(elaborator, columns)
    if name == "ones":
        one = elaborator.arithmetic.literal(Fraction(1))
        if columns.count is None and not elaborator.checking:
            return one  # with symbolic d the vector has no entries; a number means the constant vector
        elaborator.counts.count_columns(columns.count or 1, node)
        return (one,) * (columns.count or 1)
    if name == MEDIAN and elaborator.checking:
        return math.nan
    if name == MEDIAN:
        raise ParameterError(f"the median distance is learned from data: {GIVE_DATA}", node.span)
    if name in FORMS or KERNELS.knows(name):
        raise TypeMismatchError(f"'{name}' is a kernel: write {name}(…)", node.span)
    if name in scope.lines:
        raise UnknownNameError(f"unknown name '{name}': move its definition above this line", node.span)
    raise unknown_name(node, scope)


def _dimension(elaborator: Elaborator, columns: Columns) -> Scalar:
    if columns.count is not None:
        return elaborator.arithmetic.literal(Fraction(columns.count))
    return math.nan if columns.dim is None else columns.dim


def _formula_activation(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Activation:
    from kernelspec.activations.formula import FormulaActivation
    from kernelspec.elaboration.formulas import build_formula

    if len(node.positional) != 1 or node.keywords or not isinstance(node.positional[0], nodes.Lambda):
        raise ArgumentError("activation() needs one formula: activation(x -> f(x))", node.span)
    formula = build_formula(elaborator, node.positional[0], columns, scope)
    return FormulaActivation(function=formula, span=node.span)


def value_of_call(elaborator: Elaborator, node: Call, columns: Columns, scope: Definitions) -> Any:
    """A Kernel, a number, or a Grid. Raises UnknownNameError, and the errors of the arguments."""
    name = node.function
    if name in FUNCTIONS:
        return _function(elaborator, node, columns, scope)
    if name in FORMS:
        try:
            with _patience(node):
                return load_form(name).rule(elaborator, node, columns, scope)
        except SpecError as error:
            if error.span is not None:
                raise
            raise type(error)(error.message, node.span) from None  # the rule knows no span
    if not KERNELS.knows(name):
        hint = kernel_here(name, node) or suggest(name, [*KERNELS, *FORMS, *FUNCTIONS])
        if not hint and name in DISTRIBUTIONS:
            from kernelspec.distributions.distribution import Positive, load_distribution

            form = "polya" if issubclass(load_distribution(name), Positive) else "bochner"
            hint = f"; it is a distribution: write {form}({name}(…))"
        if name in ACTIVATIONS or name == "activation":
            hint = f"; it is an activation: write dual({name}, …)"
        if name in COLUMN_FUNCTIONS or name in SEVERAL_RESULTS or name == "days":
            hint = f"; it is a function of columns: write gaussian()[{name}(…)]"
        raise UnknownNameError(f"unknown kernel '{name}'{hint}", node.function_span)
    with _patience(node):
        return _kernel(elaborator, node, columns, scope)


def _function(elaborator: Elaborator, node: Call, columns: Columns, scope: Definitions) -> Scalar:
    name = node.function
    if len(node.positional) != 1 or node.keywords:
        raise ArgumentError(f"{name}() needs one number", node.span)
    (inner,) = node.positional
    argument = elaborator.number(elaborator.value(inner, columns, scope), inner, f"{name}()'s argument")
    return elaborator.compute(lambda: elaborator.arithmetic.function(name, argument), node)


def _kernel(elaborator: Elaborator, node: Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(1, node)
    cls = load_kernel(node.function)
    if cls.is_noise and not columns.given:
        elaborator.unplaced.append(node)  # as observation noise it reads no column, as a kernel it does
    elif cls.compares_categories or cls.reads_numbers:
        require_given_columns(node, columns)
    fields = bind(elaborator, node, cls, columns, scope)
    try:
        return cls(**fields, dim=columns.dim, span=node.span)
    except DimensionError as error:
        raise DimensionError(error.message, node.span) from None


def _patience(node: Call) -> AbstractContextManager[None]:
    """Bound the work of all questions about one formula together."""
    if not any(
        isinstance(given, nodes.Lambda) for given in (*node.positional, *(part.value for part in node.keywords))
    ):
        return nullcontext()
    from kernelspec.expressions.symbolic import patience

    return patience()


class _Known(NamedTuple):
    """The value of a param or let, and its kernels, columns and levels, which count at every use; none for a number.

    `line` is kept because its id is the key: forms make lines of their own, and the id of a dead one is reused.
    """

    line: nodes.Param | nodes.Let
    value: Any
    kernels: int
    columns: int
    height: int


_COLUMNS_ALONE: dict[type[nodes.Expression], str] = {
    nodes.Text: "quotes are for names of columns, as in k['sepal length']",
    nodes.Slice: "a range of columns needs a selection, as in k[0:3]",
}


class SpecElaborator(Elaborator):
    """The rules for every node. Lets are evaluated once for each set of columns."""

    def __init__(
        self, arithmetic: Arithmetic, *, checking: bool = False, seen: SelectedFunctions | None = None
    ) -> None:
        super().__init__(arithmetic, checking=checking, seen=seen)
        self._defined: dict[tuple[int, Columns], _Known] = {}
        self._depth = self._reached = 0

    def value(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        self._deepen(1, node)
        self.counts.count_evaluations(1, node)
        self._depth += 1
        value = self._evaluate(node, columns, scope)
        self._depth -= 1
        return value

    def defined(self, line: nodes.Param | nodes.Let, scope: Definitions, columns: Columns, node: nodes.Name) -> Any:
        # parts and height count at every use, because rules walk the tree, not the graph; lines of numbers come in
        # order, so that long chains do not recurse deeply
        if (id(line), columns) not in self._defined:
            for above, seen in number_lines(line, scope, lambda other: (id(other), columns) in self._defined):
                self._define(above, seen, columns, node)
            self._define(line, scope, columns, node)
        known = self._defined[id(line), columns]
        self._deepen(known.height, node)
        self.counts.count_kernels(known.kernels, node)
        self.counts.count_columns(known.columns, node)
        return known.value

    def _define(self, line: nodes.Param | nodes.Let, scope: Definitions, columns: Columns, node: nodes.Name) -> None:
        """Evaluate a line with counts of its own: a kernel counts where it is used, a vector here."""
        counts, reached, self._reached = self.counts, self._reached, self._depth
        kernels, written = counts.kernels, counts.columns
        if isinstance(line, nodes.Let):
            value = self.value(line.value, columns, scope)
        else:
            value = parameter(self, line, columns, scope, node)
        composite = isinstance(value, Kernel) or is_grid(value)
        height = self._reached - self._depth if composite else 0
        took = (counts.kernels - kernels, counts.columns - written) if composite else (0, 0)
        self._defined[id(line), columns] = _Known(line, value, *took, height)
        counts.kernels, counts.columns, self._reached = kernels, counts.columns - took[1], reached

    def values_defined(self) -> Iterator[tuple[int, Any]]:
        """The id and value of every line used so far, once for each set of columns."""
        yield from ((line, known.value) for (line, _), known in self._defined.items())

    def distribution(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        node, scope = call_meant(node, scope)
        if not isinstance(node, nodes.Call):
            raise TypeMismatchError("expected a distribution, such as student_t(dof=3)", node.span)
        if not DISTRIBUTIONS.knows(node.function):
            known = ", ".join(sorted(DISTRIBUTIONS))
            hint = suggest(node.function, DISTRIBUTIONS, DISTRIBUTIONS_ELSEWHERE) or f"; use {known}"
            raise UnknownNameError(f"unknown distribution '{node.function}'{hint}", node.function_span)
        return self._made(DISTRIBUTIONS.load(node.function), node, columns, scope)

    def activation(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Activation:
        node, scope = call_meant(node, scope)
        if not isinstance(node, nodes.Call):
            shown = "; write a formula as activation(x -> …)" if isinstance(node, nodes.Lambda) else ""
            raise TypeMismatchError(f"expected an activation, such as relu{shown}", node.span)
        if node.function == "activation":
            return _formula_activation(self, node, columns, scope)
        if not ACTIVATIONS.knows(node.function):
            hint = suggest(node.function, [*ACTIVATIONS, "activation"], ACTIVATIONS_ELSEWHERE) or (
                f"; use {', '.join(ACTIVATIONS)}, or a formula such as activation(x -> x**2)"
            )
            raise UnknownNameError(f"unknown activation '{node.function}'{hint}", node.function_span)
        made: Activation = self._made(ACTIVATIONS.load(node.function), node, columns, scope)
        return made

    def _made(self, cls: type, node: Call, columns: Columns, scope: Definitions) -> Any:
        """The activation or distribution with the arguments of the call."""
        fields = bind(self, node, cls, columns, scope)
        try:
            return cls(**fields, span=node.span)
        except ValueError as error:
            raise RangeError(getattr(error, "message", str(error)), node.span) from None

    def _deepen(self, levels: int, node: nodes.Expression) -> None:
        self._reached = max(self._reached, self._depth + levels)
        if self._reached > MAX_LEVELS:  # the parser bounds each line, not chains of lets
            raise RangeError(f"nested more than {MAX_LEVELS} levels deep, counting through lets", node.span)

    def _evaluate(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        match node:
            case nodes.Number():
                return self.arithmetic.literal(node.value)
            case nodes.Name():
                return value_of_name(self, node, columns, scope)
            case nodes.Call():
                return value_of_call(self, node, columns, scope)
            case nodes.Text() | nodes.Slice():
                raise TypeMismatchError(_COLUMNS_ALONE[type(node)], node.span)
            case nodes.Vector():
                return tuple(self._entry(item, columns, scope) for item in node.items)
        from kernelspec.elaboration import operators  # loads the nodes of sums, products and selections

        match node:
            case nodes.Negation():
                value = self.value(node.operand, columns, scope)
                if isinstance(value, Kernel):
                    return operators.weighted_sum([(-1, value)], columns, node.span)
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
                raise TypeMismatchError("a formula must be inside product(…) or activation(…)", node.span)
        raise TypeError(f"no rule for {type(node).__name__}")

    def _entry(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        value = self.value(node, columns, scope)
        if isinstance(value, Kernel) or is_grid(value):
            raise TypeMismatchError("a vector must hold numbers, not kernels", node.span)
        if isinstance(value, tuple) and any(isinstance(entry, tuple) for entry in value):
            raise TypeMismatchError("vectors can nest only twice: expected a number or a row, not a matrix", node.span)
        return value
