"""What the anchors of a map leave of the kernel at every row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.maps.anchored import anchor_columns
from kernelspec.notation.pairs import NumericPairs
from kernelspec.planning.strata import kernel_value

if TYPE_CHECKING:
    from kernelspec.maps.drawn_plan import DrawnPlan
    from kernelspec.tables.rows import Rows

__all__ = ["residual"]


def residual(drawn: DrawnPlan, rows: Rows) -> NDArray[np.float64]:
    """k(x, x) - ‖h(x)‖² (n,), h the columns of the anchors; what rounding leaves below 0 is 0.

    Raises PlanError for a map without anchors, and for a kernel that is not positive definite.
    """
    anchors = drawn.plan.anchors
    if anchors is None:
        raise PlanError("the map has no anchors: method='anchored' or 'nystrom' has some")
    signed = any(stratum.weight < 0 for stratum in drawn.plan.strata)
    if anchors.right is not None or signed or (anchors.signs < 0).any():
        raise PlanError("the kernel is a difference or asymmetric: what the anchors leave of it is no bound")
    own = kernel_value(drawn.plan.strata, NumericPairs(rows, rows, grid=False))
    columns = anchor_columns(drawn.plan, anchors, rows, "left")
    return np.asarray(np.maximum(own - np.square(columns).sum(axis=1), 0.0))
