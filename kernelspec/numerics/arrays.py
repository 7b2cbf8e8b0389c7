"""Arrays in the layout that compiled loops need; projections and distances whose bits depend on the row alone."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.loading import has_package, scipy
from kernelspec.random.streams import Hashes

__all__ = [
    "PANEL",
    "ROWS",
    "Projection",
    "Workspace",
    "aligned",
    "distances",
    "exact_product",
    "filled_up",
    "index_dtype",
    "pack_weights",
    "plain",
]

_LINE = 64


_SPLITTER = 2.0**27 + 1


def exact_product(a: Any, b: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The rounded product of floats and its rounding error, whose sum is exact [Dekker 1971].

    Without overflow or underflow; otherwise the error may be infinite, NaN or wrong.
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        product, high, other = a * b, _leading_half(a), _leading_half(b)
        low, rest = a - high, b - other
        return product, ((high * other - product) + high * rest + low * other) + low * rest


def _leading_half(x: Any) -> Any:
    """The leading 26 bits."""
    shifted = _SPLITTER * x
    return shifted - (shifted - x)


def aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An uninitialized C-contiguous array whose data starts at a cache line."""
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + _LINE, dtype=np.uint8)
    first = -memory.__array_interface__["data"][0] % _LINE  # memory.ctypes makes an object, which is slower
    return memory[first : first + size].view(dtype).reshape(shape)


def plain(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The array, or a copy, with this type and byte order, C-contiguous, aligned and writable."""
    if array.dtype == dtype and array.flags.carray:
        return np.asarray(array)
    copy = np.empty(array.shape, dtype=dtype)
    copy[...] = array
    return copy


def index_dtype(largest: int) -> np.dtype[Any]:
    """The dtype for indices and row pointers of a sparse matrix: 32 bits if they suffice.

    Some solvers accept nothing else. `largest` is the larger of the numbers of columns and entries.
    """
    return np.dtype(np.int32 if largest <= np.iinfo(np.int32).max else np.int64)


class Workspace:
    """One array of `size` 64-bit words per thread, for the lifetime of the workspace."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._own = threading.local()

    def words(self, n_rows: int, n: int) -> Hashes:
        """This thread's array, uninitialized, as (n_rows, n). Every call returns the same memory."""
        if not hasattr(self._own, "array"):
            self._own.array = np.empty(self._size, dtype=np.uint64)
        array: Hashes = self._own.array
        return array[: n_rows * n].reshape(n_rows, n)


PANEL = 256
"""Bytes of one column of a panel, which determine how many samples are multiplied at a time."""

ROWS = 4
"""Rows multiplied by a panel at a time; each load from the panel serves all of them."""


def filled_up(rows: int) -> int:
    """The padded number of rows of the memory for products of `rows` rows."""
    return -(-rows // ROWS) * ROWS


def pack_weights(weights: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Weights (N, p) in panels of samples, zero-padded: (panels, p or 1, panel)."""
    n, p = weights.shape
    panel = PANEL // dtype.itemsize
    packed = aligned((max(1, -(-n // panel)), max(1, p), panel), dtype)
    packed[...] = 0
    with np.errstate(over="ignore"):
        for b in range(len(packed)):
            own = weights[b * panel : (b + 1) * panel]
            packed[b, :p, : len(own)] = own.T
    return packed


@dataclass(frozen=True, eq=False)
class Projection:
    """Multiplies rows of p numbers by `frequencies` (p, n), which are packed once, for the first dense rows."""

    frequencies: NDArray[Any]

    @property
    def n(self) -> int:
        """The number of frequencies."""
        return int(self.frequencies.shape[1])

    @cached_property
    def packed(self) -> NDArray[Any]:
        """The frequencies in panels, in the layout of `pack_weights`."""
        return pack_weights(self.frequencies.T, self.frequencies.dtype)

    def __call__(self, rows: Any) -> NDArray[Any]:
        """x·ω_j for rows (m, p), dense or CSR → (m, n), in the dtype of the frequencies, in the calling thread.

        Sums run over the columns in order, with one rounding per column.
        """
        if not isinstance(rows, np.ndarray) or not has_package("numba"):
            return np.asarray(rows @ self.frequencies)
        from kernelspec.numerics.projection_kernels import project_block

        panels, _, panel = self.packed.shape
        kind = self.packed.dtype
        sums = aligned((filled_up(len(rows)), panels * panel), kind)
        project_block(plain(rows, kind), self.packed, np.zeros((panels, panel), dtype=kind), sums)
        return sums[: len(rows), : self.n]


def distances(
    x: NDArray[np.float64], y: NDArray[np.float64], kind: Literal["squared", "absolute"]
) -> NDArray[np.float64]:
    """Σ_k (x_ik − y_jk)² or Σ_k |x_ik − y_jk| of rows (n, p) and (m, p) → (n, m), in the calling thread.

    Computed from differences, since expanding the square would cancel. Sums run over the columns in order,
    independently of other rows.
    """
    if not has_package("numba"):
        return np.asarray(scipy.spatial.distance.cdist(x, y, "sqeuclidean" if kind == "squared" else "cityblock"))
    from kernelspec.numerics.projection_kernels import write_distances

    found, double = np.empty((len(x), len(y))), np.dtype(np.float64)
    write_distances(plain(x, double), plain(y, double), kind == "squared", found)
    return found
