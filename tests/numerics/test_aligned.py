"""Memory that starts at a line of the cache."""

import numpy as np
import pytest

from kernelspec.numerics.arrays import aligned


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 5), (2, 4, 16)])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_aligned(shape, kind):
    for _ in range(20):
        array = aligned(shape, np.dtype(kind))
        assert (array.shape, array.dtype) == (shape, kind)
        assert array.flags.carray
        assert array.size == 0 or array.ctypes.data % 64 == 0
