"""Rows of the data that a map keeps, and its file holds: said where a map is saved."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.planning.plan import Plan

__all__ = ["KeptRowsWarning", "kept_rows_shown", "warn_of_kept_rows"]


class KeptRowsWarning(UserWarning):
    """A saved map holds rows of the data: the anchors of its plan."""


def kept_rows_shown(plan: Plan) -> str | None:
    """How many rows of the data a map of this plan holds, and how to do without; None if it holds none."""
    if plan.anchors is None:
        return None
    n = len(plan.anchors.left)
    return f"the saved map holds {n} rows of the data, its anchors; anchors='never' (--anchors never) makes one without"


def warn_of_kept_rows(plan: Plan) -> None:
    """Warn of them (KeptRowsWarning), at the line that called the caller of this function."""
    said = kept_rows_shown(plan)
    if said is not None:
        warnings.warn(said, KeptRowsWarning, stacklevel=3)
