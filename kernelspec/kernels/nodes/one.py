"""The kernel that is one everywhere: the part of a compositional kernel that does not depend on the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.verdict import Verdict
from kernelspec.notation.arguments import Scalar, Value

if TYPE_CHECKING:
    from kernelspec.notation.pairs import Pairs

__all__ = ["One"]


@dataclass(frozen=True, kw_only=True)
class One(Kernel):
    """k(x, y) = 1: one constant column, without variance."""

    def value(self, pairs: Pairs) -> Value:
        del pairs
        return 1

    def diagonal(self) -> Scalar:
        return 1

    def magnitude(self) -> Scalar:
        return 1

    def verdict(self) -> Verdict:
        return Verdict("proved", ("one: positive definite, the square of a constant",))

    @property
    def is_stationary(self) -> bool:
        return True

    def __str__(self) -> str:
        return "1"
