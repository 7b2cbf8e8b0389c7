"""Arrays that start where a line of the processor's cache does: loops over others take up to half as long again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["aligned"]

_LINE = 64


def aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of this shape, C-contiguous and uninitialised."""
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + _LINE, dtype=np.uint8)
    first = -memory.__array_interface__["data"][0] % _LINE  # memory.ctypes makes an object, which takes longer
    return memory[first : first + size].view(dtype).reshape(shape)
