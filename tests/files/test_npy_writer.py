"""NPY files as NumPy reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kernelspec.tables.formats import create_features


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8", "i4", ">f8"])
@pytest.mark.parametrize("rows", [0, 1, 9, 10, 123])
def test_numpy_reads_it(tmp_path: Path, dtype: str, rows: int) -> None:
    array = (np.random.default_rng(0).normal(size=(rows, 3)) * 100).astype(dtype)
    with create_features(tmp_path / "a.npy", names=["x", "y", "z"], dtype=dtype, sparse=False) as out:
        for start in range(0, rows, 10):
            out.write(array[start : start + 10])
    for mode in (None, "r"):
        found = np.load(tmp_path / "a.npy", mmap_mode=mode)  # type: ignore[arg-type]
        assert found.dtype == array.dtype
        assert np.array_equal(found, array)


def test_blocks_of_any_layout_and_dtype(tmp_path: Path) -> None:
    array = np.arange(24.0).reshape(4, 6)
    with create_features(tmp_path / "a.npy", names=list("abc"), dtype="f4", sparse=False) as out:
        out.write(array[:, ::2])
        out.write(np.asfortranarray(array[:, :3]))
        out.write(array[:, :3].astype(np.int16))
        out.write(np.empty((0, 3)))
    found = np.load(tmp_path / "a.npy")
    assert found.dtype == np.float32
    assert np.array_equal(found, np.concatenate([array[:, ::2], array[:, :3], array[:, :3]]))
