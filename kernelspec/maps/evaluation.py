"""Evaluate a drawn plan on rows: features of one side, dense or sparse, with checks for finite values."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError, PlanError
from kernelspec.loading import caller_level, sparse
from kernelspec.maps.hashed_columns import SparseTable
from kernelspec.numerics.packed import largest_size
from kernelspec.samples.samples import Side
from kernelspec.tables.cells import FROM_ZERO
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.maps.drawn_plan import DrawnPlan
    from kernelspec.maps.landmarks import LandmarkCorrection
    from kernelspec.tables.layout import Layout

__all__ = [
    "RoundingWarning",
    "approximate",
    "check_finite",
    "empty_features",
    "empty_table",
    "evaluate",
    "feature_type",
    "fitting",
    "inner_products",
    "rows_evaluated_at_a_time",
    "warn_of_loss",
]


class RoundingWarning(UserWarning):
    """Numbers are so large that rounding changes the features noticeably."""


def check_finite(features: NDArray[Any] | csr_array, rows: Rows, layout: Layout) -> None:
    """Raise DataError for features (n, m) of `rows` (n, d) that are not finite, naming a row and a column.

    The column has the row's largest number, which makes powers or exponentials overflow, and angles lose all digits.
    """
    first = _first_bad(features if isinstance(features, np.ndarray) else features.data)
    if first is None:
        return
    if isinstance(features, np.ndarray):
        row = first // features.shape[1]
    else:
        row = int(np.searchsorted(features.indptr, first, side="right")) - 1
    raise _lost("features are not finite", *_largest(rows, row, layout), rows, layout)


def check_estimates(estimates: NDArray[np.float64], x: Rows, y: Rows, layout: Layout) -> None:
    """Raise DataError for estimates (n, m) of kernel values that are not finite, naming a row of x or y."""
    first = _first_bad(estimates)
    if first is not None:
        row, other = divmod(first, estimates.shape[1])
        found = (_largest(x, row, layout), x), (_largest(y, other, layout), y)
        place, rows = max(found, key=lambda one: one[0][2])
        raise _lost("estimates are not finite", *place, rows, layout)


def warn_of_rounding(losses: Iterable[NDArray[np.float64]], rows: Rows, layout: Layout) -> None:
    """Warn (RoundingWarning), outside the package, of the row that loses most: `losses` has (n,) for every part."""
    most = np.max([*losses, np.zeros(len(rows))], axis=0)
    if not most.any():
        return
    row, position, size = _largest(rows, int(np.argmax(most)), layout)
    where = f"{layout.mapped.name_of(position)}, row {rows.first + row}"
    warn_of_loss(where, size, rows.numbers.dtype, float(most.max()))


def warn_of_loss(where: str, size: float, dtype: np.dtype[Any], loss: float) -> None:
    """Warn (RoundingWarning) of the share of the kernel that features lose by rounding; `where` names the number."""
    wider = "Convert the data to float64, or subtract" if dtype == np.float32 else "Subtract"
    warnings.warn(
        f"{where}: numbers of size {size:.2g} lose digits in {dtype}, so inner products of features are off by up "
        f"to {100 * loss:.2g} % of the kernel's size. {wider} each column's mean first, for example with "
        f"StandardScaler(with_std=False); kernels of differences do not change{FROM_ZERO}",
        RoundingWarning,
        stacklevel=caller_level(),
    )


def _first_bad(values: NDArray[Any]) -> int | None:
    """The flat index of the first value that is not finite."""
    # one pass without a temporary array: NaN and infinity survive the sum
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return None
    bad = np.flatnonzero(~np.isfinite(values))
    return int(bad[0]) if len(bad) else None  # or only the sum overflowed


def _largest(rows: Rows, row: int, layout: Layout) -> tuple[int, int, float]:
    """The row, the column of its largest number, and its size."""
    numbers = abs(rows.take(slice(row, row + 1)).dense()[0])
    position = max(layout.mapped.numeric, key=lambda i: numbers[i])
    return row, position, float(numbers[position])


def _lost(what: str, row: int, position: int, size: float, rows: Rows, layout: Layout) -> DataError:
    return DataError(
        f"{what} in row {rows.first + row}, {layout.mapped.name_of(position)}: a number of size {size:g} is too large "
        f"for this kernel in {rows.numbers.dtype}; center or scale the column{FROM_ZERO}"
    )


_BYTES = 2**26
_BYTES_PER_NUMBER, _BYTES_PER_FEATURE = 40, 32
"""Memory per number: unit vectors need four copies in float64; the other side, or sines beside cosines, two of
features.
"""

_BYTES_PER_CODE, _BYTES_PER_ENTRY, _BYTES_PER_COPIED_ENTRY = 96, 16, 96
"""Memory per sparse entry: categories are hashed and looked up, entries without a column are dropped; both sides, and
dense features, are gathered and scaled before they are combined.
"""


def rows_evaluated_at_a_time(drawn: DrawnPlan, n_columns: int, side: Side | Literal["both"] | None) -> int | None:
    """How many rows to evaluate at a time; None if the evaluation itself works in blocks."""
    if drawn.is_sparse:
        is_written = drawn.has_keys and side != "both"
        # whether keys are written in blocks, and entries are neither checked nor removed afterwards
        is_plain = is_written and drawn.dense is None and not (side is None and drawn.constant_columns)
        if is_plain and all(own.stays_bounded and not part.has_amplitudes for part, own in drawn.encoded):
            return None
        per_entry = _BYTES_PER_ENTRY if is_written else _BYTES_PER_COPIED_ENTRY
        return max(1, _BYTES // (_BYTES_PER_NUMBER * n_columns + _BYTES_PER_CODE + per_entry * entries_of(drawn)))
    if side != "both" and (drawn.dense is None or drawn.dense.stays_bounded(drawn.plan.form)):
        return None
    return max(1, _BYTES // (_BYTES_PER_NUMBER * n_columns + _BYTES_PER_FEATURE * drawn.n_columns))


_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_NORMALIZED_ROWS = 256
"""Rows of a block that are divided by their norms: their squares need as much memory again."""


def evaluate(
    drawn: DrawnPlan, rows: Rows, side: Side, out: NDArray[Any] | SparseTable | None = None
) -> NDArray[Any] | csr_array:
    """The features of one side, (n, n_columns), written to `out` if given; a CSR matrix if they are sparse.

    Raises PlanError for an `out` of another shape or type, and if columns are not learned yet; DataError if numbers are
    too large for the kernel.
    """
    if drawn.is_sparse and drawn.has_keys:
        assert not isinstance(out, np.ndarray)
        return _evaluate_sparse(drawn, rows, side, out)
    assert not isinstance(out, SparseTable)
    if drawn.correction is not None:
        return evaluate_with_landmarks(drawn, drawn.correction, rows, side, out)
    if drawn.has_keys:
        return _with_zeros(drawn, rows, side, out)
    if not drawn.is_sparse:
        return evaluate_dense(drawn, rows, side, out)
    return sparse.csr_array(evaluate_dense(drawn, rows, side))


def approximate(drawn: DrawnPlan, x: Rows, y: Rows) -> NDArray[np.float64]:
    """The estimate of k(x_i, y_j), (n, m), comparing keys, not buckets. Raises DataError for too large numbers."""
    total, form = np.zeros((len(x), len(y))), drawn.plan.form
    with np.errstate(over="ignore", invalid="ignore"):  # values that are not finite are rejected
        if drawn.correction is not None:
            left = evaluate_with_landmarks(drawn, drawn.correction, x, "left")
            right = evaluate_with_landmarks(drawn, drawn.correction, y, "right")
            total += (left * drawn.signs) @ right.T
        elif drawn.dense is not None:
            left = evaluate_dense(drawn, x, "left")
            alike = y is x and not drawn.dense.sided(form).any()
            right = left if alike else evaluate_dense(drawn, y, "right")
            total += ((left * drawn.dense.signs(form)) @ right.conj().T).real
        for features in drawn.keyed:
            total += features.inner_products(x, y, form)
    check_estimates(total, x, y, drawn.plan.layout)
    for rows in (x,) if y is x else (x, y):
        warn_of_rounding(losses_of_keyed(drawn, rows, _DOUBLE), rows, drawn.plan.layout)
    return total


def inner_products(drawn: DrawnPlan, x: Rows, y: Rows) -> NDArray[np.float64]:
    """The estimate of k(x_i, y_j), (n, m), from the columns: left features times signs times right ones."""
    left, right = evaluate(drawn, x, "left"), evaluate(drawn, y, "right")
    signed = left * drawn.signs if isinstance(left, np.ndarray) else left.multiply(drawn.signs[None, :]).tocsr()
    products = signed @ right.conj().T
    return np.asarray((products if isinstance(products, np.ndarray) else products.toarray()).real)


def feature_type(drawn: DrawnPlan, numbers: np.dtype[Any]) -> np.dtype[Any]:
    """The feature type for rows with numbers of some type."""
    dtype = _precision(numbers)
    if drawn.correction is not None or drawn.plan.form != "complex":
        return dtype
    has_amplitudes = drawn.dense is not None or any(part.has_amplitudes for part in drawn.keyed)
    return np.result_type(dtype, np.complex64) if has_amplitudes or not drawn.has_keys else dtype


def empty_features(drawn: DrawnPlan, n_columns: int, kind: np.dtype[Any]) -> NDArray[Any] | csr_array:
    """Features of zero rows, (0, n_columns), stored like those of rows."""
    if not drawn.is_sparse:
        return np.empty((0, n_columns), dtype=kind)
    return sparse.csr_array((0, n_columns), dtype=kind)


def empty_table(drawn: DrawnPlan, n_rows: int, numbers: np.dtype[Any], *, both: bool = False) -> SparseTable:
    """A table for the sparse features of `n` rows, for one side or `both`."""
    n_columns, sides = drawn.n_columns_of("both" if both else None), 2 if both else 1
    return SparseTable.empty(n_rows, sides * entries_of(drawn), n_columns, feature_type(drawn, numbers))


def entries_of(drawn: DrawnPlan) -> int:
    """The most nonzeros per row of sparse features on one side."""
    if not drawn.has_keys:
        return drawn.n_columns
    form = drawn.plan.form
    length = 0 if drawn.dense is None else drawn.dense.n_columns(form)
    return length + sum(encoding.entries(part, form) for part, encoding in drawn.encoded)


def evaluate_dense(drawn: DrawnPlan, rows: Rows, side: Side, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """The columns of samples without keys, (n, columns), or one of zeros. Raises the errors of `evaluate`."""
    plan, dense, dtype = drawn.plan, drawn.dense, _precision(rows.numbers.dtype)
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
        size = np.sqrt(float(plan.strata[0].weight) * float(plan.strata[0].law.magnitude()))
        for start in range(0, len(out), _NORMALIZED_ROWS):
            block = out[start : start + _NORMALIZED_ROWS]
            # summation order follows memory order
            block *= (size / np.linalg.norm(np.ascontiguousarray(block), axis=1))[:, None]
    return out


def evaluate_with_landmarks(
    drawn: DrawnPlan, correction: LandmarkCorrection, rows: Rows, side: Side, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """The landmarks' columns, then the samples' minus their predictions. Raises the errors of `evaluate`."""
    from kernelspec.maps.landmarks import write_with_landmarks

    landmarks, dtype = drawn.plan.landmarks, _precision(rows.numbers.dtype)
    assert landmarks is not None
    out = fitting(out, (len(rows), drawn.n_columns), dtype)
    if not write_with_landmarks(drawn.plan, landmarks, correction, drawn.dense, rows, side, out):
        check_finite(out, rows, drawn.plan.layout)
    if drawn.dense is not None:
        warn_of_rounding([drawn.dense.losses(rows, side, drawn.plan.form, dtype)], rows, drawn.plan.layout)
    return out


def _evaluate_sparse(drawn: DrawnPlan, rows: Rows, side: Side, table: SparseTable | None = None) -> csr_array:
    """Dense columns, then those of every keyed part, all written into one matrix."""
    dense, form, dtype = drawn.dense, drawn.plan.form, _precision(rows.numbers.dtype)
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
        check_finite(table.data[:1], rows, drawn.plan.layout)  # all rows have the same values, except for signs
        return table.finished(missing)
    features = table.finished(missing)
    check_finite(features, rows, drawn.plan.layout)
    warn_of_rounding(losses, rows, drawn.plan.layout)
    return features


def losses_of_keyed(drawn: DrawnPlan, rows: Rows, dtype: np.dtype[Any]) -> list[NDArray[np.float64]]:
    """For every part of the samples with keys and angles, the share of its products that each row loses to rounding."""
    parts = [part for part in drawn.keyed if part.phasors is not None]
    largest = largest_size(rows.numbers) if parts else 0.0
    return [part.losses(rows, largest, dtype) for part in parts]


def _with_zeros(drawn: DrawnPlan, rows: Rows, side: Side, out: NDArray[Any] | None) -> NDArray[Any]:
    """The same as an array, a few rows at a time."""
    from kernelspec.maps.transformed_rows import rows_at_a_time

    out = fitting(out, (len(rows), drawn.n_columns), feature_type(drawn, rows.numbers.dtype))
    for where, part in rows.blocks(rows_at_a_time(drawn)):
        out[where] = _evaluate_sparse(drawn, part, side).toarray()
    return out


def fitting(out: NDArray[Any] | None, shape: tuple[int, int], kind: np.dtype[Any]) -> NDArray[Any]:
    """The output array, newly allocated if not given. Raises PlanError if features cannot be written to it."""
    if out is None:
        return np.empty(shape, dtype=kind)
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise PlanError(f"out must be a NumPy array without a mask, not a {type(out).__name__}")
    if out.shape != shape or out.dtype != kind:
        raise PlanError(f"out must have shape {shape} and type {kind}")
    if not out.flags.writeable:
        raise PlanError("out is read-only: features cannot be written to it")
    return out


def _precision(numbers: np.dtype[Any]) -> np.dtype[Any]:
    return _SINGLE if numbers == _SINGLE else _DOUBLE
