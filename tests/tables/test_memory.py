"""Memory does not grow with the number of rows. NumPy reports its arrays to tracemalloc, Arrow its own pool."""

from __future__ import annotations

import gzip
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

import kernelspec as ks
from kernelspec.errors import FileError
from kernelspec.tables.formats import create_features, open_table
from tests.thoroughness import sweep

ROWS, COLUMNS, PER_BLOCK = 200_000, 20, 1000
WHOLE = ROWS * COLUMNS * 8
ALLOWED = WHOLE // 8


@contextmanager
def at_most(n_bytes: int) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < n_bytes, f"{peak:,} bytes at the peak"


@pytest.mark.slow
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("suffix", [".npy", ".npz", "compressed.npz"])
def test_reading_arrays(tmp_path: Path, suffix: str, order: str) -> None:
    array = np.zeros((ROWS, COLUMNS), order=order)  # type: ignore[call-overload]
    path = tmp_path / f"a{suffix}"
    {".npy": np.save, ".npz": np.savez, "compressed.npz": np.savez_compressed}[suffix](path, array)  # type: ignore[operator]
    with at_most(ALLOWED), open_table(path, rows_per_block=PER_BLOCK) as table:
        assert sum(len(block) for block in table.blocks()) == ROWS


@pytest.mark.slow
def test_reading_sparse(tmp_path: Path) -> None:
    matrix = sparse.csr_array(np.ones((ROWS, COLUMNS)))
    sparse.save_npz(tmp_path / "a.npz", matrix, compressed=False)
    with at_most(ALLOWED), open_table(tmp_path / "a.npz", rows_per_block=PER_BLOCK) as table:
        assert sum(block.shape[0] for block in table.blocks()) == ROWS


@pytest.mark.long
def test_reading_libsvm(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text(("1 " + " ".join(f"{j}:1" for j in range(1, 21)) + "\n") * (ROWS // 5))
    with at_most(ALLOWED), open_table(tmp_path / "a.svm", rows_per_block=PER_BLOCK, columns=20) as table:
        assert sum(block.shape[0] for block in table.blocks()) == ROWS // 5


@pytest.mark.long
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_reading_arrow(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Arrow parses some thirty chunks ahead: with small ones a small file shows that the rest is not held.
    monkeypatch.setattr("kernelspec.tables.csv._CHUNK", 2**16)
    path, rows_there = tmp_path / f"a{suffix}", ROWS if suffix == ".parquet" else ROWS // 2
    if suffix == ".csv":
        line = ",".join(["0.123456789"] * COLUMNS) + "\n"
        path.write_text(",".join(f"c{j}" for j in range(COLUMNS)) + "\n" + line * rows_there)
    else:
        column = np.random.default_rng(0).normal(size=rows_there)
        table = pa.table({f"c{j}": column for j in range(COLUMNS)})
        pq.write_table(table, path, row_group_size=rows_there, use_dictionary=False)
        del table
    pool = pa.default_memory_pool()
    before, highest = pool.bytes_allocated(), 0
    with open_table(path, rows_per_block=PER_BLOCK) as reader:
        for block in reader.blocks():
            highest = max(highest, pool.bytes_allocated() - before)
            del block
        rows = reader.rows_read
    assert rows == rows_there
    assert highest < rows_there * COLUMNS * 8 // 4, f"{highest:,} bytes at the peak"


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "is_sparse"), [(".npy", False), (".npz", False), (".npz", True)])
def test_writing(tmp_path: Path, suffix: str, is_sparse: bool) -> None:
    names = [f"c{j}" for j in range(COLUMNS)]
    dense = np.ones((PER_BLOCK, COLUMNS))
    block = sparse.csr_array(dense) if is_sparse else dense
    with at_most(ALLOWED), create_features(tmp_path / f"a{suffix}", names=names, dtype="f8", sparse=is_sparse) as out:
        for _ in range(ROWS // PER_BLOCK):
            out.write(block)
    assert (tmp_path / f"a{suffix}").stat().st_size >= WHOLE


@pytest.mark.slow
@pytest.mark.parametrize("start", sweep([b"", b"1 1:1\n"], every=2))
@pytest.mark.parametrize("sign", [b"a", b'"', b",", b"1 "])
@pytest.mark.parametrize("suffix", [".csv.gz", ".svm.gz"])
def test_lines_without_end(
    tmp_path: Path, suffix: str, sign: bytes, start: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for reader in ("csv", "libsvm"):
        monkeypatch.setattr(f"kernelspec.tables.{reader}.MAX_LINES_BYTES", 2**20)
    path = tmp_path / f"bomb{suffix}"
    path.write_bytes(gzip.compress(start + sign * 2**25, compresslevel=1))
    with at_most(2**23), pytest.raises(FileError, match="longer than 1,048,576 bytes"):
        open_table(path)


@pytest.mark.parametrize("n_bytes", [10_001, 2**31, 2**32 - 1])
@pytest.mark.parametrize("read", [open_table, ks.load_map])
def test_a_header_that_promises_much_is_refused_before_memory_is_asked_for(
    tmp_path: Path, n_bytes: int, read: Callable[[Path], object]
) -> None:
    start = b"\x93NUMPY\x02\x00" + n_bytes.to_bytes(4, "little") + b"{'descr': '<f8'" + b" " * 20_000
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", start)
    with at_most(2**22), pytest.raises(FileError, match=f"has a header of {n_bytes:,} bytes; at most 10,000"):
        read(path)
    if read is open_table:
        (tmp_path / "a.npy").write_bytes(start)
        with at_most(2**22), pytest.raises(FileError, match=r"a\.npy: has a header of"):
            open_table(tmp_path / "a.npy")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["format", "shape"])
def test_packed_arrays_that_describe_a_sparse_matrix_are_small(tmp_path: Path, name: str) -> None:
    matrix = sparse.csr_array(np.eye(3))
    arrays = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr, "format": np.array(b"csr")}
    bomb = np.zeros(2**23, np.int64) if name == "shape" else np.array(b"csr", dtype="S67108864")
    np.savez_compressed(tmp_path / "a.npz", **{"shape": np.array([3, 3]), **arrays, name: bomb})
    with at_most(2**22), pytest.raises(FileError, match=f"its array '{name}' has 67,108,864 bytes"):
        open_table(tmp_path / "a.npz")
