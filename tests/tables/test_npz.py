"""Tests of `tables/npz.py`."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from kernelspec.errors import DataError, FileError
from kernelspec.tables.formats import create_features, open_table
from tests.tables.conftest import sparse_numbers


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_blocks(tmp_path: Path, numbers: NDArray[np.float64], order: str, save: object) -> None:
    assert callable(save)
    save(tmp_path / "a.npz", np.array(numbers, order=order))  # type: ignore[call-overload]
    with open_table(tmp_path / "a.npz", rows_per_block=30) as table:
        assert (table.names, table.n_columns, table.n_rows) == (None, 4, 100)
        for _ in range(2):
            blocks = list(table.blocks())
            assert [len(block) for block in blocks] == [30, 30, 30, 10]
            assert np.array_equal(np.concatenate(blocks), numbers)


@pytest.mark.parametrize(
    "arrays",
    [
        {"X": np.eye(3), "y": np.ones(3)},
        {"X": np.eye(3), "Z": np.zeros((3, 3))},
        {"data": np.eye(3), "y": np.ones(3), "n": np.array(5)},
        {"X": np.eye(3), "y": np.array([None, 1], dtype=object)},
    ],
)
def test_choice(tmp_path: Path, arrays: dict[str, NDArray[np.float64]]) -> None:
    np.savez(tmp_path / "a.npz", **arrays)  # type: ignore[arg-type]
    with open_table(tmp_path / "a.npz") as table:
        (block,) = table.blocks()
    assert np.array_equal(block, np.eye(3))


def test_single_vector(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", np.arange(3))
    with open_table(tmp_path / "a.npz") as table:
        (block,) = table.blocks()
    assert block.shape == (3, 1)


def test_ambiguity_lists_what_is_there(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", train=np.eye(3), test=np.eye(2), y=np.ones(3))
    with pytest.raises(
        FileError,
        match=r"has 2 matrices, none named 'X': name one of 'train' \(3, 3\), 'test' \(2, 2\), 'y' \(3,\) 'X'",
    ):
        open_table(tmp_path / "a.npz")


def test_refusals(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    for array, message in (
        (np.array([[None]], dtype=object), "array 'X': holds Python objects"),
        (np.array([["a"]]), "array 'X': has dtype <U1"),
        (np.ones((2, 2, 2)), r"array 'X': has shape \(2, 2, 2\)"),
    ):
        np.savez(path, X=array)
        with pytest.raises(FileError, match=message):
            open_table(path)
    np.savez(path)
    with pytest.raises(FileError, match=r"is not an NPZ file|without arrays"):
        open_table(path)


def test_other_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(FileError, match="a zip archive without arrays"):
        open_table(tmp_path / "a.npz")


def test_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, X=np.ones((1000, 3)))
    path.write_bytes(path.read_bytes()[:-500])
    with pytest.raises(FileError, match="damaged, or not an NPZ file: File is not a zip file"):
        open_table(path)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_a_flipped_bit_in_the_data_is_noticed(tmp_path: Path, save: object) -> None:
    assert callable(save)
    path = tmp_path / "a.npz"
    save(path, X=np.random.default_rng(0).normal(size=(1000, 3)))
    content = bytearray(path.read_bytes())
    content[-1000] ^= 1
    path.write_bytes(content)
    with open_table(path, rows_per_block=100) as table, pytest.raises(FileError, match=r"damaged|CRC"):
        list(table.blocks())


def test_member_shorter_or_longer_than_its_header(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((10, 3)))
    good = (tmp_path / "x.npy").read_bytes()
    for content, message in (
        (good[:-8], "array 'X': is cut off"),
        (good + b"more", "array 'X': is more than one array"),
    ):
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
            archive.writestr("X.npy", content)
        with pytest.raises(FileError, match=message):
            open_table(tmp_path / "a.npz")


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "?"])
@pytest.mark.parametrize("rows", [1, 7, 100, 1000])
def test_blocks_npz_sparse(tmp_path: Path, kind: type, dtype: str, rows: int) -> None:
    matrix = kind(sparse_numbers(100, 50) * 10).astype(dtype)
    sparse.save_npz(tmp_path / "a.npz", matrix)
    with open_table(tmp_path / "a.npz", rows_per_block=rows) as table:
        assert (table.names, table.n_columns, table.n_rows) == (None, 50, 100)
        blocks = list(table.blocks())
        with pytest.raises(DataError, match="no names"):
            table.blocks(["a"])
    assert [block.shape[0] for block in blocks] == [min(rows, 100 - i) for i in range(0, 100, rows)]
    assert all(isinstance(block, sparse.csr_array) and block.dtype == dtype for block in blocks)
    assert np.array_equal(sparse.vstack(blocks).toarray(), matrix.toarray())


@pytest.mark.parametrize("layout", ["csc", "coo"])
def test_other_layouts(tmp_path: Path, layout: str) -> None:
    sparse.save_npz(tmp_path / "a.npz", sparse.eye_array(3, format=layout))  # type: ignore[call-overload]
    with pytest.raises(FileError, match=rf"{layout} format; save `matrix\.tocsr\(\)`"):
        open_table(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": np.array([0, 9, 2])}, "an index exceeds the 3 columns"),
        ({"indices": np.array([0, -1, 2])}, "an index exceeds the 3 columns"),
        ({"indices": np.array([0, 1])}, "point beyond the 2 entries"),
        ({"indices": np.array([0.0, 1, 2])}, "'indices' is float64"),
        ({"data": np.ones(4)}, "continues after"),
        ({"data": np.ones(3, dtype=complex)}, "'data' is complex128"),
        ({"data": np.ones((3, 1))}, r"'data' is float64 of shape \(3, 1\)"),
        ({"indptr": np.array([0, 2, 1, 3])}, "not ascending"),
        ({"indptr": np.array([0, 1, 2, 9])}, "point beyond the 3 entries"),
        ({"indptr": np.array([-1, 1, 2, 3])}, "not ascending"),
        ({"indptr": np.array([0, 1, 3])}, "do not match"),
        ({"shape": np.array([3, -3])}, "do not match"),
        ({"shape": np.array([3, 3, 3])}, "do not match"),
        ({"format": np.array(b"dok")}, "in dok format"),
    ],
)
def test_inconsistent(tmp_path: Path, change: dict[str, np.ndarray], message: str) -> None:
    eye = sparse.eye_array(3, format="csr")
    arrays = {"data": eye.data, "indices": eye.indices, "indptr": eye.indptr, "shape": (3, 3), "format": b"csr"}
    np.savez(tmp_path / "a.npz", **(arrays | change))  # type: ignore[arg-type]
    with pytest.raises(FileError, match=message), open_table(tmp_path / "a.npz") as table:
        list(table.blocks())


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
@pytest.mark.parametrize("rows", [0, 1, 123, 20_000])  # the last is copied in several parts
def test_scipy_reads_it(tmp_path: Path, kind: type, dtype: str, rows: int) -> None:
    matrix = kind(sparse_numbers(rows, 40), dtype=dtype)
    names = [f"key{j}" for j in range(40)]
    with create_features(tmp_path / "a.npz", names=names, dtype=dtype, sparse=True) as out:
        for start in range(0, rows, step := max(10, rows // 9)):
            out.write(matrix[start : start + step])
    found = sparse.load_npz(tmp_path / "a.npz")
    assert isinstance(found, sparse.csr_array)
    assert found.shape == matrix.shape
    assert found.dtype == matrix.dtype
    assert found.indices.dtype == np.int32
    for part in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(found, part), getattr(matrix, part))
    with np.load(tmp_path / "a.npz") as archive:
        assert archive["names"].tolist() == names


def test_block_that_shares_longer_arrays(tmp_path: Path) -> None:
    whole = sparse.csr_array(np.arange(12.0).reshape(4, 3))
    part = sparse.csr_array((2, 3))
    part.data, part.indices, part.indptr = whole.data, whole.indices, whole.indptr[1:4]
    with create_features(tmp_path / "a.npz", names=["a", "b", "c"], dtype="f8", sparse=True) as out:
        out.write(part)
        out.write(part)
    assert np.array_equal(sparse.load_npz(tmp_path / "a.npz").toarray(), np.tile(whole.toarray()[1:3], (2, 1)))


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
@pytest.mark.parametrize("rows", [0, 1, 123, 30_000])  # the last is copied in several parts
def test_numpy_reads_it(tmp_path: Path, dtype: str, rows: int) -> None:
    array = np.random.default_rng(0).normal(size=(rows, 3)).astype(dtype)
    with create_features(tmp_path / "a.npz", names=["cos 1", "sin 1", "größe"], dtype=dtype, sparse=False) as out:
        for start in range(0, rows, step := max(10, rows // 9)):
            out.write(array[start : start + step])
    with np.load(tmp_path / "a.npz") as found:
        assert sorted(found.files) == ["features", "names"]
        assert found["features"].dtype == array.dtype
        assert np.array_equal(found["features"], array)
        assert found["names"].tolist() == ["cos 1", "sin 1", "größe"]


def test_equal_features_are_equal_files(tmp_path: Path) -> None:
    for name, step in (("a", 7), ("b", 30)):
        with create_features(tmp_path / f"{name}.npz", names=["x"], dtype="f8", sparse=False) as out:
            for start in range(0, 30, step):
                out.write(np.arange(30.0).reshape(30, 1)[start : start + step])
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        for member in archive.infolist():
            assert (member.compress_type, member.date_time) == (zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0))
