"""The file of a feature map: a JSON header and NumPy arrays in one `.npz`, with a checksum, never a pickle."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import FileError

__all__ = ["Arrays", "arrays_below", "read_archive", "write_archive"]

Arrays: TypeAlias = dict[str, NDArray[Any]]
"""Arrays by their names in the file."""

_FORMAT = "kernelspec feature map"
_VERSION = 1


def write_archive(path: Path, header: dict[str, Any], arrays: Arrays) -> None:
    """Write both; the file appears whole or not at all. Raises FileError."""
    from kernelspec.files.atomic import atomic_path
    from kernelspec.files.faults import writing

    text = json.dumps({"format": _FORMAT, "version": _VERSION, **header}, sort_keys=True).encode()
    own = {"header": np.frombuffer(text, dtype=np.uint8), "digest": _digest(text, arrays)}
    with atomic_path(path) as temporary, writing(path), temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays, **own)


def read_archive(path: str | Path) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays that `write_archive` was given.

    Raises FileError for a later version; OSError, ValueError, or whatever zipfile, NumPy and json make of bytes that
    are something else.
    """
    with Path(path).open("rb") as file:
        arrays = _read_arrays(file)
    text = arrays.pop("header").tobytes()
    header = json.loads(text)
    if header["format"] != _FORMAT:
        raise ValueError("the header is of another format")
    if header["version"] != _VERSION:
        raise FileError(f"{path} has format version {header['version']}; this version of kernelspec reads {_VERSION}")
    if not np.array_equal(arrays.pop("digest"), _digest(text, arrays)):
        raise ValueError("its contents are not what was saved")
    return header, arrays


def arrays_below(prefix: str, arrays: Arrays) -> Arrays:
    """The arrays whose names begin with `prefix`, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _read_arrays(file: BinaryIO) -> Arrays:
    archive = np.load(file, allow_pickle=False)
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise ValueError("it holds one array")
    return {name: archive[name] for name in archive.files}


def _digest(header: bytes, arrays: Arrays) -> NDArray[np.uint8]:
    """A checksum of everything in the file: zip's own says nothing about a header that was edited."""
    state = blake2b(header, digest_size=16)
    for name in sorted(arrays):
        array = arrays[name]
        state.update(f"{name} {array.dtype.str} {array.shape}".encode())
        state.update(array.tobytes())
    return np.frombuffer(state.digest(), dtype=np.uint8)
