"""The columns of landmarks, and their remainders at every row."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.loading import caller_level
from kernelspec.numerics.arrays import Projection
from kernelspec.numerics.threads import run_blocks
from kernelspec.planning.landmarks.landmarks import ChosenLandmarks, CompiledPairs
from kernelspec.planning.strata import kernel_value
from kernelspec.samples.declared_arrays import array
from kernelspec.samples.samples import Side
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.maps.dense import DenseFeatures
    from kernelspec.maps.drawn_plan import DrawnPlan
    from kernelspec.planning.plan import Plan

__all__ = [
    "KeptRowsWarning",
    "LandmarkCorrection",
    "bounding_landmarks",
    "kept_rows_shown",
    "landmark_columns",
    "landmark_correction",
    "residual",
    "warn_of_kept_rows",
    "write_with_landmarks",
]


class KeptRowsWarning(UserWarning):
    """A saved map contains rows of the data: the landmarks of its plan."""


def kept_rows_shown(plan: Plan) -> str | None:
    """The note on the rows of data that a map of this plan contains, and how to avoid them; None if it has none."""
    if plan.landmarks is None:
        return None
    without = "use landmarks='never' (--landmarks never) to avoid this"
    return f"the saved map contains {len(plan.landmarks.left)} rows of the data, its landmarks; {without}"


def warn_of_kept_rows(shown: str | None) -> None:
    """Warn (KeptRowsWarning) of rows that a file contains, at the first line outside this package."""
    if shown is not None:
        warnings.warn(shown, KeptRowsWarning, stacklevel=caller_level())


_HEIGHT, _NUMBERS = 256, 3 * 2**18
"""Rows per block, fewer with thousands of columns: kernel evaluation needs several copies of the numbers."""


@dataclass(frozen=True, eq=False)
class LandmarkCorrection:
    """φ_l(x) - h_l(x) C_l and φ_r(y) - h_r(y) C_r are the samples' columns beside those of the landmarks, h.

    C_l = diag(s c) U'φ_l(L) and C_r = diag(s c) V'φ_r(R), in the notation of `ChosenLandmarks`.
    """

    left: NDArray[np.float64] = array("float64", "landmark columns", "sample columns")
    right: NDArray[np.float64] = array("float64", "landmark columns", "sample columns")

    def correct(self, columns: NDArray[np.float64], side: Side, samples: NDArray[Any]) -> None:
        """Subtract from the samples' columns (n, D) their prediction by the landmark columns (n, r), float64."""
        corrected = self.correction(side)

        def work(first: int, last: int) -> None:
            samples[first:last] -= corrected(columns[first:last])

        if corrected.n:
            run_blocks(len(columns), _HEIGHT, work)

    def correction(self, side: Side) -> Projection:
        """The matrix that maps landmark columns to predictions of the samples' columns."""
        return Projection(self.left if side == "left" else self.right)


def landmark_correction(plan: Plan, landmarks: ChosenLandmarks, dense: DenseFeatures | None) -> LandmarkCorrection:
    """The correction of a plan's `dense` samples by its landmarks."""
    found = []
    for side in ("left", "right"):
        rows = (landmarks.left if side == "left" else landmarks.rows_for_left).rows
        root = landmarks.right_root if side == "left" else landmarks.left_root
        values = np.zeros((len(rows), 0 if dense is None else dense.n_columns(plan.form)))
        if dense is not None:
            dense.evaluate(rows, "left" if side == "left" else "right", plan.form, np.dtype(np.float64), values)
        found.append((root * (landmarks.signs * landmarks.shares)).T @ values)
    return LandmarkCorrection(*found)


def landmark_columns(plan: Plan, landmarks: ChosenLandmarks, rows: Rows, side: Side) -> NDArray[np.float64]:
    """h of the rows on one side, (n, r): the same bits for a row in any company."""
    found, columns = _columns_of(plan, landmarks, side), np.empty((len(rows), landmarks.n_columns))

    def work(first: int, last: int) -> None:
        columns[first:last] = found(rows, first, last)

    run_blocks(len(rows), _height(rows), work)
    return columns


def write_with_landmarks(
    plan: Plan,
    landmarks: ChosenLandmarks,
    features: LandmarkCorrection,
    dense: DenseFeatures | None,
    rows: Rows,
    side: Side,
    out: NDArray[Any],
) -> bool:
    """Write h into the first columns of `out` (n, r + D), then the samples' columns minus their prediction by h.

    In blocks: a row is read once, its features are written once, and checked while in the cache. Returns whether all
    are known to be finite.
    """
    found, r = _columns_of(plan, landmarks, side), landmarks.n_columns
    said = features.correction(side)
    at_once, finite = dense is not None and not dense.is_blockwise, []
    if dense is not None and at_once:
        dense.evaluate(rows, side, plan.form, out.dtype, out[:, r:])

    def work(first: int, last: int) -> None:
        columns, block = found(rows, first, last), out[first:last]
        block[:, :r] = columns
        if dense is not None:
            samples = block[:, r:] if at_once else np.empty((last - first, said.n), dtype=out.dtype)
            if not at_once:
                dense.evaluate(rows.take(slice(first, last)), side, plan.form, out.dtype, samples)
            np.subtract(samples, said(columns), out=block[:, r:])
        finite.append(bool(np.isfinite(block.sum())))

    run_blocks(len(rows), _height(rows), work)
    return all(finite)


def _columns_of(plan: Plan, landmarks: ChosenLandmarks, side: Side) -> Callable[[Rows, int, int], NDArray[np.float64]]:
    """h of a block of rows, in the calling thread."""
    others = (landmarks.rows_for_left if side == "left" else landmarks.left).rows
    multiplied = Projection(landmarks.left_root if side == "left" else landmarks.right_root)

    def columns(rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        # a full block, padded if necessary: kernels are evaluated on blocks of one shape, in one order
        height = _height(rows)
        if last - first == height and isinstance(rows.numbers, np.ndarray) and rows.numbers.flags.c_contiguous:
            block = rows.take(slice(first, last))
        else:
            places = np.minimum(np.arange(first, first + height), last - 1)
            block = replace(rows.take(places), first=rows.first + first)
        left = side == "left"
        pairs = CompiledPairs(block, others) if left else CompiledPairs(others, block)
        values = kernel_value(plan.strata, pairs)
        return multiplied((values if left else values.T)[: last - first])

    return columns


def _height(rows: Rows) -> int:
    """The number of rows per block, which only depends on the number of columns."""
    return max(4, min(_HEIGHT, _NUMBERS // rows.n_columns // 4 * 4))


def residual(drawn: DrawnPlan, rows: Rows) -> NDArray[np.float64]:
    """k(x, x) - ‖h(x)‖² (n,), h the landmark columns; at least 0. Raises the errors of `bounding_landmarks`."""
    landmarks = bounding_landmarks(drawn.plan)
    own = kernel_value(drawn.plan.strata, NumericPairs(rows, rows, grid=False))
    columns = landmark_columns(drawn.plan, landmarks, rows, "left")
    return np.asarray(np.maximum(own - np.square(columns).sum(axis=1), 0.0))


def bounding_landmarks(plan: Plan) -> ChosenLandmarks:
    """The landmarks of a plan that bound their remainders. Raises PlanError if there are none."""
    landmarks = plan.landmarks
    if landmarks is None:
        raise PlanError("the map has no landmarks: use method='landmarks' or 'nystrom'")
    if not plan.bounds_error:
        raise PlanError("the kernel is a difference or asymmetric, so what the landmarks leave of it is not a bound")
    return landmarks
