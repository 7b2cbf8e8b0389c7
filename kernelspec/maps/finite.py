"""Features and estimates are finite numbers, or there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.tables.layout import Layout
    from kernelspec.tables.rows import Rows

__all__ = ["check_estimates", "check_finite"]


def check_finite(features: NDArray[Any] | csr_array, rows: Rows, layout: Layout) -> None:
    """Raise DataError for features (n, m) of `rows` (n, d) that are not all finite, naming a row and a column.

    The column is that of the row's largest number: what makes powers or exponentials overflow, and angles so large that
    rounding leaves nothing of them.
    """
    first = _first_bad(features if isinstance(features, np.ndarray) else features.data)
    if first is None:
        return
    if isinstance(features, np.ndarray):
        row = first // features.shape[1]
    else:
        row = int(np.searchsorted(features.indptr, first, side="right")) - 1
    raise _lost("features are lost", *_largest(rows, row, layout), rows, layout)


def check_estimates(estimates: NDArray[np.float64], x: Rows, y: Rows, layout: Layout) -> None:
    """Raise DataError for estimates (n, m) of kernel values that are not all finite, naming a row of x or y."""
    first = _first_bad(estimates)
    if first is not None:
        row, other = divmod(first, estimates.shape[1])
        found = (_largest(x, row, layout), x), (_largest(y, other, layout), y)
        place, rows = max(found, key=lambda one: one[0][2])
        raise _lost("estimates are lost", *place, rows, layout)


def _first_bad(values: NDArray[Any]) -> int | None:
    """The place of the first value that is not finite, counted through the whole array."""
    # one pass without a temporary of the size of the features: NaN and infinity survive the sum
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return None
    bad = np.flatnonzero(~np.isfinite(values))
    return int(bad[0]) if len(bad) else None  # or the sum alone was too large


def _largest(rows: Rows, row: int, layout: Layout) -> tuple[int, int, float]:
    """The row, the column of its largest number, and how large that is."""
    numbers = abs(rows.take(slice(row, row + 1)).dense()[0])
    position = max(layout.numeric, key=lambda i: numbers[i])
    return row, position, float(numbers[position])


def _lost(what: str, row: int, position: int, size: float, rows: Rows, layout: Layout) -> DataError:
    return DataError(
        f"{what} in row {rows.first + row}, {layout.name_of(position)}: a number of size {size:g} is too large for "
        f"this kernel in {rows.numbers.dtype}; scale the column down"
    )
