"""Feature maps on disk: a JSON header and NumPy arrays in one file.

docs/format.md describes it. Members are stored as they are, so nothing that is read is larger than the file.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import FileError, PlanError
from kernelspec.limits import MAX_FEATURE_COLUMNS, MAX_MAP_ARRAYS, MAX_MAP_FILE, MAX_MAP_HEADER
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.saved.part_codec import Arrays, Entry, decoded, encoded

__all__ = ["VERSION", "load_map", "read_archive", "save_map", "saved_map", "written_archive"]

VERSION = 2
"""Of the format."""

_FORMAT = "kernelspec feature map"
_KINDS = "biufU"

_BESIDES = 1024
"""More bytes than an archive has for a member besides its numbers: its name three times, and its type and shape."""


@contextmanager
def written_archive(path: Path, header: dict[str, Any], arrays: Arrays) -> Iterator[None]:
    """Write both; the file appears when the body ends without exception, whole or not at all. Raises FileError."""
    from kernelspec.tables.atomic import atomic_path, writing
    from kernelspec.tables.npz import write_array

    text = json.dumps({"format": _FORMAT, "version": VERSION, **header}, sort_keys=True, allow_nan=False).encode()
    if len(text) > MAX_MAP_HEADER:
        raise FileError(f"{path}: the plan of this map takes {len(text):,} bytes; at most {MAX_MAP_HEADER:,} are read")
    size = len(text) + sum(array.nbytes + _BESIDES for array in arrays.values())
    if len(arrays) + 2 > MAX_MAP_ARRAYS or size > MAX_MAP_FILE:
        raise FileError(
            f"{path}: this map is {len(arrays):,} arrays of {size:,} bytes; at most {MAX_MAP_ARRAYS - 2:,} and "
            f"{MAX_MAP_FILE:,} are read: take fewer features"
        )
    members = {"header": np.frombuffer(text, dtype=np.uint8), "digest": _digest(text, arrays)} | arrays
    with atomic_path(path) as temporary:
        with writing(path), zipfile.ZipFile(temporary, "w") as archive:
            for name, array in members.items():
                write_array(archive, name, array)
        yield


def read_archive(path: str | Path) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays of a file.

    Raises FileError for another version of the format; OSError, ValueError, or whatever zipfile, NumPy and json make of
    bytes that are something else.
    """
    with Path(path).open("rb") as file:
        arrays = _read_arrays(file)
    text = arrays.pop("header").tobytes()
    header = json.loads(text)
    if header["format"] != _FORMAT:
        raise ValueError("the header is of another format")
    if header["version"] != VERSION:
        raise FileError(f"{path} has format version {header['version']}; this version of kernelspec reads {VERSION}")
    if not np.array_equal(arrays.pop("digest"), _digest(text, arrays)):
        raise ValueError("its contents are not what was saved")
    return header, arrays


def _read_arrays(file: BinaryIO) -> Arrays:
    size = file.seek(0, 2)
    if size > MAX_MAP_FILE:
        raise ValueError(f"it has {size:,} bytes, and at most {MAX_MAP_FILE:,} are read")
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if len(members) > MAX_MAP_ARRAYS or len({member.filename for member in members}) < len(members):
            raise ValueError("it has too many arrays, or two of one name")
        stored = all(member.compress_type == zipfile.ZIP_STORED and not member.flag_bits & 1 for member in members)
        if not stored or sum(member.file_size for member in members) > size:
            raise ValueError("its arrays are packed, or larger than the file")
        return {_name(member): _read_array(archive, member) for member in members}


def _name(member: zipfile.ZipInfo) -> str:
    if not member.filename.endswith(".npy"):
        raise ValueError(f"{member.filename!r} is no array")
    return member.filename.removesuffix(".npy")


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    from kernelspec.tables.npy import read_header

    with archive.open(member) as stream:
        header = read_header(stream, member.filename)
        if header.dtype.kind not in _KINDS or header.dtype.subdtype is not None:
            raise ValueError(f"{member.filename} holds {header.dtype}")
        if member.filename == "header.npy" and member.file_size - stream.tell() > MAX_MAP_HEADER:
            raise ValueError(f"its header has more than {MAX_MAP_HEADER:,} bytes")
        content = stream.read()
    header.check_length(len(content), member.filename)
    flat = np.frombuffer(bytearray(content), dtype=header.dtype)
    return flat.reshape(header.shape, order="F" if header.fortran else "C")


def _digest(header: bytes, arrays: Arrays) -> NDArray[np.uint8]:
    """A checksum of everything in the file: zip's own says nothing about a header that was edited."""
    state = blake2b(header, digest_size=16)
    for name in sorted(arrays):
        array = arrays[name]
        state.update(f"{name} {array.dtype.str} {array.shape}".encode())
        state.update(array.tobytes())
    return np.frombuffer(state.digest(), dtype=np.uint8)


def save_map(feature_map: FeatureMap, path: Path) -> None:
    """Write a map; the file appears whole or not at all.

    Raises FileError; PlanError for a map of a kernel whose class has no name in files, or of too many columns.
    """
    with saved_map(feature_map, path):
        pass


@contextmanager
def saved_map(feature_map: FeatureMap, path: Path) -> Iterator[None]:
    """Write a map; the file appears when the body ends without exception. Errors as of `save_map`."""
    if feature_map.has_columns and feature_map.n_columns > MAX_FEATURE_COLUMNS:
        raise PlanError(
            f"a map of {feature_map.n_columns:,} columns cannot be saved, as at most {MAX_FEATURE_COLUMNS:,} are read: "
            "take fewer buckets or features"
        )
    try:
        parts, arrays = encoded(feature_map)
    except TypeError as error:
        raise PlanError(f"this map cannot be saved: {error}") from None
    with written_archive(path, {"parts": parts}, arrays):
        yield


def load_map(path: str | Path, *, redraw: bool = False) -> FeatureMap:
    """Read a map written by `FeatureMap.save`.

    A file from a stranger may hold a map of another kernel than it says, and nothing worse: all of it is checked before
    it is used, and no text in it is read. With `redraw` the text of its spec is parsed, the map is planned and drawn
    again as far as no data are needed, and a file that differs is refused.
    Raises FileError for a file that is missing, damaged, edited, not a feature map, or of another format version.
    """
    try:
        header, arrays = read_archive(path)
        feature_map = _decoded(header["parts"], arrays)
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"there is no file {path}") from None
    except Exception as error:  # whatever zipfile, NumPy and json make of bytes that are something else
        raise FileError(f"{path} is no kernelspec feature map, or it is damaged: {error}") from None
    if redraw:
        from kernelspec.maps.saved.redrawn import check_redrawn

        check_redrawn(feature_map, str(path))
    return feature_map


def _decoded(parts: list[Entry], arrays: Arrays) -> FeatureMap:
    found = decoded(parts, arrays)
    if not isinstance(found, FeatureMap):
        raise ValueError(f"it holds a {type(found).__name__}")
    return found
