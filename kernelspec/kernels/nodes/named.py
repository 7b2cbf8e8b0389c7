"""Kernels that formulas call by name, and forms that this version cannot analyse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from kernelspec.errors import NotAvailableYet
from kernelspec.expressions.structured_pairs import StructuredPairs
from kernelspec.kernels.kernel import Kernel, OnBase

if TYPE_CHECKING:
    from kernelspec.expressions.arguments import Value
    from kernelspec.expressions.pairs import Pairs

__all__ = ["Named", "Unavailable", "called"]


@dataclass(frozen=True, kw_only=True)
class Named(OnBase):
    """A kernel whose value is written as its name, in formulas alone; everything else is that of the kernel itself."""

    name: str

    def value(self, pairs: Pairs) -> Value:
        return called(self.name, pairs)


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
