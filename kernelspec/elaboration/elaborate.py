"""From the syntax tree to the kernel tree: what every name, number and selection means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from kernelspec.elaboration import operators
from kernelspec.elaboration.activation_argument import activation_of
from kernelspec.elaboration.arithmetic import Arithmetic
from kernelspec.elaboration.bounded_arithmetic import compute
from kernelspec.elaboration.calls import value_of_call
from kernelspec.elaboration.canonical import weighted_sum
from kernelspec.elaboration.counts import Counts
from kernelspec.elaboration.derived_arguments import range_text
from kernelspec.elaboration.distribution_argument import distribution_of
from kernelspec.elaboration.grid import Grid
from kernelspec.elaboration.names_in_expressions import value_of_name
from kernelspec.elaboration.number_lines import number_lines
from kernelspec.elaboration.parameters import parameter
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import RangeError, TypeMismatchError
from kernelspec.kernels.kernel import Kernel
from kernelspec.language import nodes
from kernelspec.limits import MAX_LEVELS, MAX_SIZE
from kernelspec.notation.arguments import Scalar

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation

__all__ = ["SpecElaborator"]


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
    columns were inferred from names has no columns of its own, and is refused.
    """

    def __init__(self, arithmetic: Arithmetic, *, checking: bool = False) -> None:
        self.arithmetic = arithmetic
        self.checking = checking
        self.counts = Counts()
        self._defined: dict[tuple[int, Columns], _Known] = {}
        self._depth = self._reached = 0

    def kernel(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Kernel:
        """The kernel an expression stands for. Raises TypeMismatchError if it is none."""
        return self.as_kernel(self.value(node, columns, scope), node)

    def as_kernel(self, value: Any, node: nodes.Expression) -> Kernel:
        """The value of a node, if it is a kernel. Raises TypeMismatchError if it is none."""
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
        composite = isinstance(value, Kernel | Grid)
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
                    "a formula stands by itself: it belongs inside product(…) or activation(…)", node.span
                )
        raise TypeError(f"no rule for {type(node).__name__}")

    def _entry(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        value = self.value(node, columns, scope)
        if isinstance(value, Kernel | Grid):
            raise TypeMismatchError("a vector holds numbers, not kernels", node.span)
        if isinstance(value, tuple) and any(isinstance(entry, tuple) for entry in value):
            raise TypeMismatchError("a matrix stands where a row or a number is needed: vectors nest twice", node.span)
        return value
