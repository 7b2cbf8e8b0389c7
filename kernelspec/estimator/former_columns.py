"""The argument `columns` of version 0.1, which is called `keys` now: taken for one more version, with a warning."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from kernelspec.errors import PlanError
from kernelspec.planning.target import CONFIDENCE

if TYPE_CHECKING:
    from kernelspec.planning.keys import Keys

__all__ = ["keys_asked_for", "with_keys"]

_KEYS: dict[str, Keys] = {"buckets": "hashed", "bits": "bits", "exact": "exact"}

_NEW: dict[str, Any] = {
    "storage": "auto",
    "draws": "auto",
    "anchors": "auto",
    "error": None,
    "pointwise": None,
    "confidence": CONFIDENCE,
    "objective": "error",
}
"""Arguments that version 0.1 did not have, with their defaults."""


def keys_asked_for(keys: Keys, columns: str) -> Keys:
    """The `keys` of an estimator, or what `columns` says where it is set. Raises PlanError for other columns.

    The warning is shown at the line that called the caller of this function.
    """
    if columns == "deprecated":
        return keys
    if columns not in _KEYS:
        raise PlanError(f"columns must be {', '.join(map(repr, _KEYS))}, not {columns!r}; it is called keys now")
    warnings.warn(
        f"columns={columns!r} is from version 0.1 and will go: use keys={_KEYS[columns]!r} instead",
        FutureWarning,
        stacklevel=3,
    )
    return _KEYS[columns]


def with_keys(state: dict[str, Any]) -> dict[str, Any]:
    """The state of a pickled estimator, that of one of version 0.1 with `keys` for `columns`, and what is new."""
    state = {"feature_names": None} | state
    if "keys" in state:
        return state
    former = state.get("columns", "buckets")
    return _NEW | state | {"keys": _KEYS.get(former, former), "columns": "deprecated"}
