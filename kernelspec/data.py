"""From the tables people have to `Rows`: arrays, lists, sparse matrices, data frames, Arrow tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.columns import codes_of, has_large_integers, missing, not_finite, numbers_of
from kernelspec.errors import DataError
from kernelspec.hashing import Hashes
from kernelspec.rows import Rows

__all__ = ["Layout", "as_table", "column_names", "is_frame"]


@dataclass(frozen=True)
class Layout:
    """The columns of the table a kernel is applied to: how many, their names, and how each is used."""

    dim: int
    names: tuple[str, ...] | None
    numeric: tuple[int, ...]
    categorical: tuple[int, ...]

    def read(self, X: Any) -> Rows:
        """The rows of a table: NumPy, lists, SciPy sparse, or any data frame that narwhals or Arrow knows.

        A data frame is read by name where the layout has names, in any order and beside other columns, else by
        position; everything else by position. Columns that the kernel does not use are not looked at. float32 stays
        float32. Raises DataError naming the row and column: wrong shape, an unknown column, text where numbers are
        needed, NaN, infinity, a missing category, dates.
        """
        if isinstance(X, Rows):
            return X
        X = as_table(X)
        if hasattr(X, "tocsr"):
            return self._sparse(X)
        return self._frame(X) if is_frame(X) else self._array(X)

    def _array(self, X: NDArray[Any]) -> Rows:
        if X.ndim == 1:
            raise DataError(
                "Expected 2D array, got 1D array instead. Reshape your data: X.reshape(-1, 1) for a single column, "
                "X.reshape(1, -1) for a single row"
            )
        if X.ndim == 0:
            raise DataError(f"Expected 2D array, got scalar array instead: {X.item()!r:.60} is no table")
        if X.ndim != 2:
            raise DataError(f"a table has rows and columns; this array has {X.ndim} dimensions")
        self._check_shape(*X.shape)
        _refuse_complex(X)
        if X.dtype.kind in "fiub":
            numbers = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
            self._check_finite(numbers)
            return Rows(numbers, self._large_codes(X))
        return self._assemble(len(X), {i: X[:, i] for i in self._used})

    def _sparse(self, X: Any) -> Rows:
        from scipy.sparse import csr_array

        if X.ndim != 2:
            raise DataError(f"Expected 2D array, got {X.ndim}D array instead: a table has rows and columns")
        _refuse_complex(X)
        numbers = csr_array(X if X.dtype in (np.float32, np.float64) else X.astype(np.float64))
        self._check_shape(*numbers.shape)
        for entry in np.flatnonzero(~np.isfinite(numbers.data)):
            column = int(numbers.indices[entry])
            if column in self._used:
                row = int(np.searchsorted(numbers.indptr, entry, side="right")) - 1
                raise not_finite(row, self._name(column), float(numbers.data[entry]))
        return Rows(numbers, self._large_codes(X.tocsr()))

    def _large_codes(self, X: Any) -> dict[int, Hashes]:
        # floats would merge the categories 2⁵³ and 2⁵³ + 1; all other numbers have their codes from the floats
        large = has_large_integers(X if isinstance(X, np.ndarray) else X.data)
        columns = {i: X[:, [i]] for i in (self.categorical if large else ())}
        dense = {i: c if isinstance(c, np.ndarray) else c.toarray() for i, c in columns.items()}
        return {i: codes_of(column.ravel(), self._name(i)) for i, column in dense.items()}

    def _frame(self, X: Any) -> Rows:
        frame = _open(X)
        own = _unique(_names(X))
        places = dict(enumerate(range(self.dim))) if self.names is None else {}
        if self.names is None:
            self._check_shape(len(frame), len(own))
        for i in self._used if self.names is not None else ():
            if self.names[i] not in own:
                from kernelspec.language.diagnostics import suggest

                raise DataError(f"the data have no column '{self.names[i]}'{suggest(self.names[i], own)}")
            places[i] = own.index(self.names[i])
        self._check_shape(len(frame), self.dim)
        columns = {}
        for i in self._used:
            series = frame[:, places[i]]
            if series.null_count():  # some conversions to NumPy drop the mask
                row = int(np.flatnonzero(series.is_null().to_numpy())[0])
                raise missing(row, self._name(i), category=i not in self.numeric)
            columns[i] = series.to_numpy()
        return self._assemble(len(frame), columns)

    def _assemble(self, n: int, columns: dict[int, NDArray[Any]]) -> Rows:
        single = bool(self.numeric) and all(columns[i].dtype == np.float32 for i in self.numeric)
        numbers = np.zeros((n, self.dim), dtype=np.float32 if single else np.float64)
        for i in self.numeric:
            numbers[:, i] = numbers_of(columns[i], self._name(i))
        self._check_finite(numbers)
        return Rows(numbers, {i: codes_of(columns[i], self._name(i)) for i in self.categorical})

    @property
    def _used(self) -> tuple[int, ...]:
        return tuple(sorted({*self.numeric, *self.categorical}))

    def _check_shape(self, n: int, width: int) -> None:
        if width != self.dim:
            raise DataError(f"X has {width} features, but the spec is compiled for {self.dim} columns")
        if n == 0:
            raise DataError("the table is empty: 0 sample(s), while a minimum of 1 is required")

    def _check_finite(self, numbers: NDArray[Any]) -> None:
        # one pass without a temporary of the size of the data: NaN and infinity survive the sum
        with np.errstate(over="ignore", invalid="ignore"):
            if len(self._used) == self.dim and np.isfinite(numbers.sum(dtype=np.float64)):
                return
        for i in self._used:
            bad = np.flatnonzero(~np.isfinite(numbers[:, i]))
            if len(bad):
                raise not_finite(int(bad[0]), self._name(i), float(numbers[bad[0], i]))

    def _name(self, position: int) -> str:
        return f"column '{self.names[position]}'" if self.names is not None else f"column {position}"


def as_table(X: Any) -> Any:
    """A sparse matrix or data frame as it is, anything else as an array; mixed lists keep numbers and text apart.

    Raises DataError for rows of different lengths.
    """
    if hasattr(X, "tocsr") or is_frame(X):
        return X
    if isinstance(X, np.ma.MaskedArray):
        return X.astype(object).filled(None) if np.ma.is_masked(X) else np.asarray(X.data)
    if isinstance(X, np.ndarray):
        return np.asarray(X)
    try:
        array = np.asarray(X)
        return np.array(X, dtype=object) if array.dtype.kind in "US" else array
    except ValueError as error:
        raise DataError(f"the rows of the table have different lengths: {error}") from None


def is_frame(X: Any) -> bool:
    """Whether X is a table that carries column names: a data frame or an Arrow table."""
    if isinstance(X, np.ndarray | Sequence) or hasattr(X, "tocsr"):
        return False
    return hasattr(X, "columns") or hasattr(X, "column_names")


def column_names(X: Any) -> tuple[str, ...] | None:
    """The column names of a data frame or Arrow table; None for anything else, and where no name is text."""
    if not is_frame(X):
        return None
    names = list(_names(X))
    return tuple(map(str, names)) if any(isinstance(name, str) for name in names) else None


def _names(X: Any) -> Iterable[Any]:
    names: Iterable[Any] = X.column_names if hasattr(X, "column_names") else X.columns
    return names


def _unique(names: Iterable[Any]) -> list[str]:
    texts = list(map(str, names))
    if len(set(texts)) < len(texts):
        twice = next(name for i, name in enumerate(texts) if name in texts[:i])
        raise DataError(f"two columns of the data are called '{twice}': give each a name of its own")
    return texts


def _open(X: Any) -> Any:
    import narwhals as nw

    _unique(_names(X))
    try:
        return nw.from_native(X, eager_only=True)
    except TypeError:
        if hasattr(X, "__arrow_c_stream__"):
            return nw.from_arrow(X, backend="pyarrow")
        raise DataError(
            f"a {type(X).__name__} cannot be read row by row: give a data frame in memory (collect() a lazy one), an "
            "array or a sparse matrix"
        ) from None


def _refuse_complex(X: Any) -> None:
    if X.dtype.kind == "c":
        raise DataError("Complex data not supported: the columns of a table are real numbers or categories")
