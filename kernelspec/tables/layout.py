"""From the tables people have to `Rows`: arrays, lists, sparse matrices, data frames, Arrow tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import DataError
from kernelspec.tables.columns import codes_of, has_large_integers, missing, not_finite, numbers_of
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_kinds import as_table, column_names, is_frame, open_frame, refuse_complex, width_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.random.hashing import Hashes
    from kernelspec.tables.domain import Domain

__all__ = ["Layout", "column_names"]


@dataclass(frozen=True)
class Layout:
    """The columns of the table a kernel is applied to: how many, their names, and how each is used."""

    dim: int
    names: tuple[str, ...] | None
    numeric: tuple[int, ...]
    categorical: tuple[int, ...]
    domains: tuple[tuple[Domain, tuple[int, ...]], ...] = ()
    """The rows that the kernel is defined on, in some columns, where that is not every row of numbers."""

    def validate(self) -> None:
        """Raise ValueError unless names and positions are those of `dim` columns: a saved layout may hold any."""
        if not 1 <= self.dim < 2**31 or (self.names is not None and len(set(self.names)) != self.dim):
            raise ValueError(f"there are {self.dim} columns, or other names of columns than that")
        own = (self.numeric, self.categorical, *(positions for _, positions in self.domains))
        for positions in own:
            if not all(0 <= position < self.dim for position in positions):
                raise ValueError(f"there are no columns {positions} among {self.dim}")
        if not all(positions and set(positions) <= set(self.numeric) for _, positions in self.domains):
            raise ValueError("only columns of numbers have a domain")

    @property
    def used(self) -> tuple[int, ...]:
        """The columns that the kernel looks at, in order."""
        return tuple(sorted({*self.numeric, *self.categorical}))

    def read(self, X: Any) -> Rows:
        """The rows of a table: NumPy, lists, SciPy sparse, or any data frame that narwhals or Arrow knows.

        A data frame is read by name where the layout has names, in any order and beside other columns, else by
        position; everything else by position. Columns that the kernel does not use are not looked at. float32 stays
        float32. Raises DataError naming the row and column: wrong shape, an unknown column, text where numbers are
        needed, NaN, infinity, a missing category, dates, a row on which the kernel is not defined.
        """
        if isinstance(X, Rows):
            return X
        X = as_table(X)
        read = self._sparse if hasattr(X, "tocsr") else self._frame if is_frame(X) else self._array
        rows = read(X)
        for domain, positions in self.domains:
            domain.check(rows.select(positions).numbers, lambda i, places=positions: self._name(places[i]))  # type: ignore[misc]
        return rows

    def fitted(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rows on which the kernel is defined, written over any rows (n, dim)."""
        for domain, positions in self.domains:
            numbers[:, list(positions)] = domain.fit(numbers[:, list(positions)])
        return numbers

    def _array(self, X: NDArray[Any]) -> Rows:
        width = width_of(X)
        self._check_shape(len(X), width)
        refuse_complex(X)
        if X.dtype.kind in "fiub":
            numbers = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
            self._check_finite(numbers)
            return Rows(numbers, self._large_codes(X))
        return self._assemble(len(X), {i: X[:, i] for i in self.used})

    def _sparse(self, X: Any) -> Rows:
        from scipy.sparse import csr_array

        self._check_shape(X.shape[0], width_of(X))
        refuse_complex(X)
        X = X.tocsr()
        numbers = csr_array(X if X.dtype in (np.float32, np.float64) else X.astype(np.float64))
        for entry in np.flatnonzero(~np.isfinite(numbers.data)):
            column = int(numbers.indices[entry])
            if column in self.used:
                row = int(np.searchsorted(numbers.indptr, entry, side="right")) - 1
                raise not_finite(row, self._name(column), float(numbers.data[entry]))
        return Rows(numbers, self._large_codes(X))

    def _large_codes(self, X: Any) -> dict[int, Hashes]:
        # floats would merge the categories 2⁵³ and 2⁵³ + 1; all other numbers have their codes from the floats
        large = has_large_integers(X if isinstance(X, np.ndarray) else X.data)
        columns = {i: X[:, [i]] for i in (self.categorical if large else ())}
        dense = {i: c if isinstance(c, np.ndarray) else c.toarray() for i, c in columns.items()}
        return {i: codes_of(column.ravel(), self._name(i)) for i, column in dense.items()}

    def _frame(self, X: Any) -> Rows:
        frame, own = open_frame(X)
        self._check_shape(len(frame), len(own) if self.names is None else self.dim)
        places = {i: i if self.names is None else self._place(self.names[i], own) for i in self.used}
        columns = {}
        for i in self.used:
            series = frame[:, places[i]]
            if series.null_count():  # some conversions to NumPy drop the mask
                row = int(np.flatnonzero(series.is_null().to_numpy())[0])
                raise missing(row, self._name(i), category=i not in self.numeric)
            columns[i] = series.to_numpy()
        return self._assemble(len(frame), columns)

    @staticmethod
    def _place(name: str, own: list[str]) -> int:
        if name in own:
            return own.index(name)
        from kernelspec.language.diagnostics import suggest

        raise DataError(f"the data have no column '{name}'{suggest(name, own)}")

    def _assemble(self, n: int, columns: dict[int, NDArray[Any]]) -> Rows:
        single = bool(self.numeric) and all(columns[i].dtype == np.float32 for i in self.numeric)
        numbers = np.zeros((n, self.dim), dtype=np.float32 if single else np.float64)
        for i in self.numeric:
            numbers[:, i] = numbers_of(columns[i], self._name(i))
        self._check_finite(numbers)
        return Rows(numbers, {i: codes_of(columns[i], self._name(i)) for i in self.categorical})

    def _check_shape(self, n: int, width: int) -> None:
        if width != self.dim:
            raise DataError(f"X has {width} features, but the spec is compiled for {self.dim} columns")
        if n == 0:
            raise DataError("the table is empty: 0 sample(s), while a minimum of 1 is required")

    def _check_finite(self, numbers: NDArray[Any]) -> None:
        # one pass without a temporary of the size of the data: NaN and infinity survive the sum
        with np.errstate(over="ignore", invalid="ignore"):
            if len(self.used) == self.dim and np.isfinite(numbers.sum(dtype=np.float64)):
                return
        for i in self.used:
            bad = np.flatnonzero(~np.isfinite(numbers[:, i]))
            if len(bad):
                raise not_finite(int(bad[0]), self._name(i), float(numbers[bad[0], i]))

    def _name(self, position: int) -> str:
        return f"column '{self.names[position]}'" if self.names is not None else f"column {position}"
