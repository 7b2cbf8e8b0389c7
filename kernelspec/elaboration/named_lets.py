"""The kernels that the `let` lines of a program stand for, as parts of its whole kernel tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.elaboration.arithmetic import SymbolicArithmetic, dimension_symbol
from kernelspec.elaboration.elaborate import SpecElaborator
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.kernels.kernel import Kernel
from kernelspec.language.nodes import Let

if TYPE_CHECKING:
    from kernelspec.elaboration.valued_program import ValuedProgram

__all__ = ["kernel_and_lets"]


def kernel_and_lets(spec: ValuedProgram, columns: Columns) -> tuple[Kernel, list[tuple[str, Kernel]]]:
    """The kernel tree in SymPy, and the name and kernel of every `let` that is one, on all columns it is used on.

    Where a `let` is a part of the tree, it is the same object. Raises SpecError.
    """
    if columns.count is None:
        columns = Columns(dimension_symbol(), columns.names, given=columns.given)
    elaborator = SpecElaborator(SymbolicArithmetic())
    kernel = elaborator.kernel(spec.program.body, columns, Definitions.of(spec.program, dict(spec.values)))
    names = {id(line): line.name for line in spec.program.statements if isinstance(line, Let)}
    found = [(names[line], value) for line, value in elaborator.values_defined() if line in names]
    return kernel, [(name, value) for name, value in found if isinstance(value, Kernel)]
