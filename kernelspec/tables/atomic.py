"""Files that are complete or absent: written to a temporary file and renamed; errors name the file.

The temporary file is called `.kernelspec-TARGET-RANDOM.suffix`, TARGET a hash of its final name. Its writer holds a
lock on it until it is renamed, which the operating system releases when the process ends in any way. So an unlocked
file of that name was left by a killed process, and the next write to the same target removes it. Systems without locks
(Windows, some network file systems) keep such files.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kernelspec.errors import FileError, KernelspecError

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
    """Raise FileError for a name that the system rejects with ValueError instead of OSError: one with NUL or half of a
    surrogate pair.
    """
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        name = b"\0"
    if b"\0" in name:
        raise FileError(f"{str(path)!r} is not a valid file name")


_LONGEST_REASON = 200


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Turn failures of the body into FileError: "damaged, or not `kind`" or, for the disk, "cannot be read".

    Our own errors, running out of memory, and missing packages pass unchanged. Raises FileError: the body failed.
    """
    try:
        yield
    except (KernelspecError, MemoryError, ModuleNotFoundError):
        raise
    except PermissionError as error:
        raise FileError(f"{path}: no permission to read it") from error
    except OSError as error:
        if error.errno is None:  # Arrow raises OSError for damaged files too
            raise FileError(f"{path}: damaged, or not {kind}: {_reason(error)}") from error
        raise FileError(f"{path}: cannot be read: {os.strerror(error.errno)}") from error
    except Exception as error:
        # zipfile, zlib, NumPy and Arrow raise some twenty unrelated types for damaged files, and keep adding more.
        raise FileError(f"{path}: damaged, or not {kind}: {_reason(error)}") from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an operating system error (disk full, no permission) into a FileError.

    Raises FileError: the body raised an OSError.
    """
    try:
        yield
    except KernelspecError:
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else _reason(error)
        raise FileError(f"{path}: cannot be written: {reason}") from error


@contextmanager
def closed_quietly(file: Any) -> Iterator[Any]:
    """Close a file that is being discarded, ignoring errors that would hide the cause.

    Its writer closes a file that is kept before this, where errors count.
    """
    try:
        yield file
    finally:
        with suppress(OSError):
            file.close()


def _reason(error: Exception) -> str:
    """The first line of an exception's text, or its type if the text is empty."""
    lines = str(error).strip().splitlines()
    text = lines[0] if lines else type(error).__name__
    return text if len(text) <= _LONGEST_REASON else text[:_LONGEST_REASON] + "…"


_PREFIX = ".kernelspec-"


def check_target(path: Path) -> None:
    """Reject a path where no file can be written. Raises FileError: a folder, a device, or a missing parent folder."""
    if path.is_dir():
        raise FileError(f"{path}: is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise FileError(f"{path}: is a pipe or device, which cannot be replaced by a file")
    if not path.parent.is_dir():
        raise FileError(f"{path}: the folder {str(path.parent)!r} does not exist")


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """The path of an empty temporary file in the same folder, with the same suffix.

    When the body ends, the file replaces `path`, with the permissions of the old file. If the body raises anything,
    even an interrupt, the temporary file is removed and `path` is unchanged. Of two concurrent writers, each writes a
    complete file, and the last one wins. Leftovers of killed writers to `path` are removed first. Raises FileError: the
    place is not writable, or the rename fails.
    """
    check_name(path)
    with writing(path):
        # Write through a link, like open(), instead of replacing it.
        target = Path(os.path.realpath(path))
        check_target(target)
        remove_abandoned(target.parent, _beginning(target))
    # Choose the name before the file exists: an interrupt may arrive immediately.
    temporary, lock = _temporary(target), None
    try:
        try:
            with writing(path):
                while (lock := _created_and_locked(temporary, target)) is None:
                    temporary = _temporary(target)
            yield temporary
            with writing(path):
                os.fsync(lock)  # data before name: a power cut leaves the old or the new file
                if target.exists():
                    shutil.copymode(target, temporary)
                if find_spec("fcntl") is None:  # Windows cannot rename an open file
                    os.close(lock)
                    lock = None
                os.replace(temporary, target)
        finally:
            if lock is not None:
                with suppress(OSError):
                    os.close(lock)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def write_bytes_atomically(path: Path, data: bytes) -> None:
    """Write `data` to the file `path`, or change nothing.

    Raises FileError: the place is not writable, or the disk is full.
    """
    with atomic_path(path) as temporary, writing(path):
        temporary.write_bytes(data)


def remove_abandoned(folder: Path, beginning: str = _PREFIX) -> None:
    """Remove the unlocked temporary files in a folder, which killed processes left."""
    with suppress(OSError):
        for abandoned in list(folder.glob(f"{beginning}*")):
            with suppress(OSError), abandoned.open("rb+") as file:
                _lock(file.fileno())
                abandoned.unlink()


def _beginning(target: Path) -> str:
    """The prefix of the names of all temporary files for a target."""
    return f"{_PREFIX}{blake2b(os.fsencode(target.name), digest_size=6).hexdigest()}-"


def _temporary(target: Path) -> Path:
    """An unused name for a temporary file."""
    return target.with_name(f"{_beginning(target)}{secrets.token_hex(8)}{target.suffix}")


def _created_and_locked(temporary: Path, target: Path) -> int | None:
    """The new file, open and locked; None if another process took it for abandoned and removed it.

    Readable from the start by those who can read the file it replaces, and by nobody else; its owner can write.
    """
    # tempfile.mkstemp would create a file that only its owner can read.
    mode = target.stat().st_mode & 0o777 | 0o600 if target.exists() else None
    file = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666 if mode is None else mode)
    try:
        if mode is not None:
            os.chmod(temporary, mode)  # undo the umask
        _lock(file)
        if os.fstat(file).st_nlink:
            return file
    except BlockingIOError:
        pass
    except OSError:  # without locks, nobody can take it for abandoned either
        return file
    os.close(file)
    return None


def _lock(file: int) -> None:
    """Lock an open file. Raises BlockingIOError if another process has the lock, OSError if locks are not supported."""
    try:
        import fcntl
    except ImportError:
        raise OSError("no locks on this system") from None
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
