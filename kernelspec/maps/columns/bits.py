"""The lowest bits of every key as one of 2ᵇ columns, without signs; chance agreement is taken off exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.limits import MAX_BITS
from kernelspec.maps.columns.key_by_key import KeyByKey

if TYPE_CHECKING:
    from kernelspec.maps.columns.sparse_table import SparseTable
    from kernelspec.maps.keyed import KeyedFeatures
    from kernelspec.numerics.phasor import Form
    from kernelspec.random.hashing import Hashes
    from kernelspec.samples.samples import Side
    from kernelspec.tables.rows import Rows

__all__ = ["Bits"]


@dataclass(frozen=True)
class Bits(KeyByKey):
    """B = 2ᵇ columns a sample, the key's lowest b bits naming the one that is not zero, and one constant column.

    Two keys agree in these bits with probability c = k + (1 − k)/B. With the values scaled by √(B/(B − 1)) and a
    constant column of value √(Σ_j w_j/(B − 1)) and sign −1 (w_j the signed weights; the sign turns with that of
    their sum) the inner products are unbiased, and one sample has the variance (B/(B − 1))² c(1 − c). The bits are
    those of Li and König 2010 ("b-bit minwise hashing"). Only for samples without a phasor: an amplitude would have
    to be taken off with the chance agreement. Raises PlanError for those, and unless 1 ≤ b ≤ 24.
    """

    n: int

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MAX_BITS:
            raise PlanError(f"bits must be from 1 to {MAX_BITS}, not {self.n}")

    @property
    def columns_per_sample(self) -> int:
        """B = 2ᵇ."""
        return 1 << self.n

    @property
    def unbiased(self) -> bool:
        return True

    @property
    def stays_bounded(self) -> bool:
        return True

    def n_columns(self, part: KeyedFeatures, form: Form) -> int:
        _refuse_phasors(part)
        return len(part) * self.columns_per_sample + 1

    def signs(self, part: KeyedFeatures, form: Form) -> NDArray[np.float64]:
        _refuse_phasors(part)
        constant = 1.0 if _signed_weight(part) < 0 else -1.0
        return np.append(np.repeat(part.sign, self.columns_per_sample), constant)

    def names(self, part: KeyedFeatures, form: Form) -> list[str]:
        _refuse_phasors(part)
        return [f"key{j}_{b}" for j in range(len(part)) for b in range(self.columns_per_sample)] + ["chance"]

    def place(self, keys: Hashes) -> int:
        from kernelspec.numerics.column_kernels import place_bits

        place_bits(keys, np.uint64(self.columns_per_sample - 1))
        return 0

    def layout(self, part: KeyedFeatures, form: Form) -> tuple[NDArray[np.int64], int, int]:
        _refuse_phasors(part)
        return np.arange(len(part), dtype=np.int64) * self.columns_per_sample, 1, 0

    def entries(self, part: KeyedFeatures, form: Form) -> int:
        return len(part) + 1

    def constant_columns(self, part: KeyedFeatures) -> tuple[int, ...]:
        return (len(part) * self.columns_per_sample,)

    def scale(self) -> float:
        return float(np.sqrt(self.columns_per_sample / (self.columns_per_sample - 1)))

    def write(
        self, part: KeyedFeatures, rows: Rows, side: Side, form: Form, table: SparseTable, entry: int, column: int
    ) -> int:
        missing = super().write(part, rows, side, form, table, entry, column)
        table.data[:, entry + len(part)] = np.sqrt(abs(_signed_weight(part)) / (self.columns_per_sample - 1))
        table.indices[:, entry + len(part)] = column + len(part) * self.columns_per_sample
        return missing


def _signed_weight(part: KeyedFeatures) -> float:
    return float((part.sign * part.weight).sum())


def _refuse_phasors(part: KeyedFeatures) -> None:
    if part.has_amplitudes:
        raise PlanError(
            "the bits of keys are columns only for kernels of keys alone: this one multiplies a key by a frequency, "
            "whose chance agreement is no constant. Use buckets"
        )
