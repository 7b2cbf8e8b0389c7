"""The columns of anchors in another library, and what they take off those of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelspec.maps.engines.array_pairs import ArrayPairs
from kernelspec.maps.engines.array_rows import ArrayRows
from kernelspec.maps.engines.array_values import ArrayValues, refused

if TYPE_CHECKING:
    from kernelspec.maps.anchored import AnchoredFeatures
    from kernelspec.planning.plan import Plan
    from kernelspec.samples.samples import Side

__all__ = ["anchored_array"]

_ENTRIES, _IN_CACHE = 2**22, 2**17
"""Kernel values at a time: 32 MB, of which a few are held; on processors 1 MB, which takes a sixth of the time."""


def anchored_array(
    plan: Plan, features: AnchoredFeatures, X: Any, samples: Any | None, side: Side, xp: Any, device: Any
) -> Any:
    """h(x) and the samples less what h says of them, (n, r + D), of X's type: `write_anchored` in another library.

    Kernel values and what is made of them are float64, whatever the type. Raises PlanError, by its name, for a kernel
    whose values are not made of functions of the array API.
    """
    anchors = plan.anchors
    assert anchors is not None
    own = ArrayValues(X, xp, device)
    others = (anchors.rows_for_left if side == "left" else anchors.left).rows.dense()
    rows, there = xp.astype(X, xp.float64), ArrayRows(own.like(own.there(others)))
    root = own.there(anchors.left_root if side == "left" else anchors.right_root)
    entries = _IN_CACHE if "cpu" in str(device).lower() else _ENTRIES
    height, blocks = max(1, entries // max(1, len(others))), []
    for first in range(0, X.shape[0], height):
        block = ArrayRows(own.like(rows[first : min(first + height, X.shape[0]), :]), first=first)
        pairs = ArrayPairs(block, there) if side == "left" else ArrayPairs(there, block)
        values = _kernel_value(plan, pairs).values
        blocks.append((values if side == "left" else values.T) @ root)
    columns = blocks[0] if len(blocks) == 1 else xp.concat(blocks, axis=0)
    parts = [xp.astype(columns, X.dtype)]
    if samples is not None:
        known = own.there(features.left if side == "left" else features.right)
        parts.append(xp.astype(xp.astype(samples, xp.float64) - columns @ known, X.dtype))
    return xp.concat(parts, axis=1)


def _kernel_value(plan: Plan, pairs: ArrayPairs) -> ArrayValues:
    """Σ w_i k_i(x, y) of all strata, (n, m)."""
    own: ArrayValues = pairs.x.numbers
    total = own.like(own.xp.zeros(pairs.shape, dtype=own.xp.float64, device=own.device))
    for stratum in plan.strata:
        try:
            total = total + stratum.weight * stratum.value(pairs)
        except (AttributeError, TypeError) as error:  # what a stand-in for an array lacks
            raise refused(stratum.law.lines(stratum.positions, plan.layout.names)[0], error) from error
    return total
