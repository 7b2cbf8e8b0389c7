"""The header of an NPY file: shape, dtype and order of what follows."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy

from kernelspec.errors import FileError
from kernelspec.files.blocks import check_columns

if TYPE_CHECKING:
    from typing import IO

__all__ = ["ArrayHeader", "header_bytes", "read_header"]

_NUMERIC_KINDS = "biuf"
_MOST_ROW_DIGITS = 20
_ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class ArrayHeader:
    """What an array of an NPY file or NPZ member looks like."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool

    @property
    def n_rows(self) -> int:
        """Length of the first axis."""
        return self.shape[0]

    @property
    def n_columns(self) -> int:
        """Length of the second axis; a vector is one column."""
        return self.shape[1] if len(self.shape) > 1 else 1

    @property
    def row_bytes(self) -> int:
        """Bytes of one row."""
        return self.n_columns * self.dtype.itemsize

    @property
    def n_bytes(self) -> int:
        """Bytes of the whole array."""
        return math.prod(self.shape) * self.dtype.itemsize

    def check_length(self, present: int, where: str) -> None:
        """Refuse data of another length than the header promises (objects are pickled: any length will do).

        Raises:
            FileError: the data are cut off, or something follows them.
        """
        if present != self.n_bytes and not self.dtype.hasobject:
            how = "cut off" if present < self.n_bytes else "not one array alone"
            raise FileError(
                f"{where}: is {how}: its header promises {self.n_bytes} bytes of data, and {present} are there"
            )

    def check_table(self, where: str) -> None:
        """Refuse what is not a table of real numbers.

        Raises:
            FileError: objects, text, complex numbers, a structured dtype, 0 or more than 2 dimensions, no columns.
        """
        if self.dtype.hasobject:
            raise FileError(f"{where}: holds Python objects, which are never unpickled; save it as float64")
        if self.dtype.kind not in _NUMERIC_KINDS:
            raise FileError(f"{where}: has dtype {self.dtype}; an array of real numbers is needed")
        if len(self.shape) not in (1, 2):
            raise FileError(f"{where}: has shape {self.shape}; rows and columns, or one column, are needed")
        if self.n_columns == 0:
            raise FileError(f"{where}: has shape {self.shape}, so no columns")
        check_columns(self.n_columns, where)


def read_header(stream: IO[bytes], where: str) -> ArrayHeader:
    """Read the header at the start of `stream`, leaving it at the first byte of the data.

    Raises:
        FileError: a version of the format that only structured arrays need.
        ValueError: no such header, or a damaged one.
    """
    version = npy.read_magic(stream)
    if version == (1, 0):
        shape, fortran, dtype = npy.read_array_header_1_0(stream)
    elif version == (2, 0):
        shape, fortran, dtype = npy.read_array_header_2_0(stream)
    else:
        raise FileError(f"{where}: has version {version[0]}.{version[1]} of the NPY format; 1.0 and 2.0 are read")
    if any(length < 0 for length in shape):
        raise FileError(f"{where}: has the impossible shape {shape}")
    # A vector is stored the same way in either order.
    return ArrayHeader(shape, dtype, fortran and len(shape) > 1)


def header_bytes(shape: tuple[int, ...], dtype: np.dtype[Any]) -> bytes:
    """A header for C order whose length does not depend on the number of rows, so that it can be rewritten."""
    text = repr({"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape})
    text += " " * (_MOST_ROW_DIGITS - len(str(shape[0]))) if shape else ""
    prefix = len(npy.MAGIC_PREFIX) + 2 + 2
    padding = -(prefix + len(text) + 1) % _ALIGNMENT
    encoded = (text + " " * padding + "\n").encode("latin1")
    return npy.magic(1, 0) + struct.pack("<H", len(encoded)) + encoded
