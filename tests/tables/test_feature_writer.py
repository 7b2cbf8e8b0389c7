"""What all writers promise: a whole file or none, and blocks that fit."""

from __future__ import annotations

import errno
import io
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from kernelspec.errors import FileError
from kernelspec.tables.formats import create_features, open_table
from kernelspec.tables.npy import FeatureWriter

FORMATS = [(".npy", False), (".npz", False), (".npz", True), (".parquet", False)]
formats = pytest.mark.parametrize(("suffix", "is_sparse"), FORMATS)


def writer(folder: Path, suffix: str, is_sparse: bool) -> FeatureWriter:
    return create_features(folder / f"out{suffix}", names=["a", "b", "c"], dtype=np.float64, sparse=is_sparse)


def block(is_sparse: bool, rows: int = 5) -> NDArray[np.float64]:
    array = np.arange(rows * 3.0).reshape(rows, 3)
    return sparse.csr_array(array) if is_sparse else array  # type: ignore[return-value]


@formats
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("n_blocks", [0, 1, 3])
def test_exception_leaves_the_old_file(
    tmp_path: Path, suffix: str, is_sparse: bool, error: type[BaseException], n_blocks: int
) -> None:
    old = tmp_path / f"out{suffix}"
    old.write_text("old")

    def fail_half_way() -> None:
        with writer(tmp_path, suffix, is_sparse) as out:
            for _ in range(n_blocks):
                out.write(block(is_sparse))
            raise error

    with pytest.raises(error):
        fail_half_way()
    assert old.read_text() == "old"
    assert os.listdir(tmp_path) == [old.name]


@formats
def test_nothing_appears_before_the_end(tmp_path: Path, suffix: str, is_sparse: bool) -> None:
    with writer(tmp_path, suffix, is_sparse) as out:
        out.write(block(is_sparse))
        assert not (tmp_path / f"out{suffix}").exists()
        assert out.rows_written == 5
    assert os.listdir(tmp_path) == [f"out{suffix}"]


@formats
def test_blocks_that_do_not_fit(tmp_path: Path, suffix: str, is_sparse: bool) -> None:
    with writer(tmp_path, suffix, is_sparse) as out:
        with pytest.raises(ValueError, match=r"shape \(5, 2\) does not fit 3 columns"):
            out.write(block(is_sparse)[:, :2])
        with pytest.raises(ValueError, match="complex128 cannot be written as float64"):
            out.write(block(is_sparse).astype(complex))
        with pytest.raises(ValueError, match="to a file of"):
            out.write(block(not is_sparse))
        with pytest.raises(ValueError, match="does not fit"):
            out.write(np.arange(3.0))
    with pytest.raises(ValueError, match="inside the `with` statement"):
        out.write(block(is_sparse))


def test_sparse_needs_csr(tmp_path: Path) -> None:
    with writer(tmp_path, ".npz", True) as out, pytest.raises(ValueError, match="CSR"):
        out.write(sparse.csc_array(np.eye(3)))  # type: ignore[arg-type]


@formats
def test_disk_full(tmp_path: Path, suffix: str, is_sparse: bool) -> None:
    """A limit on the size of files stands in for the full disk; it strikes at the latest at the end."""
    (tmp_path / f"out{suffix}").write_text("old")
    rng = np.random.default_rng(0)

    def fill() -> None:
        with limited_files(20_000), writer(tmp_path, suffix, is_sparse) as out:
            for _ in range(10):
                dense = rng.normal(size=(300, 3))
                out.write(sparse.csr_array(dense) if is_sparse else dense)

    with pytest.raises(FileError, match=r"out.*: cannot be written: File too large"):
        fill()
    assert (tmp_path / f"out{suffix}").read_text() == "old"
    assert os.listdir(tmp_path) == [f"out{suffix}"]


@formats
def test_folder_vanishes_or_is_missing(tmp_path: Path, suffix: str, is_sparse: bool) -> None:
    with pytest.raises(FileError, match="does not exist"):
        writer(tmp_path / "missing", suffix, is_sparse)
    folder = tmp_path / "short-lived"
    folder.mkdir()
    out = writer(folder, suffix, is_sparse)
    folder.rmdir()
    with pytest.raises(FileError, match="does not exist"), out:
        pass


@formats
def test_caller_may_reuse_the_block(tmp_path: Path, suffix: str, is_sparse: bool) -> None:
    with create_features(tmp_path / f"o{suffix}", names=["a"], dtype="f8", sparse=is_sparse) as out:
        buffer = np.ones((4, 1))
        shown = sparse.csr_array(buffer) if is_sparse else buffer
        for value in (1.0, 2.0):
            (shown.data if is_sparse else buffer)[:] = value  # type: ignore[index]
            out.write(shown)
    with open_table(tmp_path / f"o{suffix}") as table:
        (read,) = table.blocks()
    values = read.toarray() if is_sparse else np.asarray(read)
    assert values.ravel().tolist() == [1.0] * 4 + [2.0] * 4


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".parquet"])
def test_blocks_of_another_type_or_order_are_converted(tmp_path: Path, suffix: str) -> None:
    array = np.random.default_rng(0).standard_normal((30, 3))
    ways = (array, np.asfortranarray(array), array[:, ::-1][:, ::-1], array.astype(np.float32), array.astype(">f8"))
    with create_features(tmp_path / f"o{suffix}", names=["a", "b", "c"], dtype="f4", sparse=False) as out:
        for way in ways:
            out.write(way[:10])
            out.write(way[10:])
    with open_table(tmp_path / f"o{suffix}") as table:
        read = np.concatenate([np.asarray(b) if isinstance(b, np.ndarray) else b.to_pandas() for b in table.blocks()])
    np.testing.assert_array_equal(read, np.tile(array.astype(np.float32), (len(ways), 1)))


@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
@pytest.mark.parametrize("fails", [1, 3])  # of writes of 8 MiB; the last bytes are written at the end
def test_a_disk_that_fails_is_named_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, fails: int
) -> None:
    class FailingFile(io.FileIO):
        calls = 0

        def write(self, data: Any, /) -> int:
            self.calls += 1
            if self.calls == fails:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return super().write(data) or 0

    def write_all() -> None:
        rows = np.random.default_rng(0).random((2**17, 8))
        with create_features(tmp_path / f"out{suffix}", names=list("abcdefgh"), dtype="f8", sparse=False) as out:
            for _ in range(8):
                out.write(rows)

    monkeypatch.setattr(Path, "open", lambda path, mode: io.BufferedRandom(FailingFile(path, mode)))
    with pytest.raises(FileError, match="cannot be written: Input/output error"):
        write_all()
    assert os.listdir(tmp_path) == []


@contextmanager
def limited_files(n_bytes: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
