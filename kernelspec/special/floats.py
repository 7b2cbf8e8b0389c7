"""Arrays of floats, and what stands in for them."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["floats", "is_stand_in"]


def floats(values: Any) -> np.ndarray:
    """The values as an array of float64; what stands in for an array as it is, where np.asarray would copy it here."""
    if is_stand_in(values):
        return values  # type: ignore[no-any-return]
    return np.asarray(values, dtype=float)


def is_stand_in(values: Any) -> bool:
    """Whether the values are no array of NumPy's, and compute its functions themselves, perhaps on another device.

    By NumPy's protocols for such types [NEP 13, NEP 18].
    """
    return hasattr(values, "__array_function__") and not isinstance(values, np.ndarray)
