"""Files that are whole or absent: written beside their place, then renamed; faults name the file.

The temporary file is called `.kernelspec-TARGET-RANDOM.suffix`, TARGET a hash of the name it will have. Its writer
holds a lock on it, which the operating system releases when the process ends in whatever way; so a file of that name
without a lock was left by a process that was killed, and the next write to the same target removes it. The writer
closes the file before it renames it, since Windows renames no open file; meanwhile it holds a lock on the folder,
without which nobody removes anything there. Systems without locks (Windows, some network file systems) keep what
killed processes leave.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from contextlib import ExitStack, contextmanager, nullcontext, suppress
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
_TRIES, _PAUSE = 100, 0.01


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
            while (lock := _created_and_locked(temporary, target)) is None:
                temporary = _temporary(target)
        yield temporary
        with writing(path):
            _flush(temporary)
            if target.exists():
                shutil.copymode(target, temporary)
            with _nothing_removed(target.parent):
                os.close(lock)
                lock = None
                os.replace(temporary, target)
    except BaseException:
        if lock is not None:
            with suppress(OSError):
                os.close(lock)
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


def remove_abandoned(folder: Path) -> None:
    """Remove the temporary files in a folder that nobody holds a lock on: those of killed processes."""
    _remove_unlocked(folder, _PREFIX)


def _beginning(target: Path) -> str:
    """What the names of all temporary files for a target begin with."""
    return f"{_PREFIX}{blake2b(os.fsencode(target.name), digest_size=6).hexdigest()}-"


def _temporary(target: Path) -> Path:
    """A name for a temporary file that there is not yet."""
    return target.with_name(f"{_beginning(target)}{secrets.token_hex(8)}{target.suffix}")


def _created_and_locked(temporary: Path, target: Path) -> int | None:
    """The new file, open, which holds its lock; None if another process took it for abandoned and removed it.

    From the start it can be read by those who can read the file it replaces, and by nobody else; its owner can write.
    """
    # Not tempfile.mkstemp: it would leave a file that only its owner may read.
    mode = target.stat().st_mode & 0o777 | 0o600 if target.exists() else None
    file = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666 if mode is None else mode)
    try:
        if mode is not None:
            os.chmod(temporary, mode)  # what the umask took away
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
        left = list(folder.glob(f"{beginning}*"))
        with _opened(folder) if left else nullcontext() as place:
            if place is not None:
                _lock(place)
            for abandoned in left:
                with suppress(OSError), abandoned.open("rb+") as file:
                    _lock(file.fileno())
                    abandoned.unlink()


@contextmanager
def _nothing_removed(folder: Path) -> Iterator[None]:
    """Within the body no process removes abandoned files of the folder, where there are locks on folders."""
    with ExitStack() as stack:
        with suppress(OSError):
            place = stack.enter_context(_opened(folder))
            for _ in range(_TRIES):  # a bounded wait: something else may hold the lock for long
                try:
                    _share(place)
                    break
                except BlockingIOError:
                    time.sleep(_PAUSE)
        yield


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    """A folder, open. Raises OSError if the system does not open folders."""
    place = os.open(folder, os.O_RDONLY)
    try:
        yield place
    finally:
        os.close(place)


def _lock(file: int) -> None:
    """Take the lock on an open file. Raises BlockingIOError if another has it, OSError if there are no locks."""
    _flock(file, "LOCK_EX")


def _share(file: int) -> None:
    """Take the lock in a way that others may share. Raises what `_lock` does."""
    _flock(file, "LOCK_SH")


def _flock(file: int, kind: str) -> None:
    try:
        import fcntl
    except ImportError:
        raise OSError("no locks on this system") from None
    fcntl.flock(file, getattr(fcntl, kind) | fcntl.LOCK_NB)


def _flush(path: Path) -> None:
    """Have the data on the disk before the name: after a power cut the file is the old or the new one."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
