"""Kinds of tables: arrays, data frames, Arrow, and the arrays of their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import CellTypeError, DataError
from kernelspec.loading import pyarrow as pa
from kernelspec.tables.column_types import EXACT, type_of

__all__ = [
    "NAMES_NEEDED",
    "as_table",
    "check_places",
    "column_names",
    "in_memory",
    "is_arrow_table",
    "is_foreign_array",
    "is_frame",
    "is_lazy",
    "open_frame",
    "refuse_complex",
    "values_of",
    "width_of",
    "without_gaps",
    "without_views",
    "written_out",
]


def is_arrow_table(X: Any) -> bool:
    """Whether X is a `pyarrow.Table`, without importing PyArrow."""
    kind = type(X)
    return kind.__name__ == "Table" and kind.__module__.split(".")[0] == "pyarrow"


def arrow_values(column: Any) -> NDArray[Any] | None:
    """The numbers of a chunked array without a copy; None if it is empty, or has gaps or cells of another type."""
    if not _is_plain(column):
        return None
    parts = [np.from_dlpack(chunk) for chunk in column.chunks if len(chunk)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _is_plain(column: Any) -> bool:
    return (
        len(column) > 0
        and column.type in (pa.float64(), pa.float32(), pa.int64(), pa.int32())
        and not column.null_count
    )


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """Numbers without gaps, with the interface of a narwhals Series."""

    native: Any

    def to_native(self) -> Any:
        """The chunked array."""
        return self.native

    def null_count(self) -> int:
        """How many cells are empty."""
        return 0


@dataclass(frozen=True, slots=True, eq=False)
class ArrowNumbers:
    """A table of such columns, with the interface of a narwhals DataFrame."""

    table: Any

    @classmethod
    def of(cls, table: Any) -> ArrowNumbers | None:
        """The table, if it has rows and all columns are numbers without gaps."""
        return cls(table) if table.num_columns and all(map(_is_plain, table.itercolumns())) else None

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def iter_columns(self) -> Iterator[NumberColumn]:
        """The columns in order."""
        return map(NumberColumn, self.table.itercolumns())


def written_out(series: Any) -> Any:
    """A column from `open_frame`, decoded if Arrow stores it in an encoding.

    Missing values in a dictionary or in runs do not count as missing, and conversion to NumPy turns the numbers beside
    them into floats.
    """
    if isinstance(series, NumberColumn):
        return series
    native = series.to_native()
    if hasattr(native, "chunks"):
        column = native
    elif hasattr(getattr(native, "dtype", None), "pyarrow_dtype"):  # pandas
        column = native.array.__arrow_array__()
    else:
        return series
    decoded = _decoded(column)
    if decoded is column:
        return series
    import narwhals as nw

    return nw.from_native(decoded, series_only=True)


def values_of(series: Any, where: str = "a column") -> NDArray[Any]:
    """The values of a column from `open_frame`, as an array (n,); of objects if NumPy has no such type.

    Arrow numbers without gaps are used in place: PyArrow's own conversion imports pandas, which takes a third of a
    second. Raises CellTypeError for a column that its library cannot convert.
    """
    native = series.to_native()
    values = arrow_values(native) if hasattr(native, "chunks") else None
    if values is not None:
        return values
    if str(getattr(native, "dtype", "")) == "Null":  # Polars makes floats of it
        return _cells(series, where)
    try:
        values = np.asarray(series.to_numpy())
    except MemoryError:
        raise
    except Exception:  # libraries raise their own errors for 128-bit integers, unions and the like
        return _cells(series, where)
    return values if values.ndim == 1 else _cells(series, where)  # structures and equal-length lists give tables


def without_gaps(series: Any, where: str) -> Any:
    """A column without its missing cells. Raises CellTypeError like `values_of`."""
    if not series.null_count():
        return series
    with _readable(series, where):  # PyArrow, for one, cannot filter some types
        return series.drop_nulls()


def _cells(series: Any, where: str) -> NDArray[Any]:
    """The cells as Python objects."""
    with _readable(series, where):
        return np.fromiter(series.to_list(), dtype=object, count=len(series))


@contextmanager
def _readable(series: Any, where: str) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        raise CellTypeError(
            f"{where} has the type {series.dtype}, which cannot be read: convert it to numbers, or to text for match()"
        ) from error


def _decoded(column: Any) -> Any:
    """A chunked array without runs, and without a dictionary that contains missing values; otherwise unchanged.

    8-bit truth values, and views of text or bytes, become types that all libraries support.
    """
    kind = column.type
    if isinstance(kind, pa.Bool8Type):
        return column.cast(pa.bool_())
    if _is_view(kind):
        return column.cast(pa.large_string() if pa.types.is_string_view(kind) else pa.large_binary())
    if pa.types.is_dictionary(kind) and _is_view(kind.value_type):
        make = pa.DictionaryArray.from_arrays
        parts = [make(own.indices, without_views(own.dictionary), ordered=own.type.ordered) for own in column.chunks]
        return _decoded(pa.chunked_array(parts))
    encoded = (pa.DictionaryType, pa.RunEndEncodedType)
    if isinstance(kind, pa.BaseExtensionType) and isinstance(kind.storage_type, encoded):
        return _decoded(pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type))
    if pa.types.is_run_end_encoded(kind):
        return _decoded(pa.chunked_array([_without_runs(chunk) for chunk in column.chunks], kind.value_type))
    if pa.types.is_dictionary(kind) and any(chunk.dictionary.null_count for chunk in column.chunks):
        parts = [chunk.dictionary.take(chunk.indices) for chunk in column.chunks]
        return _decoded(pa.chunked_array(parts, kind.value_type))
    return column


def without_views(column: Any) -> Any:
    """An Arrow array, chunked or not, with the same cells, of a type of which PyArrow itself can take rows."""
    if isinstance(column, pa.ChunkedArray):
        return _decoded(column)
    found = _decoded(whole := pa.chunked_array([column]))
    return column if found is whole else found.combine_chunks()


def _is_view(kind: Any) -> bool:
    return bool(pa.types.is_string_view(kind) or pa.types.is_binary_view(kind))


def _without_runs(chunk: Any) -> Any:
    """Decode a run-end encoded array; PyArrow itself supports few types."""
    rows = chunk.offset + np.arange(len(chunk))
    return chunk.values.take(pa.array(np.searchsorted(chunk.run_ends.to_numpy(), rows, side="right")))


NAMES_NEEDED = (
    'this table has no column names. Pass a data frame (in a pipeline, call set_output(transform="pandas") on the step '
    "before), or list the names of its columns in order: feature_names=[…] in KernelFeatures, columns=[…] in other "
    "calls, --columns on the command line"
)


def as_table(X: Any) -> Any:
    """Sparse matrices and data frames unchanged, anything else as an array; mixed lists keep numbers and text apart.

    A dict of columns, and a reader of Arrow record batches, which is read to its end, become Arrow tables. Raises
    DataError for rows of different lengths, for a Dask collection, and for an array of another library that NumPy
    cannot convert.
    """
    if is_lazy(X):
        raise DataError(
            f"Dask's {type(X).__name__} is not in memory: only fit of a model, and transform, left and right of a map "
            "accept it. Use X.compute() on some of its rows"
        )
    if hasattr(X, "tocsr") or is_frame(X):
        return X
    if isinstance(X, Mapping) or hasattr(X, "read_all"):
        return _arrow_table(X)
    if isinstance(X, np.ma.MaskedArray):
        values = np.array(X.data, dtype=object)
        values[np.ma.getmaskarray(X)] = None
        return values if np.ma.is_masked(X) else X.data
    if isinstance(X, np.ndarray):
        return np.asarray(X)
    try:
        array = np.asarray(X)
        return np.array(X, dtype=object) if array.dtype.kind in "US" else _with_large_integers(array, X)
    except ValueError as error:
        raise DataError(f"the rows of the table have different lengths, or a cell is a list: {error}") from None
    except (TypeError, RuntimeError) as error:  # torch: gradients, other devices, types that NumPy lacks
        if not is_foreign_array(X):
            raise
        raise DataError(f"this {type(X).__name__} cannot be converted to a NumPy array: {error}") from None


def _arrow_table(X: Any) -> Any:
    """The table of a dict of columns, or of all remaining batches. Raises DataError."""
    if not isinstance(X, Mapping):
        return X.read_all()
    if not X:
        raise DataError("the table has no columns: the dict is empty")
    try:
        return pa.table({str(name): _arrow_column(column) for name, column in X.items()})
    except OverflowError:
        raise DataError("a column of the dict has whole numbers beyond 64 bits: give them as text") from None
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, ValueError, TypeError) as error:
        raise DataError(
            "a dict must map names to columns of equal length, of types that Arrow supports: "
            f"{error}; cells of several types need a data frame"
        ) from None


def _arrow_column(column: Any) -> Any:
    """A column of a dict; dates in units that Arrow lacks, such as hours and months, as seconds."""
    found = as_table(column)
    if isinstance(found, np.ndarray) and found.dtype.kind == "M" and np.datetime_data(found.dtype)[0] in "YMWhm":
        return found.astype("datetime64[s]")
    if isinstance(column, list | tuple) and isinstance(found, np.ndarray) and found.dtype.kind == "f":
        cells = np.array(column, dtype=object)  # NumPy rounds whole numbers, and true and false are 1 and 0
        is_rounded = any(isinstance(own, Integral) and abs(int(own)) > EXACT for own in column)
        found = cells if is_rounded or type_of(cells) in ("whole number", "boolean") else found
    is_cells = isinstance(found, np.ndarray) and found.dtype.kind == "O"
    return pa.array(found, from_pandas=True) if is_cells else found  # NaN, NaT and NA among others are missing


def _with_large_integers(array: NDArray[Any], X: Any) -> NDArray[Any]:
    """The array that NumPy made of lists, but with exact integers in columns where it rounded them."""
    if array.dtype != np.float64 or array.ndim != 2:
        return array
    large = np.flatnonzero((np.abs(array) >= EXACT).any(axis=0))
    if not len(large):
        return array
    cells, found = np.array(X, dtype=object), array.astype(object)
    rounded = [i for i in large if any(isinstance(cell, Integral) for cell in cells[:, i])]
    found[:, rounded] = cells[:, rounded]
    return found if rounded else array


def is_frame(X: Any) -> bool:
    """Whether X is a table with column names: a data frame or an Arrow table."""
    if isinstance(X, np.ndarray | Sequence) or hasattr(X, "tocsr"):
        return False
    return hasattr(type(X), "columns") or hasattr(type(X), "column_names")


def is_lazy(X: Any) -> bool:
    """Whether X is a Dask collection, without importing Dask; objects that may contain one, such as
    xarray's, are not.
    """
    kind = type(X)
    return hasattr(kind, "__dask_graph__") and any(base.__module__.split(".")[0] == "dask" for base in kind.__mro__)


def is_foreign_array(X: Any) -> bool:
    """Whether X is an array of another library than NumPy (array API or torch), without importing it."""
    if isinstance(X, np.ndarray | np.generic) or hasattr(X, "tocsr"):
        return False
    kind = type(X)
    return hasattr(kind, "__array_namespace__") or any(
        base.__name__ == "Tensor" and base.__module__.split(".")[0] == "torch" for base in kind.__mro__
    )


def column_names(X: Any, without: str | None = None) -> tuple[str, ...] | None:
    """The column names of a data frame or Arrow table; None for anything else, and if no name is text but one."""
    if not is_frame(X):
        return None
    names = _names(X)
    return tuple(map(str, names)) if any(isinstance(name, str) and name != without for name in names) else None


def _names(X: Any) -> list[Any]:
    if hasattr(X, "collect_schema"):  # polars: of a lazy frame as well
        return list(X.collect_schema().names())
    return list(X.column_names if hasattr(X, "column_names") else X.columns)


def open_frame(X: Any) -> tuple[Any, list[str]]:
    """The data frame or Arrow table under narwhals, or similar, and its column names as text.

    Raises DataError for repeated column names, or a frame that is not in memory.
    """
    names = list(map(str, _names(X)))
    if len(set(names)) < len(names):
        last = {name: i for i, name in enumerate(names)}
        twice = next(name for i, name in enumerate(names) if last[name] > i)
        raise DataError(f"two columns of the data have the name '{twice}': rename one")
    if is_arrow_table(X) and (numbers := ArrowNumbers.of(X)) is not None:
        return numbers, names
    import narwhals as nw

    try:
        return nw.from_native(X, eager_only=True), names
    except TypeError:
        if hasattr(X, "__arrow_c_stream__"):
            return nw.from_native(_streamed(X), eager_only=True), names
        raise DataError(
            f"a {type(X).__name__} cannot be read row by row: pass a data frame in memory (collect() a lazy one), an "
            "array or a sparse matrix"
        ) from None


def in_memory(X: Any) -> Any:
    """A table as `as_table` returns it, of which rows can be taken: record batches and queries become Arrow tables."""
    if not is_frame(X):
        return X
    import narwhals as nw

    try:
        nw.from_native(X, eager_only=True)
    except TypeError:
        return _streamed(X) if hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__") else X
    return X


def _streamed(X: Any) -> pa.Table:
    """The rows of record batches, or of a query: streams of old versions of DuckDB lack an argument of the protocol."""
    return X.to_arrow_table() if hasattr(X, "to_arrow_table") else pa.table(X)


def refuse_complex(X: Any) -> None:
    """Raise DataError for an array or sparse matrix of complex numbers."""
    if X.dtype.kind == "c":
        raise DataError("Complex data not supported: the columns of a table are real numbers or categories")


def width_of(X: Any) -> int:
    """Number of columns of a table from `as_table`. Raises DataError unless it has rows and columns."""
    shape = X.shape if hasattr(X, "shape") else (0, len(_names(X)))
    if len(shape) == 2 and shape[1]:
        return int(shape[1])
    if len(shape) == 2:
        raise DataError(f"the table has 0 feature(s) (shape={tuple(shape)}) while a minimum of 1 is required.")
    if len(shape) == 1:
        if getattr(X.dtype, "names", None):
            raise DataError("a structured array is not a table: pass a data frame, as in pandas.DataFrame(X)")
        raise DataError(
            "Expected 2D array, got 1D array instead. Reshape your data: X.reshape(-1, 1) for a single column, "
            "X.reshape(1, -1) for a single row"
        )
    if not shape and isinstance(X.item(), str | bytes | PurePath):
        raise DataError(
            f"Expected 2D array, got scalar array instead: {X.item()!r:.60} is the name of a file. Read it first; "
            "fit_blocks fits a model to the blocks of files, and so does `kernelspec fit --stream`"
        )
    if not shape:
        raise DataError(f"Expected 2D array, got scalar array instead: {X.item()!r:.60}")
    raise DataError(f"a table has rows and columns; this array has {len(shape)} dimensions")


def check_places(X: Any) -> None:
    """Raise DataError for a CSR matrix with entries out of bounds, which loops would read."""
    starts, places = X.indptr, X.indices
    is_whole = (
        len(starts) == X.shape[0] + 1
        and starts[0] == 0
        and bool((starts[1:] >= starts[:-1]).all())
        and starts[-1] <= min(len(places), len(X.data))
    )
    if not is_whole or (len(places) and not 0 <= places.min() <= places.max() < X.shape[1]):
        raise DataError("the sparse matrix is damaged: it has entries beyond its rows or columns")
