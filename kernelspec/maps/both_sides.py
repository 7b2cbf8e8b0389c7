"""Left and right features side by side: one set of columns for linear models on kernels that are not one-sided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.maps.evaluation import evaluate, feature_type, fitting
from kernelspec.samples.samples import Side

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.maps.drawn_plan import DrawnPlan
    from kernelspec.tables.rows import Rows

__all__ = ["evaluate_both_sides"]

_SIDES: tuple[Side, Side] = ("left", "right")


def evaluate_both_sides(drawn: DrawnPlan, rows: Rows, out: NDArray[Any] | None = None) -> NDArray[Any] | csr_array:
    """The left columns and then the right ones that differ, both of these times √½: (n, n_columns + sided columns).

    Raises PlanError for an `out` of another shape or type, and for any `out` where features are sparse.
    """
    kind, kept, n = feature_type(drawn, rows.numbers.dtype), np.flatnonzero(drawn.sided), drawn.n_columns
    half = np.empty(0, kind).real.dtype.type(np.sqrt(0.5))
    scale = np.where(drawn.sided, half, 1).astype(half.dtype)
    if not drawn.is_sparse:
        out = fitting(out, (len(rows), n + len(kept)), kind)
        evaluate(drawn, rows, "left", out[:, :n])
        out[:, :n] *= scale
        right: Any = evaluate(drawn, rows, "right")
        np.multiply(right[:, kept], half, out=out[:, n:])
        return out
    if out is not None:
        raise PlanError("the features of this kernel are sparse: they cannot be written to out")
    from scipy.sparse import csr_array, diags_array, hstack

    left, right = (evaluate(drawn, rows, side) for side in _SIDES)
    return csr_array(hstack([left @ diags_array(scale), right[:, kept] * half], format="csr"))
