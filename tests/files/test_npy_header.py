"""Headers that can be rewritten in place, as NumPy's own reader sees them."""

from __future__ import annotations

import io

import numpy as np
import pytest
from numpy.lib import format as npy

from kernelspec.tables.npy import header_bytes, read_header


@pytest.mark.parametrize("dtype", ["<f8", "<f4", "<c16", "|b1", ">i4", "<U7", "|S3"])
@pytest.mark.parametrize("shape", [(0, 3), (7, 3), (10**19, 12345), (5,), ()])
def test_numpy_reads_it(dtype: str, shape: tuple[int, ...]) -> None:
    header = header_bytes(shape, np.dtype(dtype))
    stream = io.BytesIO(header)
    assert npy.read_magic(stream) == (1, 0)
    assert npy.read_array_header_1_0(stream) == (shape, False, np.dtype(dtype))
    assert stream.tell() == len(header)
    assert len(header) % 64 == 0


def test_length_does_not_depend_on_the_number_of_rows() -> None:
    lengths = {len(header_bytes((n, 1024), np.dtype("<f8"))) for n in (0, 1, 99, 10**6, 10**19)}
    assert len(lengths) == 1


def test_reads_numpys_headers() -> None:
    stream = io.BytesIO()
    np.save(stream, np.ones((3, 4), order="F", dtype=">i2"))
    stream.seek(0)
    header = read_header(stream, "here")
    assert (header.shape, header.dtype, header.fortran) == ((3, 4), np.dtype(">i2"), True)
    assert (header.n_rows, header.n_columns, header.row_bytes, header.n_bytes) == (3, 4, 8, 24)
