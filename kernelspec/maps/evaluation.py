"""Rows through a drawn plan: its features on one side, as a dense array or as CSR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.maps.columns.sparse_table import SparseTable
from kernelspec.maps.finite import check_finite, warn_of_rounding
from kernelspec.numerics.lost_angles import largest_size

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.maps.anchored import AnchoredFeatures
    from kernelspec.maps.drawn_plan import DrawnPlan
    from kernelspec.samples.samples import Side
    from kernelspec.tables.rows import Rows

__all__ = [
    "bytes_of_a_row",
    "empty_features",
    "empty_table",
    "entries_of",
    "evaluate",
    "evaluate_anchored",
    "evaluate_dense",
    "feature_type",
    "fitting",
    "losses_of_keyed",
]

_SINGLE, _DOUBLE, _PLACE = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)
_NORMALIZED_ROWS = 256
"""Rows of a block that are divided by their norms: their squares take as much memory as they do."""


def evaluate(
    drawn: DrawnPlan, rows: Rows, side: Side, out: NDArray[Any] | SparseTable | None = None
) -> NDArray[Any] | csr_array:
    """The features of one side, (n, n_columns), written to `out` if it is given: a table where they are sparse.

    Raises PlanError for an `out` of another shape or type, for an array where features are sparse, and where their
    columns are yet to be learnt; DataError where numbers are too large for the kernel.
    """
    if drawn.is_sparse and drawn.anchored is None:
        if isinstance(out, np.ndarray):
            raise PlanError("the features of this kernel are sparse: they cannot be written to out")
        if drawn.has_keys:
            return _evaluate_sparse(drawn, rows, side, out)
    assert not isinstance(out, SparseTable)
    if drawn.anchored is not None:
        return evaluate_anchored(drawn, drawn.anchored, rows, side, out)
    if drawn.has_keys:
        return _with_zeros(drawn, rows, side, out)
    if not drawn.is_sparse:
        return evaluate_dense(drawn, rows, side, out)
    from scipy.sparse import csr_array

    return csr_array(evaluate_dense(drawn, rows, side))


def feature_type(drawn: DrawnPlan, numbers: np.dtype[Any]) -> np.dtype[Any]:
    """The type of the features of rows whose numbers are of a type."""
    dtype = _precision(numbers)
    if drawn.anchored is not None or drawn.plan.form != "complex":
        return dtype
    has_amplitudes = drawn.dense is not None or any(part.has_amplitudes for part in drawn.keyed)
    return np.result_type(dtype, np.complex64) if has_amplitudes or not drawn.has_keys else dtype


def empty_features(drawn: DrawnPlan, n_columns: int, kind: np.dtype[Any]) -> NDArray[Any] | csr_array:
    """Features of no rows at all: (0, n_columns), stored as those of rows are."""
    if not drawn.is_sparse:
        return np.empty((0, n_columns), dtype=kind)
    from scipy.sparse import csr_array

    return csr_array((0, n_columns), dtype=kind)


def empty_table(drawn: DrawnPlan, n_rows: int, numbers: np.dtype[Any], *, both: bool = False) -> SparseTable:
    """What the sparse features of so many rows, with numbers of this type, are written to: of a side, or of `both`."""
    n_columns, sides = drawn.n_columns_of("both" if both else None), 2 if both else 1
    return SparseTable.empty(n_rows, sides * entries_of(drawn), n_columns, feature_type(drawn, numbers))


def entries_of(drawn: DrawnPlan) -> int:
    """How many entries a row of sparse features has on one side, at most."""
    if not drawn.has_keys:
        return drawn.n_columns
    form = drawn.plan.form
    length = 0 if drawn.dense is None else drawn.dense.n_columns(form)
    return length + sum(encoding.entries(part, form) for part, encoding in drawn.encoded)


def bytes_of_a_row(drawn: DrawnPlan, numbers: np.dtype[Any]) -> int:
    """What the features of a row, whose numbers are of a type, take on one side in memory, at most."""
    itemsize = feature_type(drawn, numbers).itemsize
    if not drawn.is_sparse:
        return drawn.n_columns * itemsize
    return entries_of(drawn) * (itemsize + _PLACE.itemsize)


def evaluate_dense(drawn: DrawnPlan, rows: Rows, side: Side, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """The columns of the samples without keys, (n, columns); one of zeros if there are none.

    Raises PlanError for an `out` of another shape or type; DataError where numbers are too large for the kernel.
    """
    plan, dense, dtype = drawn.plan, drawn.dense, _dtype(rows)
    columns = 1 if dense is None else dense.n_columns(plan.form)
    kind = np.result_type(dtype, np.complex64) if plan.form == "complex" else dtype
    out = fitting(out, (len(rows), columns), kind)
    if dense is None:
        out[...] = 0
    elif not dense.evaluate(rows, side, plan.form, dtype, out):
        plan.layout.check_numbers(rows)
        check_finite(out, rows, plan.layout)
        warn_of_rounding([dense.losses(rows, side, plan.form, dtype)], rows, plan.layout)
    if plan.normalized:
        size = np.sqrt(float(plan.strata[0].law.magnitude()))
        for start in range(0, len(out), _NORMALIZED_ROWS):
            block = out[start : start + _NORMALIZED_ROWS]
            # the order of a sum is that of memory
            block *= (size / np.linalg.norm(np.ascontiguousarray(block), axis=1))[:, None]
    return out


def evaluate_anchored(
    drawn: DrawnPlan, anchored: AnchoredFeatures, rows: Rows, side: Side, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """The columns of the anchors, and then those of the samples less what the anchors say of them.

    Raises PlanError for an `out` of another shape or type; DataError where numbers are too large for the kernel.
    """
    from kernelspec.maps.anchored import write_anchored

    anchors, dtype = drawn.plan.anchors, _dtype(rows)
    assert anchors is not None
    out = fitting(out, (len(rows), drawn.n_columns), dtype)
    if not write_anchored(drawn.plan, anchors, anchored, drawn.dense, rows, side, out):
        check_finite(out, rows, drawn.plan.layout)
    if drawn.dense is not None:
        warn_of_rounding([drawn.dense.losses(rows, side, drawn.plan.form, dtype)], rows, drawn.plan.layout)
    return out


def _evaluate_sparse(drawn: DrawnPlan, rows: Rows, side: Side, table: SparseTable | None = None) -> csr_array:
    """Dense columns, then those of every keyed part, all written into one matrix."""
    dense, form, dtype = drawn.dense, drawn.plan.form, _dtype(rows)
    n_dense = 0 if dense is None else dense.n_columns(form)
    if table is None:
        table = empty_table(drawn, len(rows), rows.numbers.dtype)
    losses = losses_of_keyed(drawn, rows, dtype)
    if dense is not None:
        if not dense.evaluate(rows, side, form, dtype, table.data[:, :n_dense]):
            losses.append(dense.losses(rows, side, form, dtype))
        table.indices[:, :n_dense] = np.arange(n_dense)
    entry = column = n_dense
    missing = 0
    for part, encoding in drawn.encoded:
        missing += encoding.write(part, rows, side, form, table, entry, column)
        entry += encoding.entries(part, form)
        column += encoding.n_columns(part, form)
    if dense is None and not any(part.has_amplitudes for part in drawn.keyed):
        check_finite(table.data[:1], rows, drawn.plan.layout)  # all rows have the same values, but for signs
        return table.finished(missing)
    features = table.finished(missing)
    check_finite(features, rows, drawn.plan.layout)
    warn_of_rounding(losses, rows, drawn.plan.layout)
    return features


def losses_of_keyed(drawn: DrawnPlan, rows: Rows, dtype: np.dtype[Any]) -> list[NDArray[np.float64]]:
    """For every part of the samples with keys and angles the share of its products that each row loses in rounding."""
    parts = [part for part in drawn.keyed if part.phasors is not None]
    largest = largest_size(rows.numbers) if parts else 0.0
    return [part.losses(rows, largest, dtype) for part in parts]


def _with_zeros(drawn: DrawnPlan, rows: Rows, side: Side, out: NDArray[Any] | None) -> NDArray[Any]:
    """The same as an array, a few rows at a time."""
    from kernelspec.maps.blocks import rows_at_a_time

    out = fitting(out, (len(rows), drawn.n_columns), feature_type(drawn, rows.numbers.dtype))
    for where, part in rows.blocks(rows_at_a_time(drawn)):
        out[where] = _evaluate_sparse(drawn, part, side).toarray()
    return out


def fitting(out: NDArray[Any] | None, shape: tuple[int, int], kind: np.dtype[Any]) -> NDArray[Any]:
    """What features are written to, new if it is not given. Raises PlanError for what they cannot be written to."""
    if out is None:
        return np.empty(shape, dtype=kind)
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise PlanError(f"out must be a NumPy array without a mask, not a {type(out).__name__}")
    if out.shape != shape or out.dtype != kind:
        raise PlanError(f"out must have shape {shape} and type {kind}")
    if not out.flags.writeable:
        raise PlanError("out is read-only: features cannot be written to it")
    return out


def _dtype(rows: Rows) -> np.dtype[Any]:
    return _precision(rows.numbers.dtype)


def _precision(numbers: np.dtype[Any]) -> np.dtype[Any]:
    return _SINGLE if numbers == _SINGLE else _DOUBLE
