"""Hash keys as columns: the contract of encodings, buckets with random signs, lowest bits, the tables they fill."""

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
from kernelspec.tables.rows import matrix_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.maps.keyed import KeyedFeatures, Unmixed
    from kernelspec.numerics.phasor import Form
    from kernelspec.random.streams import Hashes
    from kernelspec.samples.samples import Side
    from kernelspec.tables.rows import Rows

__all__ = ["AppendedRows", "Bits", "Buckets", "Encoding", "KeyByKey", "PlaceLayout", "SparseTable"]


@dataclass(frozen=True)
class SparseTable:
    """Entries of n rows side by side, `length` of them in each: values, and columns in increasing order.

    The column −1 marks an entry that has none; such entries are dropped at the end.
    """

    data: NDArray[Any]
    indices: NDArray[Any]
    n_columns: int

    @classmethod
    def empty(cls, n_rows: int, length: int, n_columns: int, dtype: np.dtype[Any]) -> SparseTable:
        """A table yet to be filled; indices have 32 bits where that is enough."""
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
        """The matrix (n, n_columns) without the `missing` entries of column −1; if none is, in memory of the table."""
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
    """Whether the plan knows the keys: nothing is learned afterwards."""

    @property
    @abstractmethod
    def unbiased(self) -> bool:
        """Whether that holds for all rows, or only for those whose keys were met."""

    @property
    @abstractmethod
    def stays_bounded(self) -> bool:
        """Whether `write` makes nothing of the size of the rows, and leaves no column missing."""

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
        """Write the features of a part into `table`, from an entry and a column on; returns the missing columns."""

    def check(self, part: KeyedFeatures) -> None:  # noqa: B027 -- nothing to say of an encoding that fits every part
        """Raise ValueError unless this is an encoding for the samples of the part: a saved map may hold any."""

    def entries(self, part: KeyedFeatures, form: Form) -> int:
        """Stored entries of a row, at most."""
        return len(part) * part.entries(form)

    def constant_columns(self, part: KeyedFeatures) -> tuple[int, ...]:
        """Columns with one value for all rows, that take chance agreement off."""
        del part
        return ()

    def shared_columns(self, part: KeyedFeatures, form: Form) -> NDArray[np.bool_]:
        """For every column whether it is one that keys share which were not met."""
        return np.zeros(self.n_columns(part, form), dtype=bool)

    def count_unmet(self, part: KeyedFeatures, rows: Rows) -> int:
        """How many entries (row, sample) have a key that was not met, where columns are those of keys that were."""
        del part, rows
        return 0

    def variance_of_sharing(self, part: KeyedFeatures, x: Rows, y: Rows, form: Form) -> NDArray[np.float64]:
        """What the columns that keys share add to the variance, where the plan does not know of it: (n, m)."""
        del part, form
        return np.zeros((len(x), len(y)))


PlaceLayout: TypeAlias = tuple[NDArray[np.int64], int, int]
"""(starts, stride, step): entry e of sample j is in column starts_j + place·stride + e·step."""


class KeyByKey(Encoding):
    """The key of a sample says in which of its columns the sample's values stand."""

    @abstractmethod
    def place(self, keys: Hashes) -> int:
        """Write places over keys (rows, samples): twice the number of the column, plus one to negate.

        Returns how many keys have no column.
        """

    @abstractmethod
    def layout(self, part: KeyedFeatures, form: Form) -> PlaceLayout:
        """Where the places of the samples are, among the columns of the part."""

    def scale(self) -> float:
        """What the values are multiplied by."""
        return 1.0

    def write(
        self, part: KeyedFeatures, rows: Rows, side: Side, form: Form, table: SparseTable, entry: int, column: int
    ) -> int:
        """Blocks of rows go over all processors; the bits do not depend on the blocks."""
        starts, stride, step = self.layout(part, form)
        layout = starts + column, stride, step
        real = table.data.real.dtype
        missing: list[int] = []
        workspace = Workspace(part.rows_per_block() * len(part))

        def work(first: int, last: int) -> None:
            block, own = rows.take(slice(first, last)), table[first:last]
            values = part.block_amplitudes(block, side, form, real) * real.type(self.scale())
            values = values.astype(table.data.dtype, copy=False)
            if not self.write_without_keys(part, block, values, layout, own, entry):
                unmixed = part.unmixed_keys(block, side, workspace.words(last - first, len(part)))
                missing.append(self.write_block(unmixed, values, layout, own, entry) * part.entries(form))

        run_blocks(len(rows), part.rows_per_block(), work)
        return sum(missing)

    def write_without_keys(
        self, part: KeyedFeatures, rows: Rows, values: NDArray[Any], layout: PlaceLayout, table: SparseTable, entry: int
    ) -> bool:
        """Whether the entries of few rows can be written with none of their keys in memory, and now are."""
        del part, rows, values, layout, table, entry
        return False

    def write_block(
        self, unmixed: Unmixed, values: NDArray[Any], layout: PlaceLayout, table: SparseTable, entry: int
    ) -> int:
        """Write the entries of few rows, in the calling thread, from the `entry`-th on, and return what `place` does.

        The keys are what `mix_keys` makes of `unmixed`; `values` are (entries, rows or 1, samples).
        """
        from kernelspec.numerics.column_kernels import write_entries
        from kernelspec.numerics.key_kernels import mix_keys

        places = np.asarray(mix_keys(*unmixed))
        missing = self.place(places)
        write_entries(places, values, *layout, entry, table.data, table.indices)
        return missing


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


class AppendedRows:
    """A CSR matrix that grows by some rows at a time in the memory of a table, what is written there first of all.

    A table is made for as many entries as there can be. The system gives memory to what is written of it alone, so
    that rows which have fewer take less.
    """

    def __init__(self, table: SparseTable) -> None:
        self._table = table
        self._data, self._indices = table.data.reshape(-1), table.indices.reshape(-1)
        self._pointers = np.zeros(len(table) + 1, dtype=table.indices.dtype)
        self._rows, self._entries = 0, 0

    def room(self, n_rows: int) -> SparseTable:
        """Where the next rows may be written: what is appended from there is not copied, if all rows are full."""
        first = -(-self._entries // max(1, self._table.data.shape[1]))
        return self._table[first : first + n_rows]

    def append(self, rows: csr_array) -> None:
        """Add some rows, which may lie in the room for them."""
        own = slice(self._entries, self._entries + rows.nnz)
        for target, values in ((self._data[own], rows.data), (self._indices[own], rows.indices)):
            if target.ctypes.data != values.ctypes.data:
                target[...] = values[: rows.nnz]
        pointers = self._pointers[self._rows + 1 : self._rows + 1 + rows.shape[0]]
        pointers[...] = rows.indptr[1:]
        pointers += own.start  # in the type of the whole: that of the rows may be too short for it
        self._rows, self._entries = self._rows + rows.shape[0], own.stop

    def matrix(self) -> csr_array:
        """All rows of the table (n, n_columns), when they have been appended."""
        own, kind = slice(self._entries), index_dtype(max(self._entries, self._table.n_columns))
        indices, pointers = (places.astype(kind, copy=False) for places in (self._indices[own], self._pointers))
        return matrix_of(self._data[own], indices, pointers, self._table.n_columns)
