"""Files that are whole or absent: written beside their place, then renamed; faults name the file.

The temporary file is called `.kernelspec-TARGET-RANDOM.suffix`, TARGET a hash of the name it will have. Its writer
holds a lock on it, which the operating system releases when the process ends in whatever way; so a file of that name
without a lock was left by a process that was killed, and the next write to the same target removes it.
"""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from kernelspec.errors import FileError, KernelspecError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "atomic_path",
    "check_name",
    "check_target",
    "closed_quietly",
    "reading",
    "remove_abandoned",
    "write_bytes_atomically",
    "writing",
]


def check_name(path: str | Path) -> None:
    """Raise FileError where the system takes no such name: one with a NUL character, or with half of a surrogate pair.

    Its functions raise ValueError then, where they raise OSError for all other names.
    """
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        name = b"\0"
    if b"\0" in name:
        raise FileError(f"{str(path)!r} cannot be the name of a file")


_LONGEST_REASON = 200


class _Closable(Protocol):
    def close(self) -> None: ...


_File = TypeVar("_File", bound=_Closable)


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Turn any failure of the body into "`path` is no readable `kind`", or, of the disk, "cannot be read".

    Errors of our own, and running out of memory, pass unchanged.

    Raises:
        FileError: the body failed.
    """
    try:
        yield
    except (KernelspecError, MemoryError):
        raise
    except PermissionError as error:
        raise FileError(f"{path}: no permission to read it") from error
    except OSError as error:
        if error.errno is None:  # Arrow raises OSError for damaged files, too
            raise FileError(f"{path}: damaged, or not {kind}: {_reason(error)}") from error
        raise FileError(f"{path}: cannot be read: {os.strerror(error.errno)}") from error
    except Exception as error:
        # zipfile, zlib, NumPy and Arrow raise some twenty unrelated types on damaged files, and add to them.
        raise FileError(f"{path}: damaged, or not {kind}: {_reason(error)}") from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failure of the operating system (disk full, no permission) into a FileError.

    Raises:
        FileError: the body raised an OSError.
    """
    try:
        yield
    except KernelspecError:
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else _reason(error)
        raise FileError(f"{path}: cannot be written: {reason}") from error


@contextmanager
def closed_quietly(file: _File) -> Iterator[_File]:
    """Close a file that is given up: that its last bytes do not fit on the disk must not hide why.

    A file that is kept is closed by its writer before, where a failure counts.
    """
    try:
        yield file
    finally:
        with suppress(OSError):
            file.close()


def _reason(error: Exception) -> str:
    """The first line of an exception's text, or its type where there is none."""
    lines = str(error).strip().splitlines()
    text = lines[0] if lines else type(error).__name__
    return text if len(text) <= _LONGEST_REASON else text[:_LONGEST_REASON] + "…"


_PREFIX = ".kernelspec-"


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
    the body raises anything, an interrupt included, the temporary file is removed and `path` stays as it was. Of two
    that write to one place at a time each writes a whole file, and the one that ends last stays. What killed processes
    left of earlier writes to `path` is removed first.

    Raises:
        FileError: the place is not writable, or the rename fails.
    """
    check_name(path)
    with writing(path):
        # A link is written through, as by open(), not replaced.
        target = Path(os.path.realpath(path))
        check_target(target)
        _remove_unlocked(target.parent, _beginning(target))
    # The name is known before there is a file: an interrupt may strike as soon as there is one.
    temporary, lock = _temporary(target), None
    try:
        with writing(path):
            while (lock := _created_and_locked(temporary)) is None:
                temporary = _temporary(target)
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
    finally:
        if lock is not None:
            os.close(lock)


def write_bytes_atomically(path: Path, data: bytes) -> None:
    """Put `data` into the file `path`, or leave everything as it was.

    Raises:
        FileError: the place is not writable, or the disk is full.
    """
    with atomic_path(path) as temporary, writing(path):
        temporary.write_bytes(data)


def remove_abandoned(folder: Path) -> None:
    """Remove the temporary files in a folder that nobody holds a lock on: those of killed processes."""
    _remove_unlocked(folder, _PREFIX)


def _beginning(target: Path) -> str:
    """What the names of all temporary files for a target begin with."""
    return f"{_PREFIX}{blake2b(os.fsencode(target.name), digest_size=6).hexdigest()}-"


def _temporary(target: Path) -> Path:
    """A name for a temporary file that there is not yet."""
    return target.with_name(f"{_beginning(target)}{secrets.token_hex(8)}{target.suffix}")


def _created_and_locked(temporary: Path) -> int | None:
    """The new file, open, which holds its lock; None where another process took it for abandoned and removed it."""
    # Not tempfile.mkstemp: it would leave a file that only its owner may read.
    file = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
    try:
        _lock(file)
        if os.fstat(file).st_nlink:
            return file
    except BlockingIOError:
        pass
    except OSError:  # no locks on this file system: nobody can take it for abandoned either
        return file
    os.close(file)
    return None


def _remove_unlocked(folder: Path, beginning: str) -> None:
    with suppress(OSError):
        for left in list(folder.glob(f"{beginning}*")):
            with suppress(OSError), left.open("rb+") as file:
                _lock(file.fileno())
                left.unlink()


def _lock(file: int) -> None:
    """Take the lock on an open file. Raises BlockingIOError if another has it, OSError where there are no locks."""
    try:
        import fcntl
    except ImportError:
        raise OSError("no locks on this system") from None
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _flush(path: Path) -> None:
    """Have the data on the disk before the name: after a power cut the file is the old or the new one."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
