"""A kernel and its diagonal as SymPy expressions in the columns of x and y."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kernelspec.analysis.symbolic_steps import derive

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.notation.pairs import Pairs
    from kernelspec.notation.symbolic_pairs import SymbolicPairs

__all__ = ["diagonal_expression", "kernel_expression"]


def kernel_expression(kernel: Kernel, pairs: Pairs) -> Any:
    """k(x, y) at one pair of rows in symbols; the symbol not_derived_in_time where that takes too long."""
    import sympy

    return derive(lambda: sympy.S(kernel.value(pairs)), lambda late: late)


def diagonal_expression(kernel: Kernel, pairs: SymbolicPairs) -> Any:
    """k(x, x): a constant, or an expression in x for a kernel such as linear(); or not_derived_in_time."""
    import sympy

    operands = pairs.operands
    if not kernel.has_constant_diagonal and operands is not None:
        once = replace(pairs, component=lambda i: 0, operands=lambda i: (operands(i)[0],) * 2)
        return kernel_expression(kernel, once)
    return derive(lambda: sympy.S(kernel.diagonal()), lambda late: late)
