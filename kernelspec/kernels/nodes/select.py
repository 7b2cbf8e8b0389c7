"""A kernel on some of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.verdict import Verdict
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.written import ATOM, bracketed

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs, Pairs
    from kernelspec.special.scaled import Scaled

__all__ = ["Select"]

_LONG = 3
"""More neighbouring columns than these are written as a slice."""


@dataclass(frozen=True, kw_only=True)
class Select(Kernel):
    """k on the columns at `positions` of the enclosing selection; the measure is δ₀ on the others."""

    base: Kernel
    positions: tuple[int, ...]

    def validate(self) -> None:
        if not self.positions or not 0 <= min(self.positions) <= max(self.positions) < self.dim:
            raise ValueError(f"there are no columns {self.positions} among {self.dim}")
        self.check_widths([len(self.positions)])

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs.select(self.positions))

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        return self.base.scaled_value(pairs.select(self.positions))

    def diagonal(self) -> Scalar:
        return self.base.diagonal()

    def magnitude(self) -> Scalar:
        return self.base.magnitude()

    def verdict(self) -> Verdict:
        return self.base.verdict()

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary

    def __str__(self) -> str:
        first, last = self.positions[0], self.positions[-1]
        run = len(self.positions) > _LONG and self.positions == tuple(range(first, last + 1))
        columns = f"{first}:{last + 1}" if run else ", ".join(map(str, self.positions))
        return f"{bracketed(self.base, ATOM)}[{columns}]"
