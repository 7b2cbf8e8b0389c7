"""The columns of anchors, and what they take off the samples of a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.notation.pairs import NumericPairs
from kernelspec.numerics.projection import project
from kernelspec.numerics.threads import run_blocks
from kernelspec.planning.strata import kernel_value
from kernelspec.samples.declared_arrays import array
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.maps.dense import DenseFeatures
    from kernelspec.planning.anchors.anchors import Anchors
    from kernelspec.planning.plan import Plan
    from kernelspec.samples.samples import Side

__all__ = ["AnchoredFeatures", "anchor_columns", "anchored_features"]

_HEIGHT = 256
"""Rows of a block."""


@dataclass(frozen=True, eq=False)
class AnchoredFeatures:
    """φ_l(x) - h_l(x) C_l and φ_r(y) - h_r(y) C_r are the samples' columns beside those of the anchors, h.

    C_l = diag(s c) U'φ_l(L) and C_r = diag(s c) V'φ_r(R), in the words of `Anchors`.
    """

    left: NDArray[np.float64] = array("float64", "anchor columns", "sample columns")
    right: NDArray[np.float64] = array("float64", "anchor columns", "sample columns")

    def correct(self, columns: NDArray[np.float64], side: Side, samples: NDArray[Any]) -> None:
        """Take off the samples' columns (n, D) what the anchors' columns (n, r), float64, say of them."""
        correction = self.left if side == "left" else self.right

        def work(first: int, last: int) -> None:
            samples[first:last] -= project(columns[first:last], correction)

        if correction.size:
            run_blocks(len(columns), _HEIGHT, work)


def anchored_features(plan: Plan, anchors: Anchors, dense: DenseFeatures | None) -> AnchoredFeatures:
    """What the anchors of a plan say of its samples, `dense`."""
    found = []
    for side in ("left", "right"):
        rows = (anchors.left if side == "left" else anchors.rows_for_left).rows
        root = anchors.right_root if side == "left" else anchors.left_root
        values = np.zeros((len(rows), 0 if dense is None else dense.n_columns(plan.form)))
        if dense is not None:
            dense.evaluate(rows, "left" if side == "left" else "right", plan.form, np.dtype(np.float64), values)
        found.append((root * (anchors.signs * anchors.shares)).T @ values)
    return AnchoredFeatures(*found)


def anchor_columns(plan: Plan, anchors: Anchors, rows: Rows, side: Side) -> NDArray[np.float64]:
    """h of the rows on one side, (n, r): of any row the same bits, whatever rows it comes with."""
    others = (anchors.rows_for_left if side == "left" else anchors.left).rows
    root = anchors.left_root if side == "left" else anchors.right_root
    columns = np.empty((len(rows), root.shape[1]))

    def work(first: int, last: int) -> None:
        block = _padded(rows, first, last)
        pairs = NumericPairs(block, others) if side == "left" else NumericPairs(others, block)
        values = kernel_value(plan.strata, pairs)
        columns[first:last] = project((values if side == "left" else values.T)[: last - first], root)

    run_blocks(len(rows), _HEIGHT, work)
    return columns


def _padded(rows: Rows, first: int, last: int) -> Rows:
    """A whole block, whatever is left of the rows: kernels are evaluated on blocks of one shape."""
    return rows.take(np.minimum(np.arange(first, first + _HEIGHT), last - 1))
