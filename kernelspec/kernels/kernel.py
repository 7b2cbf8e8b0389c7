"""The contract of every kernel node."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from kernelspec.notation.arguments import Scalar, Value

if TYPE_CHECKING:
    from kernelspec.kernels.verdict import Verdict
    from kernelspec.notation.pairs import NumericPairs, Pairs
    from kernelspec.source import Span
    from kernelspec.special.scaled import Scaled

__all__ = ["Kernel"]


@cache
def _field_names(cls: type[Kernel]) -> tuple[str, ...]:
    """Those that may hold kernels."""
    return tuple(part.name for part in fields(cls) if part.name not in ("dim", "span"))


@dataclass(frozen=True, kw_only=True)
class Kernel(ABC):
    """A kernel on rows of `dim` columns (a whole number, or the symbol d), with the span it came from.

    Composite nodes are written with + and * alone, so the same lines serve numbers and SymPy.
    """

    dim: Scalar
    span: Span | None = field(default=None, compare=False, repr=False)

    def children(self) -> Iterator[Kernel]:
        """The kernels directly below this one."""
        for name in _field_names(type(self)):
            value = getattr(self, name)
            if isinstance(value, tuple):
                yield from (item for item in value if isinstance(item, Kernel))
            elif not isinstance(value, int | float | str) and isinstance(value, Kernel):
                yield value

    def parts(self) -> Iterator[Kernel]:
        """This kernel and all those below it, each before its own, from left to right."""
        pending: list[Kernel] = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(list(node.children())))

    def validate(self) -> None:
        """Raise ValueError unless the parts fit together, in numbers: a tree from a file may hold any.

        Here: on as many columns, at least one, as the kernels directly below.
        """
        if type(self.dim) is not int or not 1 <= self.dim < 2**31:
            raise ValueError(f"a kernel on {self.dim} columns")
        self.check_widths([self.dim])

    def check_widths(self, widths: Sequence[int]) -> None:
        """Raise ValueError unless every kernel directly below is on one of these numbers of columns."""
        for child in self.children():
            if child.dim not in widths:
                raise ValueError(f"a kernel on {self.dim} columns stands on one on {child.dim} columns")

    @abstractmethod
    def value(self, pairs: Pairs) -> Value:
        """k(x, y) for pairs of rows."""

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        """k(x, y) as m·e^s, for what is multiplied by a large exponential; here with s = 0."""
        import numpy as np

        from kernelspec.special.scaled import Scaled

        return Scaled(np.asarray(self.value(pairs), dtype=float), np.zeros(()))

    @property
    def grows_exponentially(self) -> bool:
        """Whether |k| may be large beyond all floats, so that its products are taken of scaled values."""
        return any(child.grows_exponentially for child in self.children())

    @property
    def has_constant_diagonal(self) -> bool:
        """Whether k(x, x) is the same for every x; if it is not, `diagonal` must not be asked."""
        return all(child.has_constant_diagonal for child in self.children())

    @abstractmethod
    def diagonal(self) -> Scalar:
        """k(x, x), where it is the same for every x."""

    @abstractmethod
    def magnitude(self) -> Scalar:
        """A bound on |p| for the samples p of this node: k(x, x) for positive weights, more for differences."""

    @abstractmethod
    def verdict(self) -> Verdict:
        """Positive definite, symmetric, stationary: derived from the children's verdicts by a theorem."""

    @property
    @abstractmethod
    def is_stationary(self) -> bool:
        """Whether k is a function of x − y on all columns, so that a spectral measure exists."""

    def transposed(self) -> Kernel:
        """k(y, x), by transposing the kernels below; a symmetric kernel of the catalogue is itself."""
        changed: dict[str, Any] = {}
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, Kernel):
                changed[part.name] = value.transposed()
            elif isinstance(value, tuple) and any(isinstance(item, Kernel) for item in value):
                changed[part.name] = tuple(item.transposed() if isinstance(item, Kernel) else item for item in value)
        return replace(self, **changed)
