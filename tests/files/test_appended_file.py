"""A file that is written behind the back of its writer holds every byte, and what the disk says is heard."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.errors import FileError
from kernelspec.files import appended_file, create_features
from kernelspec.files.appended_file import AppendedFile

MIB, PIECE = 2**20, 2**12  # of the tests: what a disk takes at a time at least
HAS_DIRECT = hasattr(os, "O_DIRECT")
needs_direct = pytest.mark.skipif(not HAS_DIRECT, reason="this system has no writing past its memory")


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appended_file, "_PIECE", PIECE)
    monkeypatch.setattr(appended_file, "_BETWEEN_FLUSHES", 3 * PIECE)


def opened(path: Path) -> AppendedFile:
    path.touch()
    return AppendedFile(path.open("r+b", buffering=0))


def some_bytes(n: int, seed: int = 0) -> bytes:
    return np.random.default_rng(seed).bytes(n)


def is_direct(file: AppendedFile) -> bool:
    import fcntl

    return bool(fcntl.fcntl(file._file.fileno(), fcntl.F_GETFL) & os.O_DIRECT)


@settings(max_examples=40)
@given(sizes=st.lists(st.integers(0, 3 * PIECE) | st.just(PIECE), max_size=12), replaced=st.integers(0, 100))
def test_every_byte_is_there_in_order(
    sizes: list[int], replaced: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path, parts = tmp_path_factory.mktemp("f") / "a", [some_bytes(size, i) for i, size in enumerate(sizes)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(appended_file, "_PIECE", PIECE)
        with opened(path) as file:
            for part in parts:
                memory = bytearray(part)
                assert file.write(memory) == len(part)
                memory[:] = bytes(len(part))  # as a buffer is used again
            whole = b"".join(parts)
            assert file.tell() == len(whole)
            beginning = bytes(min(replaced, len(whole)))
            file.replace_beginning(beginning)
    assert path.read_bytes() == beginning + whole[len(beginning) :]


@pytest.mark.usefixtures("small_pieces")
def test_more_can_follow_a_flush_and_a_new_beginning(tmp_path: Path) -> None:
    data = some_bytes(10 * PIECE)
    with opened(tmp_path / "a") as file:
        file.write(data[: 2 * PIECE + 5])
        file.flush()
        assert (tmp_path / "a").read_bytes() == data[: 2 * PIECE + 5]
        file.write(data[2 * PIECE + 5 : 5 * PIECE])
        file.replace_beginning(data[:7])
        file.write(data[5 * PIECE :])
    assert (tmp_path / "a").read_bytes() == data
    file.close()
    assert file.closed


@pytest.mark.parametrize("kind", ["f8", "i2", "S3"])
def test_bytes_of_any_array_are_counted(tmp_path: Path, kind: str) -> None:
    array = np.arange(12).astype(kind).reshape(3, 4)
    with opened(tmp_path / "a") as file:
        assert file.write(array.data) == array.nbytes
    assert (tmp_path / "a").read_bytes() == array.tobytes()


@needs_direct
@pytest.mark.usefixtures("small_pieces")
def test_whole_pieces_pass_the_memory_of_the_system_and_the_end_does_not(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as file:
        if not is_direct(file):
            pytest.skip("nor has this file system")
        file.write(bytes(3 * PIECE))
        assert is_direct(file)
        file.write(b"end")
        file.flush()
        assert not is_direct(file)


class Odd(io.RawIOBase):
    """A file of the system that does some of what is asked."""

    def __init__(self, file: Any, take: Callable[[int, memoryview], int]) -> None:
        self.file, self.take, self.calls, self.refused = file, take, 0, 0

    def fileno(self) -> int:
        return int(self.file.fileno())

    def seek(self, *place: int) -> int:
        return int(self.file.seek(*place))

    def write(self, data: Any) -> int:
        self.calls += 1
        try:
            return int(self.file.write(data[: self.take(self.calls, data)]))
        except OSError:
            self.refused += 1
            raise

    def close(self) -> None:
        self.file.close()
        super().close()


def half(call: int, data: memoryview) -> int:
    return len(data) // 2 if call % 2 else len(data)


def refused_once(call: int, data: memoryview) -> int:
    if call == 2:
        raise OSError(errno.EINVAL, "not like that")
    return len(data)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("take", [half, refused_once])
def test_what_is_refused_in_one_way_is_written_in_the_other(tmp_path: Path, take: Callable[..., int]) -> None:
    data = some_bytes(9 * PIECE + 11)
    with opened(tmp_path / "a") as file:
        file._is_direct = True  # or it would be no question
        file._file = Odd(file._file, take)  # type: ignore[assignment]
        file.write(data)
    assert (tmp_path / "a").read_bytes() == data


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("has_fdatasync", [False, True])
def test_without_such_writing_the_disk_is_asked_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_fdatasync: bool
) -> None:
    monkeypatch.delattr(os, "O_DIRECT", raising=False)
    monkeypatch.delattr(os, "fdatasync", raising=False)
    flushed: list[int] = []
    if has_fdatasync:
        monkeypatch.setattr(os, "fdatasync", lambda file: flushed.append(os.fstat(file).st_size), raising=False)
    data = some_bytes(7 * PIECE + 1)
    with opened(tmp_path / "a") as file:
        file.write(data)
    assert (tmp_path / "a").read_bytes() == data
    assert flushed == ([3 * PIECE, 6 * PIECE] if has_fdatasync else [])


@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
@pytest.mark.parametrize("blocks", [1, 4, 6, 20])  # of 8 MiB: the end hears of it, or one of the blocks
def test_a_disk_that_fails_is_named_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, blocks: int
) -> None:
    def fail(file: AppendedFile, data: memoryview) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    def write_all() -> None:
        names, block = list("abcdefgh"), np.random.default_rng(0).random((MIB // 8, 8))
        with create_features(tmp_path / f"out{suffix}", names=names, dtype=np.float64, sparse=False) as out:
            for _ in range(blocks):
                out.write(block)

    monkeypatch.setattr(AppendedFile, "_put", fail)
    with pytest.raises(FileError, match="cannot be written: Input/output error"):
        write_all()
    assert os.listdir(tmp_path) == []
