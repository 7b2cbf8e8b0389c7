"""What forms, arguments and operators ask of the elaborator: values of expressions, in one arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from kernelspec.elaboration.arithmetic import Arithmetic
from kernelspec.elaboration.counts import Counts
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.kernels.kernel import Kernel
from kernelspec.language import nodes
from kernelspec.notation.arguments import Scalar

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation

__all__ = ["Elaborator"]


class Elaborator(Protocol):
    """Turns expressions into kernels, numbers or vectors; `SpecElaborator` says what each method raises."""

    arithmetic: Arithmetic
    checking: bool
    counts: Counts

    def kernel(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Kernel:
        """The kernel an expression stands for."""

    def as_kernel(self, value: Any, node: nodes.Expression) -> Kernel:
        """The value of a node, if it is a kernel."""

    def number(self, value: Any, node: nodes.Expression, where: str = "this") -> Scalar:
        """The value, if it is a number."""

    def argument(self, value: Scalar, node: nodes.Expression, where: str = "this") -> Scalar:
        """A number as a kernel stores it."""

    def arguments(self, values: Sequence[Any], node: nodes.Expression, where: str = "this") -> tuple[Scalar, ...]:
        """Numbers as a kernel stores them, one for each column or term."""

    def constant(self, value: float | Fraction) -> Scalar:
        """A number that no spec contains, such as a default."""

    def value(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        """A Kernel, a number, a vector, or a Grid of kernels."""

    def defined(self, line: nodes.Param | nodes.Let, scope: Definitions, columns: Columns, node: nodes.Name) -> Any:
        """The value of a `param` or `let` on these columns."""

    def compute(self, operation: Callable[[], Scalar], node: nodes.Expression) -> Scalar:
        """The result of an arithmetic operation."""

    def distribution(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        """The distribution an expression stands for."""

    def activation(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Activation:
        """The activation an expression stands for."""
