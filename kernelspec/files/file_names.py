"""Names that no file can have."""

from __future__ import annotations

import os
from pathlib import Path

from kernelspec.errors import FileError

__all__ = ["check_name"]


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
