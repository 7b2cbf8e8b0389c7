"""Rows that are arrays of another library."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kernelspec.tables.cells import no_direction
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.random.hashing import Hashes

__all__ = ["ArrayRows"]


@dataclass(frozen=True)
class ArrayRows(Rows):
    """Rows of numbers (n, D) in another library, float64: those of a table from its row `first` on."""

    numbers: Any  # ArrayValues
    first: int = 0

    @property
    def is_sparse(self) -> bool:
        return False

    def dense(self) -> Any:
        return self.numbers

    def codes(self, position: int) -> Hashes:
        raise TypeError("categories have no counterpart in the array API")

    def select(self, positions: tuple[int, ...]) -> ArrayRows:
        if positions == tuple(range(self.n_columns)):
            return self
        own = self.numbers
        index = own.xp.asarray(list(positions), dtype=own.xp.int64, device=own.device)
        return replace(self, numbers=own.like(own.xp.take(own.values, index, axis=1)))

    def on_unit_sphere(self) -> ArrayRows:
        own, numbers = self.numbers, self.numbers.values
        largest = own.xp.max(own.xp.abs(numbers), axis=1, keepdims=True)
        if bool(own.xp.any(largest == 0)):
            row = int(own.xp.argmax(own.xp.astype(largest[:, 0] == 0, own.xp.int32)))
            raise no_direction(self.first + row)
        scaled = numbers / largest  # squares neither overflow nor vanish
        sizes = own.xp.sqrt(own.xp.sum(scaled * scaled, axis=1, keepdims=True))
        return replace(self, numbers=own.like(scaled / sizes))
