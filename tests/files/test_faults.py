"""Foreign exceptions become ours; ours pass."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from kernelspec.errors import DataError, FileError
from kernelspec.tables.atomic import closed_quietly, reading, writing

PATH = Path("a.npz")


@pytest.mark.parametrize("error", [OSError("x"), ValueError("x\ny"), KeyError("x"), EOFError(), RuntimeError("x")])
def test_reading_translates(error: Exception) -> None:
    message = r"a\.npz: damaged, or not an NPZ file: ('?x'?|EOFError)$"
    with pytest.raises(FileError, match=message) as caught, reading(PATH, "an NPZ file"):
        raise error
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [DataError("x"), FileError("x"), MemoryError(), KeyboardInterrupt()])
def test_reading_lets_pass(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, reading(PATH, "an NPZ file"):
        raise error
    assert caught.value is error


def test_permission_and_long_reasons() -> None:
    with pytest.raises(FileError, match="no permission to read it"), reading(PATH, "CSV"):
        raise PermissionError(errno.EACCES, "denied")
    with pytest.raises(FileError, match=r": x{200}…$"), reading(PATH, "CSV"):
        raise ValueError("x" * 1000)


def test_a_disk_that_cannot_be_read_is_no_damaged_file() -> None:
    with pytest.raises(FileError, match=r"a\.npz: cannot be read: Input/output error$"), reading(PATH, "CSV"):
        raise OSError(errno.EIO, "detail")


def test_writing() -> None:
    with pytest.raises(FileError, match=r"a\.npz: cannot be written: No space left on device$"), writing(PATH):
        raise OSError(errno.ENOSPC, "detail")
    with pytest.raises(FileError, match=r"a\.npz: cannot be written: odd$"), writing(PATH):
        raise OSError("odd")
    with pytest.raises(FileError, match=r"^ours$"), writing(PATH):
        raise FileError("ours")
    with pytest.raises(ValueError, match=r"^a bug$"), writing(PATH):
        raise ValueError("a bug")


def test_closing_quietly() -> None:
    class Failing:
        def close(self) -> None:
            raise OSError("disk full")

    with pytest.raises(ValueError, match="the reason"), closed_quietly(Failing()):
        raise ValueError("the reason")
