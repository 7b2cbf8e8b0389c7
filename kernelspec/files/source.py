"""Is this a file that can hold what its name promises? Asked before any library sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.errors import FileError
from kernelspec.files.faults import reading

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check_source"]

_SNIFFED = 512
_SIGNATURES = {
    b"PAR1\x15": "a Parquet file",  # PAR1 alone may be the name of a column
    b"\x93NUMPY": "an NPY file",
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "gzip data",
    b"BZh": "bzip2 data",
    b"\xfd7zXZ": "xz data",
    b"\x89HDF": "an HDF5 file",
    b"%PDF": "a PDF document",
    b"\xff\xfe": "UTF-16 text (save it as UTF-8)",
    b"\xfe\xff": "UTF-16 text (save it as UTF-8)",
    b"\x80\x04": "a Python pickle",
    b"version https://git-lfs": "a Git LFS pointer, not the data (fetch them with `git lfs pull`)",
    b"<!doctype html": "a web page (HTML)",
    b"<html": "a web page (HTML)",
}


def check_source(path: Path, kind: str, signature: bytes) -> int:
    """The size of the file in bytes, if it exists and does not begin like something else.

    `kind` is what the name promises ("an NPY file"); `signature` the bytes such a file begins with, empty for
    text formats.

    Raises:
        FileError: missing, a folder, not a regular file, empty, or another kind of file.
    """
    with reading(path, kind):
        if path.is_dir():
            raise FileError(f"{path}: is a folder, and {kind} is needed")
        if not path.exists():
            raise FileError(f"{path}: no such file")
        if not path.is_file():
            raise FileError(f"{path}: is a pipe or device; data are read from regular files")
        with path.open("rb") as file:
            start = file.read(_SNIFFED)
            size = file.seek(0, 2)
    if not start:
        raise FileError(f"{path}: is empty (0 bytes), and {kind} is needed")
    if signature and start.startswith(signature):
        return size
    lowered = start.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for known, what in _SIGNATURES.items():
        if start.startswith(known) or lowered.startswith(known):
            raise FileError(f"{path}: holds {what}, though its name promises {kind}")
    if signature:
        raise FileError(f"{path}: is not {kind}: it begins with {start[:8]!r} instead of {signature!r}")
    return size
