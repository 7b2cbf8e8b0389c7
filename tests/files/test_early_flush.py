"""A file reaches the disk while it is written, and what the disk says is heard."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from kernelspec.errors import FileError
from kernelspec.files import create_features
from kernelspec.files.early_flush import flushed_early

MIB = 2**20
needs_fdatasync = pytest.mark.skipif(not hasattr(os, "fdatasync"), reason="this system flushes whole files only")


@needs_fdatasync
def test_every_32_mib_are_flushed_and_no_flush_waits_for_another(tmp_path: Path, monkeypatch):
    path, begun, going_on, sizes = tmp_path / "file", Event(), Event(), []

    def flush(file):
        sizes.append(os.fstat(file).st_size)
        begun.set()
        assert going_on.wait(60)

    monkeypatch.setattr(os, "fdatasync", flush)
    path.touch()
    with flushed_early(path) as early:
        for size in (31, 33, 64, 120):  # a file may have holes: its length is what counts
            os.truncate(path, size * MIB)
            early.more_written()
            assert size == 31 or begun.wait(60)
        going_on.set()
        for _ in range(3):
            early.wait()
            early.more_written()
    assert sizes == [33 * MIB, 120 * MIB]


@needs_fdatasync
@pytest.mark.parametrize("blocks", [4, 6])  # of 8 MiB: the fourth asks the disk, and the end or the fifth hears of it
def test_a_disk_that_fails_is_named_and_leaves_nothing(tmp_path: Path, monkeypatch, blocks):
    def fail(file):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    def write_all():
        names = list("abcdefgh")
        with create_features(tmp_path / "out.npy", names=names, dtype=np.float64, sparse=False) as out:
            for _ in range(blocks):
                out.write(np.ones((MIB // 8, 8)))

    monkeypatch.setattr(os, "fdatasync", fail)
    with pytest.raises(FileError, match="cannot be written: Input/output error"):
        write_all()
    assert os.listdir(tmp_path) == []


def test_without_such_flushes_nothing_is_asked(tmp_path: Path, monkeypatch):
    monkeypatch.delattr(os, "fdatasync", raising=False)
    with flushed_early(tmp_path / "none") as early:
        assert early is None
