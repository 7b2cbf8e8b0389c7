"""Sparse NPZ: CSR streamed, everything else and everything inconsistent refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from kernelspec.errors import DataError, FileError
from kernelspec.tables.formats import open_table
from tests.files.conftest import sparse_numbers


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "?"])
@pytest.mark.parametrize("rows", [1, 7, 100, 1000])
def test_blocks(tmp_path: Path, kind: type, dtype: str, rows: int) -> None:
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
    with pytest.raises(FileError, match=r"csc format; save `matrix\.tocsr\(\)`|matrices and none named"):
        open_table(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": np.array([0, 9, 2])}, "an index lies beyond the 3 columns"),
        ({"indices": np.array([0, -1, 2])}, "an index lies beyond the 3 columns"),
        ({"indices": np.array([0, 1])}, "point beyond the 2 entries"),
        ({"indices": np.array([0.0, 1, 2])}, "'indices' is float64"),
        ({"data": np.ones(4)}, "goes on after"),
        ({"data": np.ones(3, dtype=complex)}, "'data' is complex128"),
        ({"data": np.ones((3, 1))}, r"'data' is float64 of shape \(3, 1\)"),
        ({"indptr": np.array([0, 2, 1, 3])}, "not ascending"),
        ({"indptr": np.array([0, 1, 2, 9])}, "point beyond the 3 entries"),
        ({"indptr": np.array([-1, 1, 2, 3])}, "not ascending"),
        ({"indptr": np.array([0, 1, 3])}, "do not fit together"),
        ({"shape": np.array([3, -3])}, "do not fit together"),
        ({"shape": np.array([3, 3, 3])}, "do not fit together"),
        ({"format": np.array(b"dok")}, "in dok format"),
    ],
)
def test_inconsistent(tmp_path: Path, change: dict[str, np.ndarray], message: str) -> None:
    eye = sparse.eye_array(3, format="csr")
    arrays = {"data": eye.data, "indices": eye.indices, "indptr": eye.indptr, "shape": (3, 3), "format": b"csr"}
    np.savez(tmp_path / "a.npz", **(arrays | change))  # type: ignore[arg-type]
    with pytest.raises(FileError, match=message), open_table(tmp_path / "a.npz") as table:
        list(table.blocks())
