"""How many rows a map may evaluate at a time, where what it computes on the way takes memory for each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kernelspec.samples.samples import Side

if TYPE_CHECKING:
    from kernelspec.maps.drawn_plan import DrawnPlan

__all__ = ["rows_evaluated_at_a_time"]

_BYTES = 2**26
_BYTES_PER_NUMBER, _BYTES_PER_FEATURE = 40, 32
"""Unit vectors take four copies of the numbers in float64; the other side, or sines beside cosines, two of features."""


def rows_evaluated_at_a_time(drawn: DrawnPlan, n_columns: int, side: Side | Literal["both"] | None) -> int | None:
    """Rows of so many columns at a time; None where the evaluation itself goes block by block, or is sparse."""
    if drawn.is_sparse or (side != "both" and drawn.dense is None):
        return None
    if side != "both" and drawn.dense is not None and drawn.dense.stays_bounded(drawn.plan.form):
        return None
    return max(1, _BYTES // (_BYTES_PER_NUMBER * n_columns + _BYTES_PER_FEATURE * drawn.n_columns))
