"""How many rows a map may evaluate at a time, where what it computes on the way takes memory for each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kernelspec.maps.evaluation import entries_of
from kernelspec.samples.samples import Side

if TYPE_CHECKING:
    from kernelspec.maps.drawn_plan import DrawnPlan

__all__ = ["rows_evaluated_at_a_time"]

_BYTES = 2**26
_BYTES_PER_NUMBER, _BYTES_PER_FEATURE = 40, 32
"""Unit vectors take four copies of the numbers in float64; the other side, or sines beside cosines, two of features."""

_BYTES_PER_CODE, _BYTES_PER_ENTRY, _BYTES_PER_COPIED_ENTRY = 96, 16, 96
"""Of sparse features: categories are hashed and looked for among those known; entries without a column are squeezed
out; those of both sides, and of dense features, are found, gathered and scaled before they are put side by side."""


def rows_evaluated_at_a_time(drawn: DrawnPlan, n_columns: int, side: Side | Literal["both"] | None) -> int | None:
    """Rows of so many columns at a time; None where the evaluation itself goes block by block."""
    if drawn.is_sparse:
        is_written = drawn.has_keys and side != "both"
        if is_written and _stays_bounded(drawn, side):
            return None
        per_entry = _BYTES_PER_ENTRY if is_written else _BYTES_PER_COPIED_ENTRY
        return max(1, _BYTES // (_BYTES_PER_NUMBER * n_columns + _BYTES_PER_CODE + per_entry * entries_of(drawn)))
    if side != "both" and drawn.dense is None:
        return None
    if side != "both" and drawn.dense is not None and drawn.dense.stays_bounded(drawn.plan.form):
        return None
    return max(1, _BYTES // (_BYTES_PER_NUMBER * n_columns + _BYTES_PER_FEATURE * drawn.n_columns))


def _stays_bounded(drawn: DrawnPlan, side: Side | Literal["both"] | None) -> bool:
    """Whether keys are written block by block, and no entry is looked at, or taken out, afterwards."""
    if drawn.dense is not None or (side is None and drawn.constant_columns):
        return False
    return all(encoding.stays_bounded and not part.has_amplitudes for part, encoding in drawn.encoded)
