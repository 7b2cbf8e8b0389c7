"""Whatever goes wrong inside a library becomes a FileError that names the file."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol, TypeVar

from kernelspec.errors import FileError, KernelspecError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["closed_quietly", "reading", "writing"]

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
