"""Files that are whole or not there: written beside their place, then renamed into it."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kernelspec.errors import FileError
from kernelspec.files.faults import writing

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["atomic_path", "check_target", "write_bytes_atomically"]


def check_target(path: Path) -> None:
    """Refuse a place where no file can be put.

    Raises:
        FileError: a folder, a device, or a folder that does not exist around it.
    """
    if path.is_dir():
        raise FileError(f"{path}: is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise FileError(f"{path}: is a pipe or device, which cannot be replaced by a file")
    if not path.parent.is_dir():
        raise FileError(f"{path}: the folder {str(path.parent)!r} does not exist")


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """The path of an empty temporary file in the same folder, with the same suffix.

    When the body ends, the file takes the place of `path` and keeps the permissions of the one it replaces. When
    the body raises anything, an interrupt included, the temporary file is removed and `path` stays as it was.

    Raises:
        FileError: the place is not writable, or the rename fails.
    """
    with writing(path):
        # A link is written through, as by open(), not replaced.
        target = Path(os.path.realpath(path))
        check_target(target)
        temporary = target.with_name(f".kernelspec-{secrets.token_hex(8)}{target.suffix}")
        # Not tempfile.mkstemp: it would leave a file that only its owner may read.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield temporary
        with writing(path):
            if target.exists():
                shutil.copymode(target, temporary)
            _flush(temporary)
            os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def write_bytes_atomically(path: Path, data: bytes) -> None:
    """Put `data` into the file `path`, or leave everything as it was.

    Raises:
        FileError: the place is not writable, or the disk is full.
    """
    with atomic_path(path) as temporary, writing(path):
        temporary.write_bytes(data)


def _flush(path: Path) -> None:
    """Have the data on the disk before the name: after a power cut the file is the old or the new one."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
