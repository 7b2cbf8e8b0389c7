"""Arrays as compiled loops take them."""

import numpy as np
import pytest

from kernelspec.numerics.arrays import plain

X = np.arange(12.0).reshape(3, 4)


def unaligned():
    memory = np.zeros(X.nbytes + 1, dtype=np.uint8)[1:]
    memory[:] = X.view(np.uint8).ravel()
    return memory.view(np.float64).reshape(3, 4)


def read_only():
    own = X.copy()
    own.flags.writeable = False
    return own


@pytest.mark.parametrize(
    "array", [X[:, ::2], X.T, X.astype(">f8"), X.astype(np.float32), unaligned(), read_only(), X[:0], X[::-1]]
)
def test_is_the_same_and_plain(array):
    found = plain(array, np.dtype(float))
    assert np.array_equal(found, array)
    assert found.flags.carray
    assert found.dtype == np.dtype(float)
    assert not np.shares_memory(found, array)


def test_what_is_plain_is_not_copied(tmp_path):
    assert plain(X, X.dtype) is X
    mapped = np.memmap(tmp_path / "x", dtype=float, mode="w+", shape=(3, 4))
    assert type(plain(mapped, X.dtype)) is np.ndarray
    assert np.shares_memory(plain(mapped, X.dtype), mapped)
