"""Sparse NPZ files as SciPy reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from kernelspec.tables.formats import create_features
from tests.files.conftest import sparse_numbers


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
