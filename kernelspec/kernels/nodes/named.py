"""A kernel that formulas call by its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kernelspec.kernels.kernel import Kernel
from kernelspec.notation.structured_pairs import StructuredPairs

if TYPE_CHECKING:
    from kernelspec.kernels.verdict import Verdict
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs

__all__ = ["Named", "called"]


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
