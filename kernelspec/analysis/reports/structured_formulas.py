"""Formulas with the structure of the spec: what a `let` stands for is printed once, and used by its name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kernelspec.analysis.reports.expression_text import shown
from kernelspec.analysis.reports.kernel_expressions import kernel_expression
from kernelspec.analysis.reports.named_parts import with_names
from kernelspec.analysis.variances.sample_variances import methods_by_variance, sample_variances
from kernelspec.elaboration.named_lets import kernel_and_lets
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.notation.structured_pairs import StructuredPairs
from kernelspec.notation.written import SIGNED, bracketed

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.elaboration.valued_program import ValuedProgram
    from kernelspec.kernels.kernel import Kernel

__all__ = ["StructuredFormulas"]

_POWERS = {"2": "²", "3": "³", "4": "⁴"}


@dataclass(frozen=True)
class StructuredFormulas:
    """The formulas of a spec on some columns, with Δ_age for x_age − y_age and norms as they are."""

    spec: ValuedProgram
    columns: Columns

    def kernel(self) -> str:
        """k(x, y); of a sum the terms in the order of the spec, with their weights as decimals."""
        if not isinstance(self._named, Sum) or not self._named.terms:
            return self.terms[0]
        said = ""
        for weight, term in zip(self._named.weights, self.terms, strict=True):
            number = bracketed(_number(weight), SIGNED)
            sign, size = (" - ", number[1:]) if number.startswith("-") else (" + ", number)
            part = bracketed(term, SIGNED)
            said += (sign if said else sign.strip().strip("+")) + (part if size == "1" else f"{size}*{part}")
        return said

    def lets(self) -> list[str]:
        """`body = exp(-‖(Δ_a/5, Δ_b/2)‖²/2)`, a line for every `let` that formulas use, in the order of the spec."""
        found: dict[str, str] = {}
        for name, kernel in self._used:
            own = {key: other for key, other in self._names.items() if key != id(kernel)}
            pairs = self._pairs if kernel.dim == self._kernel.dim else StructuredPairs.between(kernel.dim)
            found.setdefault(name, _text(kernel_expression(with_names(kernel, own), pairs)))
        return [f"{name} = {text}" for name, text in found.items()]

    @cached_property
    def terms(self) -> list[str]:
        """What stands behind every weight of the sum that the kernel is; k itself where it is no sum."""
        terms = (isinstance(self._named, Sum) and self._named.terms) or (self._named,)
        return [_text(kernel_expression(term, self._pairs)) for term in terms]

    def variances(self) -> list[str]:
        """The variance of one sample's inner product by method, a line each."""
        found = methods_by_variance(sample_variances(self._named, self._pairs))
        return [f"{', '.join(methods)}: {_text(value)}" for value, methods in found.items()]

    @cached_property
    def _elaborated(self) -> tuple[Kernel, list[tuple[str, Kernel]]]:
        return kernel_and_lets(self.spec, self.columns)

    @property
    def _kernel(self) -> Kernel:
        return self._elaborated[0]

    @cached_property
    def _used(self) -> list[tuple[str, Kernel]]:
        """The lets that are parts of the tree, and are not the whole of it."""
        there = {id(part) for part in self._kernel.parts()}
        return [
            (name, kernel) for name, kernel in self._elaborated[1] if id(kernel) in there and kernel is not self._kernel
        ]

    @cached_property
    def _names(self) -> dict[int, str]:
        return {id(kernel): name for name, kernel in self._used}

    @cached_property
    def _named(self) -> Kernel:
        return with_names(self._kernel, self._names)

    @cached_property
    def _pairs(self) -> StructuredPairs:
        return StructuredPairs.between(self._kernel.dim, self.columns.names)


def _number(weight: Any) -> str:
    """A decimal, where six digits are enough; else as SymPy prints it."""
    import sympy

    exact = sympy.S.Zero + weight  # −1 of a kernel with a minus is an int
    short = f"{float(exact):.6g}" if exact.is_number else ""
    return short if short and abs(float(short) - float(exact)) <= 1e-12 * abs(float(exact)) else str(exact)


def _text(expression: Any) -> str:
    """As SymPy prints it, with ² for **2."""
    return re.sub(r"\*\*([234])(?![\d.])", lambda found: _POWERS[found[1]], shown(expression))
