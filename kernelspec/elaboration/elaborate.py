"""From the syntax tree to the kernel tree: what every name, number and call stands for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from kernelspec.catalogue import ACTIVATIONS, DISTRIBUTIONS, KERNELS
from kernelspec.elaboration.arithmetic import FUNCTIONS, Arithmetic, compute, range_text
from kernelspec.elaboration.call_arguments import bind, unknown_name
from kernelspec.elaboration.forms.form import FORMS, load_form, require_given_columns
from kernelspec.elaboration.names_elsewhere import ACTIVATIONS_ELSEWHERE, DISTRIBUTIONS_ELSEWHERE, kernel_here
from kernelspec.elaboration.scope import Columns, Counts, Definitions, number_lines, parameter
from kernelspec.errors import ArgumentError, DimensionError, RangeError, SpecError, TypeMismatchError, UnknownNameError
from kernelspec.expressions.arguments import Scalar
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import load_kernel
from kernelspec.language import nodes
from kernelspec.limits import MAX_LEVELS, MAX_SIZE
from kernelspec.loading import loaded, suggest

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation
    from kernelspec.elaboration.scope import Elaborator
    from kernelspec.language.nodes import Call, Name

__all__ = ["SpecElaborator", "activation_of", "call_meant", "distribution_of", "value_of_call", "value_of_name"]


def call_meant(node: nodes.Expression, scope: Definitions) -> tuple[nodes.Expression, Definitions]:
    """An expression, and what its names mean, after lets are followed; a name alone is a call without arguments.

    `student_t(3)` stays as it is, `relu` is relu(), and so is `f` below the line `let f = relu`.
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
        return _dimension(elaborator, columns)
    if name == "ones":
        one = elaborator.arithmetic.literal(Fraction(1))
        if columns.count is None and not elaborator.checking:
            return one  # where d is a symbol the vector cannot be written out, but a number means the constant vector
        elaborator.counts.count_columns(columns.count or 1, node)
        return (one,) * (columns.count or 1)
    if name in FORMS or KERNELS.knows(name):
        raise TypeMismatchError(f"'{name}' is a kernel: write {name}(…)", node.span)
    if name in scope.lines:
        raise UnknownNameError(
            f"unknown name '{name}': it is defined below, and a line sees only the lines above it", node.span
        )
    raise unknown_name(node, scope)


def _dimension(elaborator: Elaborator, columns: Columns) -> Scalar:
    if columns.count is not None:
        return elaborator.arithmetic.literal(Fraction(columns.count))
    return math.nan if columns.dim is None else columns.dim


def activation_of(elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions) -> Activation:
    """An activation of the catalogue, or activation(x -> f(x)).

    Raises TypeMismatchError, UnknownNameError, ArgumentError, RangeError, and what `bind` and `build_formula` do.
    """
    node, scope = call_meant(node, scope)
    if not isinstance(node, nodes.Call):
        shown = "; write a formula as in activation(x -> …)" if isinstance(node, nodes.Lambda) else ""
        raise TypeMismatchError(f"an activation is needed here, such as relu{shown}", node.span)
    if node.function == "activation":
        return _formula_activation(elaborator, node, columns, scope)
    if not ACTIVATIONS.knows(node.function):
        hint = suggest(node.function, [*ACTIVATIONS, "activation"], ACTIVATIONS_ELSEWHERE) or (
            f"; there are {', '.join(ACTIVATIONS)}, and formulas, as in activation(x -> x**2)"
        )
        raise UnknownNameError(f"there is no activation '{node.function}'{hint}", node.function_span)
    cls = ACTIVATIONS.load(node.function)
    fields = bind(elaborator, node, cls, columns, scope)
    try:
        made: Activation = cls(**fields, span=node.span)
        return made
    except ValueError as error:
        raise RangeError(getattr(error, "message", str(error)), node.span) from None


def _formula_activation(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Activation:
    from kernelspec.activations.formula import FormulaActivation
    from kernelspec.elaboration.formulas import build_formula

    if len(node.positional) != 1 or node.keywords or not isinstance(node.positional[0], nodes.Lambda):
        raise ArgumentError("activation() takes one formula: activation(x -> f(x))", node.span)
    formula = build_formula(elaborator, node.positional[0], columns, scope)
    return FormulaActivation(function=formula, span=node.span)


def distribution_of(elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
    """A distribution of the catalogue. Raises TypeMismatchError, UnknownNameError, RangeError, and what `bind` does."""
    node, scope = call_meant(node, scope)
    if not isinstance(node, nodes.Call):
        raise TypeMismatchError("a distribution is needed here, such as student_t(dof=3)", node.span)
    if not DISTRIBUTIONS.knows(node.function):
        known = ", ".join(sorted(DISTRIBUTIONS))
        hint = suggest(node.function, DISTRIBUTIONS, DISTRIBUTIONS_ELSEWHERE) or f"; there are {known}"
        raise UnknownNameError(f"there is no distribution '{node.function}'{hint}", node.function_span)
    cls = DISTRIBUTIONS.load(node.function)
    fields = bind(elaborator, node, cls, columns, scope)
    try:
        return cls(**fields)
    except ValueError as error:
        raise RangeError(str(error), node.span) from None


def value_of_call(elaborator: Elaborator, node: Call, columns: Columns, scope: Definitions) -> Any:
    """A Kernel, a number, or a Grid. Raises UnknownNameError, and what the arguments of the call raise."""
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
            raise type(error)(error.message, node.span) from None  # from a rule that knows no text
    if not KERNELS.knows(name):
        hint = kernel_here(name, node) or suggest(name, [*KERNELS, *FORMS, *FUNCTIONS])
        if not hint and name in DISTRIBUTIONS:
            from kernelspec.distributions.distribution import Positive, load_distribution

            form = "polya" if issubclass(load_distribution(name), Positive) else "bochner"
            hint = f"; as a distribution it goes inside {form}({name}(…))"
        if name in ACTIVATIONS or name == "activation":
            hint = f"; as an activation it goes inside dual({name}, …)"
        raise UnknownNameError(f"there is no kernel '{name}'{hint}", node.function_span)
    with _patience(node):
        return _kernel(elaborator, node, columns, scope)


def _function(elaborator: Elaborator, node: Call, columns: Columns, scope: Definitions) -> Scalar:
    name = node.function
    if len(node.positional) != 1 or node.keywords:
        raise ArgumentError(f"{name}() takes one number", node.span)
    (inner,) = node.positional
    argument = elaborator.number(elaborator.value(inner, columns, scope), inner, f"{name}()'s argument")
    return elaborator.compute(lambda: elaborator.arithmetic.function(name, argument), node)


def _kernel(elaborator: Elaborator, node: Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(1, node)
    cls = load_kernel(node.function)
    if cls.compares_categories or cls.reads_numbers:
        require_given_columns(node, columns)
    fields = bind(elaborator, node, cls, columns, scope)
    try:
        return cls(**fields, dim=columns.dim, span=node.span)
    except DimensionError as error:
        raise DimensionError(error.message, node.span) from None


def _patience(node: Call) -> AbstractContextManager[None]:
    """All questions about one formula share a bound on their work."""
    if not any(
        isinstance(given, nodes.Lambda) for given in (*node.positional, *(part.value for part in node.keywords))
    ):
        return nullcontext()
    from kernelspec.expressions.symbolic import patience

    return patience()


def _is_grid(value: Any) -> bool:
    return isinstance(value, loaded("kernelspec.elaboration.forms.grids:Grid"))


class _Known(NamedTuple):
    """The value of a param or let, and what counts at every use: kernels, columns, levels. A number has none."""

    value: Any
    kernels: int
    columns: int
    height: int


class SpecElaborator:
    """Turns expressions into kernels (or numbers, or vectors), in one arithmetic.

    With `checking`, unknown numbers and columns are let through, and forms of later versions too: this
    is what a spec is held against as soon as it is read. A kernel that stands at the top of a spec whose
    columns were inferred from names has no columns of its own, and is refused. `maps_columns` says whether the
    spec has functions of columns.
    """

    def __init__(self, arithmetic: Arithmetic, *, checking: bool = False) -> None:
        self.arithmetic = arithmetic
        self.checking = checking
        self.counts = Counts()
        self.maps_columns = False
        self._defined: dict[tuple[int, Columns], _Known] = {}
        self._depth = self._reached = 0

    def kernel(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Kernel:
        """The kernel an expression stands for. Raises TypeMismatchError if it is none."""
        return self.as_kernel(self.value(node, columns, scope), node)

    def as_kernel(self, value: Any, node: nodes.Expression) -> Kernel:
        """The value of a node, if it is a kernel. Raises TypeMismatchError if it is none."""
        if isinstance(value, Kernel):
            return value
        if _is_grid(value):
            raise TypeMismatchError(
                "a grid of kernels stands where a kernel is needed: full(relu, input=…) makes one of it", node.span
            )
        what = "a vector" if isinstance(value, tuple) else "a number"
        raise TypeMismatchError(f"{what} stands where a kernel is needed", node.span)

    def number(self, value: Any, node: nodes.Expression, where: str = "this") -> Scalar:
        """The value, if it is a number. Raises TypeMismatchError if it is none."""
        if isinstance(value, Kernel | tuple) or _is_grid(value):
            what = "a kernel" if isinstance(value, Kernel) else "a vector" if isinstance(value, tuple) else "a grid"
            raise TypeMismatchError(f"{where} must be a number, not {what}", node.span)
        return value

    def argument(self, value: Scalar, node: nodes.Expression, where: str = "this") -> Scalar:
        """A number as a kernel stores it. Raises RangeError, at the node, for one too large or small to reckon with."""
        known = self.arithmetic.known(value)
        if known and not 1 / MAX_SIZE <= abs(known) <= MAX_SIZE:
            raise RangeError(range_text(where, known), node.span)
        return self.arithmetic.argument(value)

    def arguments(self, values: Sequence[Any], node: nodes.Expression, where: str = "this") -> tuple[Scalar, ...]:
        """Numbers as a kernel stores them, one for each column or term.

        Each counts as a part evaluated, and as a column. Raises what `number` and `argument` do.
        """
        self.counts.count_columns(len(values), node)
        distinct = {id(value): value for value in values}  # `ones` is one number, millions of times
        self.counts.count_evaluations(len(distinct), node)
        stored = {key: self.argument(self.number(value, node, where), node, where) for key, value in distinct.items()}
        return tuple(stored[id(value)] for value in values)

    def constant(self, value: float | Fraction) -> Scalar:
        """A number that stands in no spec, such as a default."""
        return self.arithmetic.argument(self.arithmetic.literal(Fraction(value)))

    def value(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        """A Kernel, a number, a vector (a tuple; of tuples for a matrix), or a Grid of kernels."""
        self._deepen(1, node)
        self.counts.count_evaluations(1, node)
        self._depth += 1
        value = self._evaluate(node, columns, scope)
        self._depth -= 1
        return value

    def defined(self, line: nodes.Param | nodes.Let, scope: Definitions, columns: Columns, node: nodes.Name) -> Any:
        """The value of a `param` or `let` on these columns, one object however often it is used.

        `scope` is what the line sees, `node` where it is used. What it is made of counts at every use, and so does its
        height: rules walk the tree, not the graph. Lines that hold numbers are taken in their order, so that a long
        chain of them is no deep recursion.
        """
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
        """Evaluate a line, apart from what was counted so far: a kernel counts where it is used, a vector here."""
        counts, reached, self._reached = self.counts, self._reached, self._depth
        kernels, written = counts.kernels, counts.columns
        if isinstance(line, nodes.Let):
            value = self.value(line.value, columns, scope)
        else:
            value = parameter(self, line, columns, scope, node)
        composite = isinstance(value, Kernel) or _is_grid(value)
        height = self._reached - self._depth if composite else 0
        took = (counts.kernels - kernels, counts.columns - written) if composite else (0, 0)
        self._defined[id(line), columns] = _Known(value, *took, height)
        counts.kernels, counts.columns, self._reached = kernels, counts.columns - took[1], reached

    def values_defined(self) -> Iterator[tuple[int, Any]]:
        """The id of every line that was met, and its value: once for all columns on which it was used."""
        yield from ((line, known.value) for (line, _), known in self._defined.items())

    def compute(self, operation: Callable[[], Scalar], node: nodes.Expression) -> Scalar:
        """The result of an arithmetic operation. Raises RangeError where it has none that is a float too."""
        return compute(self.arithmetic, operation, node)

    def distribution(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        """The distribution an expression stands for: position decides, so `gaussian` is one here."""
        return distribution_of(self, node, columns, scope)

    def activation(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Activation:
        """The activation an expression stands for: position decides, so `gaussian` is one here."""
        return activation_of(self, node, columns, scope)

    def _deepen(self, levels: int, node: nodes.Expression) -> None:
        self._reached = max(self._reached, self._depth + levels)
        if self._reached > MAX_LEVELS:  # the parser bounds each line; a chain of lets can still be long
            raise RangeError(f"nested more than {MAX_LEVELS} levels deep, counting through lets", node.span)

    def _evaluate(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        match node:
            case nodes.Number():
                return self.arithmetic.literal(node.value)
            case nodes.Name():
                return value_of_name(self, node, columns, scope)
            case nodes.Call():
                return value_of_call(self, node, columns, scope)
            case nodes.Text():
                raise TypeMismatchError("quotes are for names of columns, as in k['sepal length']", node.span)
            case nodes.Vector():
                return tuple(self._entry(item, columns, scope) for item in node.items)
        from kernelspec.elaboration import operators  # with the nodes of sums, products and selections

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
                raise TypeMismatchError(
                    "a formula stands by itself: it belongs inside product(…) or activation(…)", node.span
                )
        raise TypeError(f"no rule for {type(node).__name__}")

    def _entry(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        value = self.value(node, columns, scope)
        if isinstance(value, Kernel) or _is_grid(value):
            raise TypeMismatchError("a vector holds numbers, not kernels", node.span)
        if isinstance(value, tuple) and any(isinstance(entry, tuple) for entry in value):
            raise TypeMismatchError("a matrix stands where a row or a number is needed: vectors nest twice", node.span)
        return value
