"""How wide the indices of sparse matrices are."""

from __future__ import annotations

import numpy as np

from kernelspec.numerics.arrays import index_dtype


def test_index_dtype() -> None:
    assert index_dtype(2**31 - 1) == np.int32
    assert index_dtype(2**31) == np.int64
