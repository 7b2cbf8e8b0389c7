"""The features of rows as `FeatureMap.transform` gives them: of one side, of both, or of the only one there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.maps.both_sides import evaluate_both_sides
from kernelspec.maps.bounded_evaluation import rows_evaluated_at_a_time
from kernelspec.maps.columns.sparse_table import SparseTable
from kernelspec.maps.evaluation import evaluate, feature_type, fitting
from kernelspec.samples.samples import Side

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.maps.drawn_plan import DrawnPlan
    from kernelspec.tables.rows import Rows

__all__ = ["transform_rows"]


def transform_rows(
    drawn: DrawnPlan,
    rows: Rows,
    side: Side | Literal["both"] | None,
    out: NDArray[Any] | SparseTable | None = None,
) -> NDArray[Any] | csr_array:
    """The features, (n, n_columns), written to `out` if it is given: a table where they are sparse, of one side.

    Without a side constant columns stay empty. Raises PlanError without a side where left and right differ, for an
    `out` of another shape or type, and for an array where features are sparse; DataError where a feature overflows.
    """
    drawn.check_side(side)
    size = rows_evaluated_at_a_time(drawn, rows.n_columns, side)
    if size is None or len(rows) <= size:
        return _at_once(drawn, rows, side, out)
    assert not isinstance(out, SparseTable)
    features = fitting(out, (len(rows), drawn.n_columns_of(side)), feature_type(drawn, rows.numbers.dtype))
    for where, part in rows.blocks(size):
        _at_once(drawn, part, side, features[where])
    return features


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
