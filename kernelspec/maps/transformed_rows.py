"""The features of rows as `FeatureMap.transform` gives them: of one side, of both, or of the only one there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.maps.both_sides import evaluate_both_sides
from kernelspec.maps.bounded_evaluation import rows_evaluated_at_a_time
from kernelspec.maps.columns.appended_rows import AppendedRows
from kernelspec.maps.columns.sparse_table import SparseTable
from kernelspec.maps.evaluation import empty_table, evaluate, feature_type, fitting
from kernelspec.samples.samples import Side
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.maps.drawn_plan import DrawnPlan

__all__ = ["TransformedRows", "transform_rows"]


class TransformedRows:
    """The features of `n_rows` rows whose numbers are of a type, some rows after the others, in bounded memory.

    Raises what `transform_rows` does, as soon as it can.
    """

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
            if isinstance(out, np.ndarray):
                raise PlanError("the features of this kernel are sparse: they cannot be written to out")
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
        """Those of all rows, when they have been added."""
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
    drawn: DrawnPlan,
    rows: Rows,
    side: Side | Literal["both"] | None,
    out: NDArray[Any] | SparseTable | None = None,
) -> NDArray[Any] | csr_array:
    """The features, (n, n_columns), written to `out` if it is given: a table where they are sparse, of one side.

    Without a side constant columns stay empty. Raises PlanError without a side where left and right differ, for an
    `out` of another shape or type, and for an array where features are sparse; DataError where numbers are too large
    for the kernel.
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
