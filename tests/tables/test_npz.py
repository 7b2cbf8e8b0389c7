"""Tests of `tables/npz.py`."""

from __future__ import annotations

import os
import zipfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from kernelspec.errors import DataError, FileError
from kernelspec.tables.formats import create_features, open_table
from kernelspec.tables.npz import GrowingArray, write_array
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


def grown(folder: Path, parts: list[np.ndarray], shape: tuple[int, ...], wanted: str | None = None) -> np.ndarray:
    """What NumPy reads from the archive, and nothing else is in the folder."""
    path = folder / "a.npz"
    with ExitStack() as stack:
        array = GrowingArray(folder, parts[0].dtype, stack)
        for part in parts:
            array.append(part)
        assert array.n_bytes == sum(part.nbytes for part in parts)
        assert os.listdir(folder) == []
        with zipfile.ZipFile(path, "w") as archive:
            array.move_into(archive, "data", shape, None if wanted is None else np.dtype(wanted))
    with np.load(path, allow_pickle=False) as found:
        return np.asarray(found["data"])


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i8"])
def test_parts_become_one_array(tmp_path: Path, dtype: str) -> None:
    whole = np.arange(30_000.0).reshape(-1, 3).astype(dtype)
    found = grown(tmp_path, [whole[:1], whole[1:7000], whole[7000:7000], whole[7000:]], whole.shape)
    assert found.dtype == whole.dtype
    np.testing.assert_array_equal(found, whole)


@pytest.mark.parametrize(("held", "wanted"), [("i8", "i4"), ("f8", "f4"), ("f4", "c8")])
def test_the_type_may_be_chosen_at_the_end(tmp_path: Path, held: str, wanted: str) -> None:
    whole = np.arange(150_001).astype(held)  # more than is copied at a time
    found = grown(tmp_path, [whole], whole.shape, wanted)
    assert found.dtype == wanted
    np.testing.assert_array_equal(found, whole)


@pytest.mark.parametrize("array", [np.array(b"csr"), np.array([3, 4]), np.array(["größe", "x"]), np.eye(3)[::2]])
def test_a_small_array(tmp_path: Path, array: Any) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        write_array(archive, "small", array)
        write_array(archive, "other", np.zeros(1))
    with np.load(tmp_path / "a.npz", allow_pickle=False) as found:
        assert found.files == ["small", "other"]
        assert found["small"].dtype == array.dtype
        np.testing.assert_array_equal(found["small"], array)


def test_members_are_stored_and_carry_no_time(tmp_path: Path) -> None:
    grown(tmp_path, [np.zeros(1000)], (1000,))
    with zipfile.ZipFile(tmp_path / "a.npz", "a") as archive:
        write_array(archive, "small", np.zeros(2))
        for member in archive.infolist():
            assert member.compress_type == zipfile.ZIP_STORED
            assert member.date_time == (1980, 1, 1, 0, 0, 0)


def test_the_temporary_file_goes_with_the_stack(tmp_path: Path) -> None:
    with ExitStack() as stack:
        array = GrowingArray(tmp_path, np.dtype("f8"), stack)
    with pytest.raises(ValueError, match="closed"):
        array.append(np.zeros(100_000))
    assert os.listdir(tmp_path) == []


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
@pytest.mark.parametrize("rows", [0, 1, 123])
def test_scipy_reads_it(tmp_path: Path, kind: type, dtype: str, rows: int) -> None:
    matrix = kind(sparse_numbers(rows, 40), dtype=dtype)
    names = [f"key{j}" for j in range(40)]
    with create_features(tmp_path / "a.npz", names=names, dtype=dtype, sparse=True) as out:
        for start in range(0, rows, 10):
            out.write(matrix[start : start + 10])
    found = sparse.load_npz(tmp_path / "a.npz")
    assert isinstance(found, sparse.csr_array)
    assert found.shape == matrix.shape
    assert found.dtype == matrix.dtype
    assert found.indices.dtype == np.int32
    for part in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(found, part), getattr(matrix, part))
    with np.load(tmp_path / "a.npz") as archive:
        assert archive["names"].tolist() == names


def test_same_as_save_npz(tmp_path: Path) -> None:
    matrix = sparse_numbers(50, 20)
    sparse.save_npz(tmp_path / "theirs.npz", matrix)
    with create_features(tmp_path / "ours.npz", names=[str(j) for j in range(20)], dtype="f8", sparse=True) as out:
        out.write(matrix)
    ours, theirs = sparse.load_npz(tmp_path / "ours.npz"), sparse.load_npz(tmp_path / "theirs.npz")
    assert type(ours) is type(theirs)
    for part in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(ours, part), getattr(theirs, part))
        assert getattr(ours, part).dtype == getattr(theirs, part).dtype


def test_block_that_shares_longer_arrays(tmp_path: Path) -> None:
    whole = sparse.csr_array(np.arange(12.0).reshape(4, 3))
    part = sparse.csr_array((2, 3))
    part.data, part.indices, part.indptr = whole.data, whole.indices, whole.indptr[1:4]
    with create_features(tmp_path / "a.npz", names=["a", "b", "c"], dtype="f8", sparse=True) as out:
        out.write(part)
        out.write(part)
    assert np.array_equal(sparse.load_npz(tmp_path / "a.npz").toarray(), np.tile(whole.toarray()[1:3], (2, 1)))


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
@pytest.mark.parametrize("rows", [0, 1, 123])
def test_numpy_reads_it(tmp_path: Path, dtype: str, rows: int) -> None:
    array = np.random.default_rng(0).normal(size=(rows, 3)).astype(dtype)
    with create_features(tmp_path / "a.npz", names=["cos 1", "sin 1", "größe"], dtype=dtype, sparse=False) as out:
        for start in range(0, rows, 10):
            out.write(array[start : start + 10])
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
