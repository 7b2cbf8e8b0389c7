"""The features of rows and tables, one side or both, block by block."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.loading import sparse
from kernelspec.maps.evaluation import empty_table, evaluate, feature_type, fitting, rows_evaluated_at_a_time
from kernelspec.maps.hashed_columns import AppendedRows, SparseTable
from kernelspec.samples.samples import SIDES, Side
from kernelspec.tables.layout import memory_of_frame, pieces_of
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_kinds import as_table, is_frame

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.maps.drawn_plan import DrawnPlan

__all__ = ["ReusedFeatures", "features_of_table", "rows_at_a_time"]

_MOST_ROWS = 16384
_BYTES = 2**25
_BYTES_PER_ENTRY = 16
"""Bytes per nonzero of sparse features: value and column."""

_NUMERICAL_BLOCK = 256


def rows_at_a_time(drawn: DrawnPlan) -> int:
    """How many rows have features of about 32 MiB: at most 16384, a multiple of 256 if possible."""
    if drawn.is_sparse:
        rows = _BYTES // (drawn.plan.n_features * _BYTES_PER_ENTRY)
    else:
        rows = _BYTES // ((16 if drawn.plan.form == "complex" else 8) * drawn.n_columns)
    rows = min(_MOST_ROWS, max(1, rows))
    return rows // _NUMERICAL_BLOCK * _NUMERICAL_BLOCK or rows


class ReusedFeatures:
    """Features block after block in reused memory, since fresh memory is slow; not sparse ones of both sides."""

    def __init__(self, drawn: DrawnPlan, side: Side | Literal["both"] | None = None) -> None:
        self._drawn, self._side = drawn, side
        self._kept: NDArray[Any] | SparseTable | None = None
        self._numbers: np.dtype[Any] | None = None

    def of(self, rows: Rows) -> NDArray[Any] | csr_array:
        """The features of some rows, valid until the next call. Raises the errors of `transform_rows`."""
        if self._kept is None or self._numbers != rows.numbers.dtype or len(rows) > len(self._kept):
            self._kept, self._numbers = None, rows.numbers.dtype
            if self._drawn.is_sparse and self._drawn.has_keys and self._side != "both":
                self._kept = empty_table(self._drawn, len(rows), rows.numbers.dtype)
        out = None if self._kept is None else self._kept[: len(rows)]
        features = transform_rows(self._drawn, rows, self._side, out)
        if self._kept is None and isinstance(features, np.ndarray):
            self._kept = features
        return features


def evaluate_both_sides(drawn: DrawnPlan, rows: Rows, out: NDArray[Any] | None = None) -> NDArray[Any] | csr_array:
    """The left columns, then the right ones that differ, both times √½. Raises PlanError for a wrong `out`."""
    kind, kept, n = feature_type(drawn, rows.numbers.dtype), np.flatnonzero(drawn.sided), drawn.n_columns
    half = np.empty(0, kind).real.dtype.type(np.sqrt(0.5))
    scale = np.where(drawn.sided, half, 1).astype(half.dtype)
    if not drawn.is_sparse:
        out = fitting(out, (len(rows), n + len(kept)), kind)
        evaluate(drawn, rows, "left", out[:, :n])
        out[:, :n] *= scale
        right: Any = evaluate(drawn, rows, "right")
        np.multiply(right[:, kept], half, out=out[:, n:])
        return out
    left, right = (evaluate(drawn, rows, side) for side in SIDES)
    return sparse.csr_array(sparse.hstack([left @ sparse.diags_array(scale), right[:, kept] * half], format="csr"))


class TransformedRows:
    """The features of `n_rows` rows, added in blocks, in bounded memory. Raises the errors of `transform_rows`."""

    def __init__(
        self,
        drawn: DrawnPlan,
        n_rows: int,
        numbers: np.dtype[Any],
        side: Side | Literal["both"] | None,
        out: NDArray[Any] | SparseTable | None = None,
    ) -> None:
        drawn.check_side(side)
        self._drawn, self._side, self._done = drawn, side, 0
        self._array: NDArray[Any] | None = None
        if drawn.is_sparse:
            assert not isinstance(out, np.ndarray)
            own = empty_table(drawn, n_rows, numbers, both=side == "both") if out is None else out
            self._stored = AppendedRows(own)
        else:
            assert not isinstance(out, SparseTable)
            self._array = fitting(out, (n_rows, drawn.n_columns_of(side)), feature_type(drawn, numbers))

    def add(self, rows: Rows) -> None:
        """Compute the features of the next rows."""
        size = rows_evaluated_at_a_time(self._drawn, rows.n_columns, self._side)
        if size is None or len(rows) <= size:
            self._add(rows)
            return
        for _, part in rows.blocks(size):
            self._add(part)

    def features(self) -> NDArray[Any] | csr_array:
        """The features of all rows, after all have been added."""
        return self._stored.matrix() if self._array is None else self._array

    def _add(self, rows: Rows) -> None:
        if self._array is None:
            is_written = self._drawn.has_keys and self._side != "both"
            room = self._stored.room(len(rows)) if is_written else None
            features = _at_once(self._drawn, rows, self._side, room)
            assert not isinstance(features, np.ndarray)
            self._stored.append(features)
        else:
            _at_once(self._drawn, rows, self._side, self._array[self._done : self._done + len(rows)])
        self._done += len(rows)


def transform_rows(
    drawn: DrawnPlan, rows: Rows, side: Side | Literal["both"] | None, out: NDArray[Any] | SparseTable | None = None
) -> NDArray[Any] | csr_array:
    """The features, (n, n_columns), written to `out` if given; a CSR matrix if they are sparse.

    Without a side, constant columns stay empty. Raises PlanError without a side if left and right differ, and for an
    `out` of another shape or type; DataError if numbers are too large for the kernel.
    """
    size = rows_evaluated_at_a_time(drawn, rows.n_columns, side)
    if size is None or len(rows) <= size:
        drawn.check_side(side)
        return _at_once(drawn, rows, side, out)
    found = TransformedRows(drawn, len(rows), rows.numbers.dtype, side, out)
    found.add(rows)
    return found.features()


def _at_once(
    drawn: DrawnPlan, rows: Rows, side: Side | Literal["both"] | None, out: NDArray[Any] | SparseTable | None
) -> NDArray[Any] | csr_array:
    if side == "both":
        assert not isinstance(out, SparseTable)
        return evaluate_both_sides(drawn, rows, out)
    features = evaluate(drawn, rows, side or "left", out)
    if side is not None or not drawn.constant_columns:
        return features
    if isinstance(features, np.ndarray):
        features[:, drawn.constant_columns] = 0
    else:
        features.data[np.isin(features.indices, drawn.constant_columns)] = 0
        features.eliminate_zeros()
    return features


_PARTS = ("data", "indices", "indptr")
"""Attributes of a sparse matrix that hold arrays, for most formats."""


def features_of_table(
    drawn: DrawnPlan, X: Any, side: Side | Literal["both"] | None, out: NDArray[Any] | None = None
) -> NDArray[Any] | csr_array:
    """The features, (n, n_columns).

    Raises the errors of `transform_rows`, and PlanError for an `out` in X's memory, and for any if features are sparse.
    """
    if out is not None and drawn.is_sparse:
        raise PlanError("the features of this kernel are sparse, so they cannot be written to out")
    layout, X = drawn.plan.layout, X if type(X) is np.ndarray or isinstance(X, Rows) else as_table(X)
    pieces = pieces_of(layout, X)
    if pieces is None:
        rows = layout.read(X, finite=not drawn.shows_all_numbers)
        if out is not None:
            _check_apart(_memory_of(rows.numbers), out)
        return transform_rows(drawn, rows, side, out)
    if out is not None:
        _check_apart(memory_of_frame(layout, X) if is_frame(X) else _memory_of(X), out)
    found: TransformedRows | None = None
    for _, rows in pieces:
        found = found or TransformedRows(drawn, X.shape[0], rows.numbers.dtype, side, out)
        found.add(rows)
    assert found is not None
    return found.features()


def _memory_of(numbers: Any) -> list[Any]:
    """The arrays of an array or a sparse matrix."""
    return [getattr(numbers, name, None) for name in _PARTS] if hasattr(numbers, "tocsr") else [numbers]


def _check_apart(parts: Iterable[Any], out: Any) -> None:
    """Raise PlanError if writing features would change rows that are still needed, or features written before."""
    if not isinstance(out, np.ndarray):
        return  # rejected when it is written to
    for part in parts:
        if isinstance(part, np.ndarray) and np.may_share_memory(part, out) and _share(part, out):
            raise PlanError("out shares memory with the rows, which would be overwritten before they are read")
    steps = sorted((abs(step), n) for step, n in zip(out.strides, out.shape, strict=True) if n > 1)
    if any(step < below * n for (below, n), (step, _) in pairwise([(out.itemsize, 1), *steps])):
        raise PlanError("the elements of out overlap in memory")


def _share(numbers: NDArray[Any], out: NDArray[Any]) -> bool:
    try:
        return np.shares_memory(numbers, out, max_work=10_000)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True
