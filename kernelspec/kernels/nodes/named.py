"""Kernels that formulas call by name, and forms that this version cannot analyse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from kernelspec.errors import NotAvailableYet
from kernelspec.expressions.structured_pairs import StructuredPairs
from kernelspec.kernels.kernel import Kernel

if TYPE_CHECKING:
    from kernelspec.expressions.arguments import Scalar, Value
    from kernelspec.expressions.pairs import Pairs
    from kernelspec.kernels.kernel import Verdict

__all__ = ["Named", "Unavailable", "called"]


@dataclass(frozen=True, kw_only=True)
class Named(Kernel):
    """A kernel whose value is written as its name, in formulas alone; everything else is that of the kernel itself."""

    base: Kernel
    name: str

    def value(self, pairs: Pairs) -> Value:
        return called(self.name, pairs)

    @property
    def has_constant_diagonal(self) -> bool:
        return self.base.has_constant_diagonal

    def diagonal(self) -> Scalar:
        return self.base.diagonal()

    def magnitude(self) -> Scalar:
        return self.base.magnitude()

    def verdict(self) -> Verdict:
        return self.base.verdict()

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary


def called(name: str, pairs: Pairs) -> Any:
    """The symbol of a kernel at these pairs: `body`, `near[age]`, `body(2Δ)`."""
    import sympy

    suffix = pairs.suffix if isinstance(pairs, StructuredPairs) else ""
    return sympy.Symbol(f"{name}{suffix}", real=True)


@dataclass(frozen=True, kw_only=True)
class Unavailable(Kernel):
    """Stands for `form` while a spec is checked; every question raises NotAvailableYet with its span."""

    form: str

    def refuse(self) -> NoReturn:
        """Raises NotAvailableYet."""
        raise NotAvailableYet(f"{self.form}() is in the language, but not available yet in this version", self.span)

    def value(self, pairs: Pairs) -> NoReturn:
        self.refuse()

    def diagonal(self) -> float:
        return 1.0

    def magnitude(self) -> float:
        return 1.0

    def verdict(self) -> NoReturn:
        self.refuse()

    @property
    def is_stationary(self) -> bool:
        return False
