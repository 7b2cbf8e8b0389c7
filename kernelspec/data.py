"""From the tables people have to `Rows`: arrays, sparse matrices, data frames, Arrow tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError
from kernelspec.hashing import Hashes, hash_numbers, hash_text
from kernelspec.rows import Rows

__all__ = ["Layout", "column_names"]


@dataclass(frozen=True)
class Layout:
    """The columns of the table a kernel is applied to: how many, their names, and how each is used."""

    dim: int
    names: tuple[str, ...] | None
    numeric: tuple[int, ...]
    categorical: tuple[int, ...]

    def read(self, X: Any) -> Rows:
        """The rows of a table: NumPy, SciPy sparse, or any data frame that narwhals knows (pandas, polars, Arrow).

        A data frame is read by name where the layout has names, else by position. Columns that the kernel does not
        use are not looked at. Raises DataError naming the row and column: wrong shape, an unknown column, text where
        numbers are needed, NaN, infinity, a missing category.
        """
        if isinstance(X, Rows):
            return X
        if hasattr(X, "tocsr"):
            return self._sparse(X)
        if column_names(X) is not None:
            return self._frame(X)
        return self._array(np.asarray(X))

    def _array(self, X: NDArray[Any]) -> Rows:
        if X.ndim == 1:
            raise DataError(
                "Expected 2D array, got 1D array instead. Reshape your data: X.reshape(-1, 1) for a single column, "
                "X.reshape(1, -1) for a single row"
            )
        if X.ndim != 2:
            raise DataError(f"a table has rows and columns; this array has {X.ndim} dimensions")
        self._check_shape(*X.shape)
        if X.dtype.kind == "c":
            raise DataError("Complex data not supported: the columns of a table are real numbers or categories")
        if X.dtype.kind in "fiub":
            numbers = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
            self._check_finite(numbers)
            return Rows(numbers)
        columns = {i: X[:, i] for i in (*self.numeric, *self.categorical)}
        return self._assemble(len(X), columns)

    def _sparse(self, X: Any) -> Rows:
        from scipy.sparse import csr_array

        if X.dtype.kind == "c":
            raise DataError("Complex data not supported: the columns of a table are real numbers or categories")
        numbers = csr_array(X if X.dtype in (np.float32, np.float64) else X.astype(np.float64))
        self._check_shape(*numbers.shape)
        bad = np.flatnonzero(~np.isfinite(numbers.data))
        for entry in bad:
            column = int(numbers.indices[entry])
            if column in self.numeric:
                row = int(np.searchsorted(numbers.indptr, entry, side="right")) - 1
                raise self._not_finite(row, column, float(numbers.data[entry]))
        return Rows(numbers)

    def _frame(self, X: Any) -> Rows:
        import narwhals as nw

        frame = nw.from_native(X, eager_only=True)
        own = frame.columns
        if self.names is None:
            self._check_shape(len(frame), len(own))
            names = own
        else:
            names = list(self.names)
            for i in (*self.numeric, *self.categorical):
                if names[i] not in own:
                    from kernelspec.language.diagnostics import suggest

                    raise DataError(f"the data have no column '{names[i]}'{suggest(names[i], own)}")
        self._check_shape(len(frame), self.dim)
        columns = {i: frame[names[i]].to_numpy() for i in (*self.numeric, *self.categorical)}
        return self._assemble(len(frame), columns)

    def _assemble(self, n: int, columns: dict[int, NDArray[Any]]) -> Rows:
        single = bool(self.numeric) and all(columns[i].dtype == np.float32 for i in self.numeric)
        numbers = np.zeros((n, self.dim), dtype=np.float32 if single else np.float64)
        for i in self.numeric:
            numbers[:, i] = self._numbers(columns[i], i)
        self._check_finite(numbers)
        return Rows(numbers, {i: self._codes(columns[i], i) for i in self.categorical})

    def _numbers(self, column: NDArray[Any], position: int) -> NDArray[Any]:
        if column.dtype.kind in "fiub":
            return column
        for row, value in enumerate(column.tolist()):
            if value is None:
                raise self._not_finite(row, position, float("nan"))
            if isinstance(value, str) or not np.isscalar(value):
                raise DataError(
                    f"{self._name(position)} holds {value!r} in row {row}: the kernel needs numbers there "
                    "(match() compares categories)"
                )
        return column.astype(np.float64)

    def _codes(self, column: NDArray[Any], position: int) -> Hashes:
        if column.dtype.kind in "fiub":
            missing = np.flatnonzero(~np.isfinite(column)) if column.dtype.kind == "f" else []
            if len(missing):
                raise self._not_finite(int(missing[0]), position, float(column[missing[0]]))
            return hash_numbers(column)
        codes: dict[Any, np.uint64] = {}
        values = column.tolist()
        for row, value in enumerate(values):
            if value in codes:
                continue
            if value is None or value != value:
                raise DataError(
                    f"{self._name(position)} has no category in row {row} (NaN or empty): fill it in or drop the row"
                )
            codes[value] = hash_text([value])[0] if isinstance(value, str) else hash_numbers([value])[0]
        return np.fromiter((codes[value] for value in values), dtype=np.uint64, count=len(values))

    def _check_shape(self, n: int, width: int) -> None:
        if width != self.dim:
            raise DataError(f"X has {width} features, but the spec is compiled for {self.dim} columns")
        if n == 0:
            raise DataError("the table is empty: 0 sample(s), while a minimum of 1 is required")

    def _check_finite(self, numbers: NDArray[Any]) -> None:
        # one pass without a temporary of the size of the data: NaN and infinity survive the sum
        with np.errstate(over="ignore", invalid="ignore"):
            if len(self.numeric) == self.dim and np.isfinite(numbers.sum(dtype=np.float64)):
                return
        for i in self.numeric:
            bad = np.flatnonzero(~np.isfinite(numbers[:, i]))
            if len(bad):
                raise self._not_finite(int(bad[0]), i, float(numbers[bad[0], i]))

    def _not_finite(self, row: int, position: int, value: float) -> DataError:
        what = "NaN" if value != value else "infinity" if value > 0 else "-infinity"
        return DataError(f"Input contains {what} in row {row}, {self._name(position)}: features need finite numbers")

    def _name(self, position: int) -> str:
        return f"column '{self.names[position]}'" if self.names is not None else f"column {position}"


def column_names(X: Any) -> tuple[str, ...] | None:
    """The column names of a data frame or Arrow table; None for anything else."""
    if isinstance(X, np.ndarray | Sequence) or hasattr(X, "tocsr") or not hasattr(X, "columns"):
        return tuple(X.column_names) if hasattr(X, "column_names") else None
    return tuple(map(str, X.columns))
