"""Hash keys as columns: the interface of encodings, buckets with random signs, lowest bits, and their tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.limits import MAX_BITS, MAX_BUCKETS
from kernelspec.numerics.arrays import Workspace, index_dtype
from kernelspec.numerics.threads import run_blocks
from kernelspec.random.streams import Hashes
from kernelspec.tables.rows import Rows, matrix_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.maps.keyed import KeyedFeatures
    from kernelspec.numerics.phasor import Form
    from kernelspec.samples.samples import Side

__all__ = ["AppendedRows", "Bits", "Buckets", "Encoding", "KeyByKey", "SparseTable"]


@dataclass(frozen=True)
class SparseTable:
    """Entries of n rows, `length` per row: values, and increasing columns; those of column −1 are dropped."""

    data: NDArray[Any]
    indices: NDArray[Any]
    n_columns: int

    @classmethod
    def empty(cls, n_rows: int, length: int, n_columns: int, dtype: np.dtype[Any]) -> SparseTable:
        """An empty table; indices have 32 bits if that suffices."""
        size = n_rows * length
        kind = index_dtype(max(size, n_columns))
        data, indices = np.empty(size, dtype=dtype), np.empty(size, dtype=kind)
        return cls(data.reshape(n_rows, length), indices.reshape(n_rows, length), n_columns)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, rows: slice) -> SparseTable:
        """Some of the rows, in the same memory."""
        return SparseTable(self.data[rows], self.indices[rows], self.n_columns)

    def finished(self, missing: int) -> csr_array:
        """The matrix (n, n_columns) without the `missing` entries of column −1; shares memory if none is missing."""
        n_rows, length = self.data.shape
        data, indices = self.data.reshape(-1), self.indices.reshape(-1)
        pointers = np.arange(n_rows + 1, dtype=indices.dtype) * indices.dtype.type(length)
        if missing:
            from kernelspec.numerics.column_kernels import compact

            compact(data, indices, pointers)
            data, indices = data[: pointers[-1]].copy(), indices[: pointers[-1]].copy()
        return matrix_of(data, indices, pointers, self.n_columns)


class Encoding(ABC):
    """Columns such that left(x) · diag(signs) · right(y)' has the mean of the estimate that compares the keys."""

    of_known_categories: ClassVar[bool] = False
    """Whether the plan knows the keys, so that nothing is learned afterwards."""

    @property
    def unbiased(self) -> bool:
        """Whether that holds for all rows, or only for those with known keys."""
        return True

    @property
    def stays_bounded(self) -> bool:
        """Whether `write` allocates nothing of the size of the rows, and leaves no column missing."""
        return True

    @abstractmethod
    def n_columns(self, part: KeyedFeatures, form: Form) -> int:
        """Columns of the part."""

    @abstractmethod
    def signs(self, part: KeyedFeatures, form: Form) -> NDArray[np.float64]:
        """+1 or −1 for every column."""

    @abstractmethod
    def names(self, part: KeyedFeatures, form: Form) -> list[str]:
        """A name for every column."""

    @abstractmethod
    def write(
        self, part: KeyedFeatures, rows: Rows, side: Side, form: Form, table: SparseTable, entry: int, column: int
    ) -> int:
        """Write a part into `table`, from an entry and a column on; return the number of missing columns."""

    def check(self, part: KeyedFeatures) -> None:  # noqa: B027 -- nothing to say of an encoding that fits every part
        """Raise ValueError unless this encoding fits the samples of the part; a saved map may hold anything."""

    def entries(self, part: KeyedFeatures, form: Form) -> int:
        """The most nonzeros per row."""
        return len(part) * part.entries(form)

    def constant_columns(self, part: KeyedFeatures) -> tuple[int, ...]:
        """Columns with one value for all rows, which correct for chance agreement."""
        return ()

    def shared_columns(self, part: KeyedFeatures, form: Form) -> NDArray[np.bool_]:
        """For every column, whether it is shared by unknown keys."""
        return np.zeros(self.n_columns(part, form), dtype=bool)

    def count_unmet(self, part: KeyedFeatures, rows: Rows) -> int:
        """The number of entries (row, sample) with unknown keys, if columns belong to known ones."""
        return 0

    def variance_of_sharing(self, part: KeyedFeatures, x: Rows, y: Rows, form: Form) -> NDArray[np.float64]:
        """The variance that shared columns add, if the plan does not include it: (n, m)."""
        return np.zeros((len(x), len(y)))


PlaceLayout: TypeAlias = tuple[NDArray[np.int64], int, int]
"""(starts, stride, step): entry e of sample j is in column starts_j + place·stride + e·step."""


class KeyByKey(Encoding):
    """The key of a sample selects the column of the sample's values."""

    @abstractmethod
    def place(self, keys: Hashes) -> int:
        """Replace keys (rows, samples) by places, twice the column, plus one to negate; return how many have none."""

    @abstractmethod
    def layout(self, part: KeyedFeatures, form: Form) -> PlaceLayout:
        """Where the places of the samples are, among the columns of the part."""

    def scale(self) -> float:
        """Factors of the values."""
        return 1.0

    def write(
        self, part: KeyedFeatures, rows: Rows, side: Side, form: Form, table: SparseTable, entry: int, column: int
    ) -> int:
        """Distribute blocks of rows over all CPUs; the bits do not depend on the blocks."""
        from kernelspec.numerics.column_kernels import write_entries

        starts, stride, step = self.layout(part, form)
        layout = starts + column, stride, step
        real = table.data.real.dtype
        missing: list[int] = []
        workspace = Workspace(part.rows_per_block() * len(part))

        def work(first: int, last: int) -> None:
            block, own = rows.take(slice(first, last)), table[first:last]
            values = part.block_amplitudes(block, side, form, real) * real.type(self.scale())
            values = values.astype(table.data.dtype, copy=False)
            places = part.block_keys(block, side, workspace.words(last - first, len(part)))
            missing.append(self.place(places) * part.entries(form))
            write_entries(places, values, *layout, entry, own.data, own.indices)

        run_blocks(len(rows), part.rows_per_block(), work)
        return sum(missing)


@dataclass(frozen=True)
class Buckets(KeyByKey):
    """B columns per sample (2B for cosine and sine): a key's upper half selects one of them, its last bit the sign.

    Unbiased for any future keys: two keys that collide add ±1 with equal probability. A sample of variance k(1 − k)
    gets k(1 − k) + (1 − k)/B. Raises PlanError for fewer than two or more than 2³¹ columns.
    """

    n: int

    def __post_init__(self) -> None:
        if not 2 <= self.n <= MAX_BUCKETS:
            raise PlanError(f"buckets must be from 2 to 2**31, not {self.n}")

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

    def layout(self, part: KeyedFeatures, form: Form) -> PlaceLayout:
        return np.arange(len(part), dtype=np.int64) * (part.entries(form) * self.n), 1, self.n


@dataclass(frozen=True)
class Bits(KeyByKey):
    """B = 2ᵇ columns per sample, where the key's lowest b bits select the nonzero one, and one constant column.

    Two keys agree in these bits with probability c = k + (1 − k)/B. With values scaled by √(B/(B − 1)) and a constant
    column of value √(Σ_j w_j/(B − 1)) and sign −1 (w_j the signed weights; the sign flips with that of their sum),
    inner products are unbiased, and one sample has the variance (B/(B − 1))² c(1 − c). These are the bits of Li and
    König 2010 ("b-bit minwise hashing"). Only for samples without a phasor, since an amplitude would have to be
    subtracted with the chance agreement. Raises PlanError for those, and unless 1 ≤ b ≤ 24.
    """

    n: int

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MAX_BITS:
            raise PlanError(f"bits must be from 1 to {MAX_BITS}, not {self.n}")

    @property
    def columns_per_sample(self) -> int:
        """B = 2ᵇ."""
        return 1 << self.n

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
            "keys='bits' needs a kernel of keys only, but this one multiplies a key by a frequency, "
            "whose chance agreement is not constant: use buckets"
        )


class AppendedRows:
    """A CSR matrix that grows by rows in the memory of a table, into which rows are written directly.

    A table is allocated for the largest number of entries; the system only provides memory that is written to, so
    shorter rows use less.
    """

    def __init__(self, table: SparseTable) -> None:
        self._table = table
        self._data, self._indices = table.data.reshape(-1), table.indices.reshape(-1)
        self._pointers = np.zeros(len(table) + 1, dtype=table.indices.dtype)
        self._rows, self._entries = 0, 0

    def room(self, n_rows: int) -> SparseTable:
        """Room for the next rows: rows written there are appended without a copy, if all rows are full."""
        first = -(-self._entries // max(1, self._table.data.shape[1]))
        return self._table[first : first + n_rows]

    def append(self, rows: csr_array) -> None:
        """Append some rows, which may already be in the room for them."""
        own = slice(self._entries, self._entries + rows.nnz)
        for target, values in ((self._data[own], rows.data), (self._indices[own], rows.indices)):
            if target.ctypes.data != values.ctypes.data:
                target[...] = values[: rows.nnz]
        pointers = self._pointers[self._rows + 1 : self._rows + 1 + rows.shape[0]]
        pointers[...] = rows.indptr[1:]
        pointers += own.start  # in the type of the whole, since that of the rows may be too short
        self._rows, self._entries = self._rows + rows.shape[0], own.stop

    def matrix(self) -> csr_array:
        """All appended rows (n, n_columns)."""
        own, kind = slice(self._entries), index_dtype(max(self._entries, self._table.n_columns))
        indices, pointers = (places.astype(kind, copy=False) for places in (self._indices[own], self._pointers))
        return matrix_of(self._data[own], indices, pointers, self._table.n_columns)
