"""Arrays as compiled loops take them: there is one version of a loop for each precision, and none for memory orders."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["plain"]


def plain(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The array, or a copy: of this type and byte order, C-contiguous, aligned and writeable."""
    if array.dtype == dtype and array.flags.carray:
        return np.asarray(array)
    copy = np.empty(array.shape, dtype=dtype)
    copy[...] = array
    return copy
