"""The samples of a kernel that formulas call by its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kernelspec.kernels.nodes.named import Named, called
from kernelspec.laws.derived import Derived
from kernelspec.laws.moments import Moments
from kernelspec.laws.rules import Below, closed_to, own_law

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Value
    from kernelspec.notation.pairs import Pairs

__all__ = ["NamedLaw"]


@dataclass(frozen=True)
class NamedLaw(Derived):
    """The samples of the kernel itself; A = k(0)² and B = k(0) k(2Δ) are written in its name, where they are that."""

    name: str

    def draw(self, stream: Any, n: int, columns: tuple[int, ...]) -> list[Any]:
        return self.base.draw(stream, n, columns)

    def value(self, pairs: Pairs) -> Value:
        return called(self.name, pairs)

    def moments(self, pairs: Pairs) -> Moments:
        found = self.base.moments(pairs)
        size = self.base.magnitude()
        if found.a == size**2 and found.b == size * self.base.value(pairs.map(2)):
            return Moments(found.a, size * called(self.name, pairs.map(2)), found.real)
        return found

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return self.base.lines(columns, names)


@own_law.register
def _(kernel: Named, below: Below) -> NamedLaw:
    return NamedLaw(below(kernel.base), kernel.name)


@closed_to.register
def _(kernel: Named) -> frozenset[str]:
    return closed_to(kernel.base)
