"""Columns of data frames as arrays, of whatever type they are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import CellTypeError
from kernelspec.tables.arrow_numbers import NumberColumn, arrow_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["values_of", "without_gaps", "written_out"]


def written_out(series: Any) -> Any:
    """A column of what `open_frame` gives, but with every cell written out where Arrow holds it in an encoding.

    What is missing in a dictionary or in runs is not counted as missing, and a conversion to NumPy makes floats of the
    numbers beside it.
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
    """The values of a column of what `open_frame` gives, as an array (n,): of objects where NumPy has no such numbers.

    Numbers in Arrow without gaps are taken as they lie there: PyArrow's way imports Pandas, in a third of a second.
    Raises CellTypeError for a column that its library does not hand over in any way.
    """
    native = series.to_native()
    values = arrow_values(native) if hasattr(native, "chunks") else None
    if values is not None:
        return values
    try:
        values = np.asarray(series.to_numpy())
    except MemoryError:
        raise
    except Exception:  # every library has errors of its own for integers of 128 bits, unions and the like
        return _cells(series, where)
    return values if values.ndim == 1 else _cells(series, where)  # structures and lists of one length are tables


def without_gaps(series: Any, where: str) -> Any:
    """A column without the cells in which something is missing. Raises CellTypeError as `values_of`."""
    if not series.null_count():
        return series
    try:
        return series.drop_nulls()
    except MemoryError:
        raise
    except Exception as error:  # PyArrow, for one, cannot choose cells of some types
        raise _unreadable(series, where) from error


def _cells(series: Any, where: str) -> NDArray[Any]:
    """The cells as Python has them."""
    try:
        return np.fromiter(series.to_list(), dtype=object, count=len(series))
    except MemoryError:
        raise
    except Exception as error:
        raise _unreadable(series, where) from error


def _unreadable(series: Any, where: str) -> CellTypeError:
    return CellTypeError(
        f"{where} is of the type {series.dtype}, whose cells cannot be read: turn it into numbers, or into text for "
        "match()"
    )


def _decoded(column: Any) -> Any:
    """A chunked array without runs, and without a dictionary in which something is missing; the same if there is none.

    Truth values of 8 bits, and views of text or bytes, become those that all libraries know as such.
    """
    import pyarrow as pa

    kind = column.type
    if isinstance(kind, pa.Bool8Type):
        return column.cast(pa.bool_())
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        return column.cast(pa.large_string() if pa.types.is_string_view(kind) else pa.large_binary())
    if isinstance(kind, pa.BaseExtensionType) and _is_encoded(kind.storage_type):
        return _decoded(pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type))
    if pa.types.is_run_end_encoded(kind):
        return _decoded(pa.chunked_array([_without_runs(chunk) for chunk in column.chunks], kind.value_type))
    if pa.types.is_dictionary(kind) and any(chunk.dictionary.null_count for chunk in column.chunks):
        parts = [chunk.dictionary.take(chunk.indices) for chunk in column.chunks]
        return _decoded(pa.chunked_array(parts, kind.value_type))
    return column


def _without_runs(chunk: Any) -> Any:
    """The cells of an array of runs; PyArrow's own way knows few types of them."""
    import pyarrow as pa

    rows = chunk.offset + np.arange(len(chunk))
    return chunk.values.take(pa.array(np.searchsorted(chunk.run_ends.to_numpy(), rows, side="right")))


def _is_encoded(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind))
