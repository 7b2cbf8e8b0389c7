"""Dense NPZ files as NumPy reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kernelspec.tables.formats import create_features


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
