"""Features and estimates are finite numbers, or there are none; accurate ones, or there is a warning."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError
from kernelspec.loading import caller_level

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.tables.layout import Layout
    from kernelspec.tables.rows import Rows

__all__ = ["RoundingWarning", "check_estimates", "check_finite", "warn_of_loss", "warn_of_rounding"]


class RoundingWarning(UserWarning):
    """Numbers are so large that rounding takes a noticeable share of the kernel away from the features."""


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


def warn_of_rounding(losses: Iterable[NDArray[np.float64]], rows: Rows, layout: Layout) -> None:
    """Warn (RoundingWarning) of the row that loses most: `losses` has an array (n,) for every part of the features.

    The warning is shown at the line outside the package that asked for the features.
    """
    most = np.max([*losses, np.zeros(len(rows))], axis=0)
    if not most.any():
        return
    row, position, size = _largest(rows, int(np.argmax(most)), layout)
    warn_of_loss(f"{layout.name_of(position)}, row {rows.first + row}", size, rows.numbers.dtype, float(most.max()))


def warn_of_loss(where: str, size: float, dtype: np.dtype[Any], loss: float) -> None:
    """Warn (RoundingWarning) of the share of the kernel that rounding takes from features; `where` names the number."""
    wider = "Convert the data to float64, or subtract" if dtype == np.float32 else "Subtract"
    warnings.warn(
        f"{where}: numbers of size {size:.2g} lose digits in {dtype}, so that inner products of features are off by up "
        f"to {100 * loss:.2g} % of the kernel's size. {wider} each column's mean first, for example with "
        "StandardScaler(with_std=False); kernels of differences do not change",
        RoundingWarning,
        stacklevel=caller_level(),
    )


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
