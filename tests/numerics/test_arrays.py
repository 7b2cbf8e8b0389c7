"""Tests of `numerics/arrays.py`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from kernelspec.numerics.arrays import Workspace, aligned, index_dtype, plain, write_columns


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 5), (2, 4, 16)])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_aligned(shape, kind):
    for _ in range(20):
        array = aligned(shape, np.dtype(kind))
        assert (array.shape, array.dtype) == (shape, kind)
        assert array.flags.carray
        assert array.size == 0 or array.ctypes.data % 64 == 0


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "c8", "c16", "i4", "u8", "i1"])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (40, 33), (17, 70)])
@pytest.mark.parametrize("first", [0, 5])
def test_every_number_has_its_place(kind: str, shape: tuple[int, int], first: int) -> None:
    block = (100 * np.random.default_rng(0).standard_normal(shape)).astype(kind)
    columns = np.zeros((shape[1], first + shape[0] + 2), dtype=kind)
    write_columns(block, columns, first)
    assert np.array_equal(columns[:, first : first + shape[0]], block.T)
    assert not columns[:, :first].any()
    assert not columns[:, first + shape[0] :].any()


def test_no_bit_changes() -> None:
    words = np.array([[0x7FF0000000000001, 0xFFF8000000000000], [1, 2**63]], dtype=np.uint64)  # signalling, and signs
    columns = np.zeros((2, 2), dtype=np.float64)
    write_columns(words.view(np.float64), columns)
    assert np.array_equal(columns.view(np.uint64), words.T)


def test_index_dtype() -> None:
    assert index_dtype(2**31 - 1) == np.int32
    assert index_dtype(2**31) == np.int64


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


def test_the_same_memory_in_one_thread() -> None:
    workspace = Workspace(100)
    first, second = workspace.words(10, 10), workspace.words(4, 5)
    assert first.shape == (10, 10)
    assert second.shape == (4, 5)
    assert first.dtype == np.uint64
    assert np.shares_memory(first, second)


def test_other_memory_in_another_thread_or_workspace() -> None:
    workspace = Workspace(100)
    with ThreadPoolExecutor(1) as pool:
        assert not np.shares_memory(workspace.words(10, 10), pool.submit(workspace.words, 10, 10).result())
    assert not np.shares_memory(workspace.words(10, 10), Workspace(100).words(10, 10))
