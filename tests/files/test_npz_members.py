"""Members of an NPZ archive: arrays that grow, and arrays that are there."""

from __future__ import annotations

import os
import zipfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernelspec.tables.npz import GrowingArray, write_array


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


def test_nothing_at_all(tmp_path: Path) -> None:
    assert grown(tmp_path, [np.empty((0, 4))], (0, 4)).shape == (0, 4)


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
