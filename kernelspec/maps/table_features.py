"""The features of a table: read at once, or a few rows at a time where reading copies them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.maps.transformed_rows import TransformedRows, transform_rows
from kernelspec.samples.samples import Side
from kernelspec.tables.pieces import memory_of_frame, pieces_of
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_kinds import as_table, is_frame

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.maps.drawn_plan import DrawnPlan

__all__ = ["features_of_table"]

_PARTS = ("data", "indices", "indptr")
"""Arrays of a sparse matrix, of most formats."""


def features_of_table(
    drawn: DrawnPlan, X: Any, side: Side | Literal["both"] | None, out: NDArray[Any] | None = None
) -> NDArray[Any] | csr_array:
    """The features, (n, n_columns). Raises what `transform_rows` does, and PlanError for an `out` in X's memory."""
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
    """The arrays that an array or a sparse matrix consists of."""
    return [getattr(numbers, name, None) for name in _PARTS] if hasattr(numbers, "tocsr") else [numbers]


def _check_apart(parts: Iterable[Any], out: Any) -> None:
    """Raise PlanError where writing features would change rows that are yet to be read, or features written before."""
    if not isinstance(out, np.ndarray):
        return  # refused with the reason when it is written to
    for part in parts:
        if isinstance(part, np.ndarray) and np.may_share_memory(part, out) and _share(part, out):
            raise PlanError("out shares memory with the rows, which would be overwritten before they are read")
    steps = sorted((abs(step), n) for step, n in zip(out.strides, out.shape, strict=True) if n > 1)
    if any(step < below * n for (below, n), (step, _) in pairwise([(out.itemsize, 1), *steps])):
        raise PlanError("out has features on top of one another in memory")


def _share(numbers: NDArray[Any], out: NDArray[Any]) -> bool:
    try:
        return np.shares_memory(numbers, out, max_work=10_000)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True
