"""NPZ: which array, and how it is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kernelspec.errors import FileError
from kernelspec.tables.formats import open_table


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
    with pytest.raises(FileError, match=r"has 2 matrices .* It has 'train' \(3, 3\), 'test' \(2, 2\), 'y' \(3,\)"):
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
    import zipfile

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
    import zipfile

    np.save(tmp_path / "x.npy", np.ones((10, 3)))
    good = (tmp_path / "x.npy").read_bytes()
    for content, message in ((good[:-8], "array 'X': is cut off"), (good + b"more", "array 'X': is not one array")):
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
            archive.writestr("X.npy", content)
        with pytest.raises(FileError, match=message):
            open_table(tmp_path / "a.npz")
