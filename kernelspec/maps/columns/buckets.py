"""Keys hashed into a block of columns for every sample, with random signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.limits import MAX_BUCKETS
from kernelspec.maps.columns.key_by_key import KeyByKey, PlaceLayout

if TYPE_CHECKING:
    from kernelspec.maps.columns.sparse_table import SparseTable
    from kernelspec.maps.keyed import KeyedFeatures, Unmixed
    from kernelspec.numerics.phasor import Form
    from kernelspec.random.hashing import Hashes
    from kernelspec.tables.rows import Rows

__all__ = ["Buckets"]


@dataclass(frozen=True)
class Buckets(KeyByKey):
    """B columns a sample (2B for cosine and sine): a key's upper half names one of them, its last bit gives the sign.

    Unbiased, whatever keys are to come: two keys that collide add ±1 with equal chances. A sample of variance
    k(1 − k) gets k(1 − k) + (1 − k)/B. Raises PlanError for fewer than two or more than 2³¹ columns.
    """

    n: int

    def __post_init__(self) -> None:
        if not 2 <= self.n <= MAX_BUCKETS:
            raise PlanError(f"buckets must be from 2 to 2**31, not {self.n}")

    @property
    def unbiased(self) -> bool:
        return True

    @property
    def stays_bounded(self) -> bool:
        return True

    def n_columns(self, part: KeyedFeatures, form: Form) -> int:
        return len(part) * part.entries(form) * self.n

    def signs(self, part: KeyedFeatures, form: Form) -> NDArray[np.float64]:
        return np.repeat(part.sign, part.entries(form) * self.n)

    def names(self, part: KeyedFeatures, form: Form) -> list[str]:
        return [f"{kind}{j}_{b}" for j in range(len(part)) for kind in part.kinds(form) for b in range(self.n)]

    def place(self, keys: Hashes) -> int:
        from kernelspec.numerics.column_kernels import place_buckets

        place_buckets(keys, np.uint64(self.n))
        return 0

    def write_without_keys(
        self, part: KeyedFeatures, rows: Rows, values: NDArray[Any], layout: PlaceLayout, table: SparseTable, entry: int
    ) -> bool:
        """Where the only factor can, all rows have the same values, and these are real."""
        if values.shape[:2] != (1, 1) or len(part.factors) > 1 or table.data.dtype.kind != "f":
            return False
        of_samples = part.identity, part.salt_of(0), np.uint64(self.n), values[0, 0], layout[0]
        return part.factors[0].write_buckets(rows, (*of_samples, entry, table.data, table.indices))

    def write_block(
        self, unmixed: Unmixed, values: NDArray[Any], layout: PlaceLayout, table: SparseTable, entry: int
    ) -> int:
        """In one pass over the keys where they are of one factor and all rows have the same values."""
        from kernelspec.numerics.column_kernels import write_buckets

        (first, last, offset), starts = unmixed, layout[0]
        if values.shape[:2] != (1, 1) or len(first) > 1 or last.shape[1] < len(starts):
            return super().write_block(unmixed, values, layout, table, entry)
        write_buckets(first[0], last, offset, np.uint64(self.n), values[0, 0], starts, entry, table.data, table.indices)
        return 0

    def layout(self, part: KeyedFeatures, form: Form) -> PlaceLayout:
        return np.arange(len(part), dtype=np.int64) * (part.entries(form) * self.n), 1, self.n
