"""What hashing keys into columns adds to the variance."""

from __future__ import annotations

from dataclasses import dataclass, field

from kernelspec.errors import PlanError
from kernelspec.limits import MAX_BITS
from kernelspec.notation.arguments import Value

__all__ = ["Collisions"]
"""Of a key as columns: 2²⁴ of them for every sample."""


@dataclass(frozen=True)
class Collisions:
    """Two different keys share one of `columns` B columns with chance 1/B.

    With random signs such pairs add ±1, which has no mean. Without signs, as one-hot bits, each sample counts
    (B·1[same column] − 1)/(B − 1), which has the mean of 1[same key] (math of "b-bit" hashing, Li and König 2010).
    """

    columns: int
    signed: bool
    concerned: Value = field(default=1, compare=False)
    """The share of the keys of every pair of rows that are hashed: 0 for those that have columns of their own."""

    @classmethod
    def none(cls) -> Collisions:
        """For features whose keys all have columns of their own."""
        return cls(1, signed=True, concerned=0)

    @classmethod
    def of(cls, buckets: int | None, bits: int | None) -> Collisions | None:
        """For keys hashed into buckets with signs, or their bits as columns; None for columns that are learnt.

        Raises PlanError for fewer than two buckets, or bits outside 1 … 24.
        """
        if bits is not None:
            if not 1 <= bits <= MAX_BITS:
                raise PlanError(f"bits must be from 1 to {MAX_BITS}, not {bits}")
            return cls(1 << bits, signed=False)
        if buckets is None:
            return None
        if buckets < 2:
            raise PlanError(f"buckets must be at least 2, not {buckets}")
        return cls(buckets, signed=True)

    def second_moment(self, met: Value, free: Value) -> Value:
        """E of one sample's square, from `met`, that of the keys themselves, and `free`, as if all keys agreed."""
        b = self.columns
        shared = met + (free - met) * self.concerned / b
        return shared if self.signed else ((b * b - 2 * b) * shared + free) / (b - 1) ** 2
