"""Tests of `tables/npy.py`."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kernelspec.errors import FileError
from kernelspec.tables.formats import create_features, open_table
from kernelspec.tables.npy import ArrayStream


def stream_of(array: np.ndarray, cut: int = 0, more: bytes = b"") -> ArrayStream:
    file = io.BytesIO()
    np.save(file, array)
    content = file.getvalue()
    return ArrayStream(Trickle(content[: len(content) - cut] + more), "here")


class Trickle(io.BytesIO):
    """Never more than seven bytes at a time, as a slow source may."""

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        return super().readinto(buffer[:7])


def test_short_reads() -> None:
    array = np.arange(30.0).reshape(10, 3)
    assert np.array_equal(stream_of(array).take(4), array[:4])
    for order in (array, np.asfortranarray(array)):
        assert np.array_equal(np.concatenate(list(stream_of(order).tables(3))), array)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("rows", [1, 7, 30, 100, 1000])
def test_blocks(tmp_path: Path, numbers: NDArray[np.float64], order: str, rows: int) -> None:
    np.save(tmp_path / "a.npy", np.array(numbers, order=order))  # type: ignore[call-overload]
    with open_table(tmp_path / "a.npy", rows_per_block=rows) as table:
        assert (table.names, table.n_columns, table.n_rows) == (None, 4, 100)
        blocks = list(table.blocks())
    assert [len(block) for block in blocks] == [min(rows, 100 - i) for i in range(0, 100, rows)]
    assert all(block.flags.c_contiguous for block in blocks)
    assert np.array_equal(np.concatenate(blocks), numbers)


@pytest.mark.parametrize("dtype", [">f8", "<f4", ">i2", "u1", "?", "<f2", "<i8"])
def test_dtypes_come_in_native_order(tmp_path: Path, dtype: str) -> None:
    array = np.arange(12).reshape(4, 3).astype(dtype)
    np.save(tmp_path / "a.npy", array)
    with open_table(tmp_path / "a.npy", rows_per_block=3) as table:
        blocks = list(table.blocks())
    assert blocks[0].dtype == array.dtype.newbyteorder("=")
    assert blocks[0].dtype.isnative
    assert np.array_equal(np.concatenate(blocks), array)


def test_vector_is_one_column(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(5.0))
    with open_table(tmp_path / "a.npy", rows_per_block=2) as table:
        assert (table.n_columns, table.n_rows) == (1, 5)
        assert [block.shape for block in table.blocks()] == [(2, 1), (2, 1), (1, 1)]


def test_no_rows(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.empty((0, 3)))
    with open_table(tmp_path / "a.npy") as table:
        assert (table.n_columns, table.n_rows) == (3, 0)
        assert list(table.blocks()) == []


def test_wide_rows_make_smaller_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernelspec.tables.table_reader._LARGEST_BLOCK", 1000)
    np.save(tmp_path / "a.npy", np.ones((10, 50)))
    with open_table(tmp_path / "a.npy") as table:
        assert {len(block) for block in table.blocks()} == {2}


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([[1, "a"]], dtype=object), "Python objects, which are never unpickled"),
        (np.array([["a", "b"]]), "has dtype <U1; an array of real numbers"),
        (np.ones((2, 2), dtype=complex), "has dtype complex128"),
        (np.zeros(2, dtype=[("a", "f8"), ("b", "i4")]), "an array of real numbers"),
        (np.array("2024-01-01", dtype="M8[D]").reshape(1, 1), "datetime64"),
        (np.float64(3), r"has shape \(\)"),
        (np.ones((2, 2, 2)), r"has shape \(2, 2, 2\); rows and columns"),
        (np.ones((2, 0)), "so no columns"),
    ],
)
def test_refusals(tmp_path: Path, array: NDArray[np.float64], message: str) -> None:
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(FileError, match=message):
        open_table(tmp_path / "a.npy")


def test_cut_off_and_too_long(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.ones((10, 3)))
    content = path.read_bytes()
    path.write_bytes(content[:-8])
    with pytest.raises(FileError, match="is cut off: its header says 240 bytes of data, but there are 232"):
        open_table(path)
    path.write_bytes(content + content)
    with pytest.raises(FileError, match="more than one array"):
        open_table(path)
    path.write_bytes(content[:50])
    with pytest.raises(FileError, match="damaged, or not an NPY file"):
        open_table(path)


def test_shrinking_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.ones((1000, 3)))
    with open_table(path, rows_per_block=100) as table:
        blocks = table.blocks()
        next(blocks)
        with path.open("rb+") as file:
            file.truncate(5000)
        with pytest.raises(FileError, match="ends in the middle of the data"):
            list(blocks)


def test_version_3_and_damaged_header(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.ones((10, 3)))
    content = path.read_bytes()
    path.write_bytes(content.replace(b"NUMPY\x01", b"NUMPY\x03"))
    with pytest.raises(FileError, match=r"is NPY version 3\.0"):
        open_table(path)
    for bad in (b"(-10,", b"('1',"):
        path.write_bytes(content.replace(b"(10,", bad[:4].ljust(4)))
        with pytest.raises(FileError, match=r"impossible shape|damaged, or not|cut off"):
            open_table(path)


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8", "i4", ">f8"])
@pytest.mark.parametrize("rows", [0, 1, 9, 10, 123])
def test_numpy_reads_it_npy_writer(tmp_path: Path, dtype: str, rows: int) -> None:
    array = (np.random.default_rng(0).normal(size=(rows, 3)) * 100).astype(dtype)
    with create_features(tmp_path / "a.npy", names=["x", "y", "z"], dtype=dtype, sparse=False) as out:
        for start in range(0, rows, 10):
            out.write(array[start : start + 10])
    for mode in (None, "r"):
        found = np.load(tmp_path / "a.npy", mmap_mode=mode)  # type: ignore[arg-type]
        assert found.dtype == array.dtype
        assert np.array_equal(found, array)
