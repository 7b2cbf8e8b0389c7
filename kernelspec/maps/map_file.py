"""Feature maps on disk: a JSON header and NumPy arrays in one file; see docs/internals/map_format.md.

Members are stored uncompressed, so nothing that is read is larger than the file.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernelspec import __version__
from kernelspec.errors import FileError, PlanError
from kernelspec.limits import MAX_FEATURE_COLUMNS, MAX_MAP_ARRAYS, MAX_MAP_FILE, MAX_MAP_HEADER
from kernelspec.maps.codec import Arrays, Entry, decoded, encoded
from kernelspec.maps.drawn_plan import DrawnPlan, Origin

__all__ = ["holds_model", "is_archive", "read_map", "read_model", "save_map", "save_model", "saved_map"]

_Whole = TypeVar("_Whole")

VERSION = 3
"""Version of the format: every change is a new version, with a test that pins the previous one."""

_FORMAT = "kernelspec"
_KINDS = "biufU"
_ZIP = b"PK\x03\x04"
_DATE = "%Y-%m-%dT%H:%M:%SZ"

_SECTIONS = ("map", "model")
"""The sections of a file, each a list of parts. A reader of one section checks only the outside of the other."""

_BESIDES = 1024
"""Most bytes per member in addition to its numbers: its name three times, its type and shape."""

Sections = Mapping[str, tuple[list[Entry], Arrays]]
"""The parts of every section with their arrays, by its name."""


@contextmanager
def written_archive(path: str | Path, sections: Sections) -> Iterator[None]:
    """Write sections; the file appears, complete, when the body ends without exception. Raises FileError."""
    path = _path_of(path)
    from kernelspec.tables.atomic import atomic_path, writing
    from kernelspec.tables.npz import write_array

    header = {
        "format": _FORMAT,
        "version": VERSION,
        "software": f"kernelspec {__version__}",
        "date": _now(),
        "sections": {name: parts for name, (parts, _) in sections.items()},
    }
    arrays = {f"{section}.{name}": array for section, (_, own) in sections.items() for name, array in own.items()}
    text = json.dumps(header, allow_nan=False, ensure_ascii=False).encode()
    if len(text) > MAX_MAP_HEADER:
        raise FileError(f"{path}: its header has {len(text):,} bytes, but at most {MAX_MAP_HEADER:,} are allowed")
    size = len(text) + sum(array.nbytes + _BESIDES for array in arrays.values())
    if len(arrays) + 2 > MAX_MAP_ARRAYS or size > MAX_MAP_FILE:
        raise FileError(
            f"{path}: this map has {len(arrays):,} arrays of {size:,} bytes, but at most {MAX_MAP_ARRAYS - 2:,} and "
            f"{MAX_MAP_FILE:,} are allowed: use fewer features"
        )
    members = {"header": np.frombuffer(text, dtype=np.uint8), "digest": _digest(text, arrays)} | arrays
    with atomic_path(path) as temporary:
        with writing(path), zipfile.ZipFile(temporary, "w") as archive:
            for name, array in members.items():
                write_array(archive, name, array)
        yield


def _now() -> str:
    """The time in UTC, or SOURCE_DATE_EPOCH, for reproducible files."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return now.strftime(_DATE)


def read_archive(path: str | Path) -> tuple[Origin, Sections]:
    """The origin of a file and its sections.

    Raises FileError for another format version; OSError, ValueError, or the errors of zipfile, NumPy and json for other
    files.
    """
    with Path(path).open("rb") as file:
        if not is_archive(path):  # zipfile would read all of an endless device
            raise ValueError("it is not a zip archive")
        arrays = _read_arrays(file)
    text = arrays.pop("header").tobytes()
    header = json.loads(text)
    if header["version"] != VERSION:
        raise FileError(f"{path} has format version {header['version']}; this version of kernelspec reads {VERSION}")
    if header.keys() != {"format", "version", "software", "date", "sections"} or header["format"] != _FORMAT:
        raise ValueError("the header is of another format")
    digest = arrays.pop("digest")
    if not np.array_equal(digest, _digest(text, arrays)):
        raise ValueError("its contents are not what was saved")
    return _origin(header, digest), _sections(header["sections"], arrays)


def _origin(header: Mapping[str, Any], digest: NDArray[Any]) -> Origin:
    software, date = header["software"], header["date"]
    if not isinstance(software, str) or not software.isprintable():
        raise ValueError("the software that wrote it has no name")
    datetime.strptime(date, _DATE)
    return Origin(software, date, digest.tobytes().hex())


def _sections(parts: Any, arrays: Arrays) -> Sections:
    is_known = isinstance(parts, dict) and parts.keys() <= set(_SECTIONS)
    if not is_known or not parts or not all(isinstance(own, list) for own in parts.values()):
        raise ValueError(f"its sections are not {' and '.join(_SECTIONS)}")
    own: dict[str, Arrays] = {name: {} for name in parts}
    for name, array in arrays.items():
        section, _, rest = name.partition(".")
        if section not in own:
            raise ValueError(f"the array {name} is of no section")
        own[section][rest] = array
    return {name: (parts[name], own[name]) for name in parts}


def _read_arrays(file: BinaryIO) -> Arrays:
    size = file.seek(0, 2)
    if size > MAX_MAP_FILE:
        raise ValueError(f"it has {size:,} bytes, but at most {MAX_MAP_FILE:,} are allowed")
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
        raise ValueError(f"{member.filename!r} is not an array")
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
    """A checksum of everything in the file; zip's own does not cover an edited header."""
    state = blake2b(header, digest_size=16)
    for name in sorted(arrays):
        array = arrays[name]
        state.update(f"{name} {array.dtype.str} {array.shape}".encode())
        state.update(array.tobytes())
    return np.frombuffer(state.digest(), dtype=np.uint8)


def save_map(drawn: DrawnPlan, path: str | Path) -> None:
    """Write a map; the file appears complete or not at all.

    Raises FileError; PlanError for a map with a kernel class that has no name in files, or with too many columns.
    """
    with saved_map(drawn, path):
        pass


@contextmanager
def saved_map(drawn: DrawnPlan, path: str | Path) -> Iterator[None]:
    """Write a map; the file appears when the body ends without exception. Errors as for `save_map`."""
    if drawn.has_columns and drawn.n_columns > MAX_FEATURE_COLUMNS:
        raise PlanError(
            f"a map of {drawn.n_columns:,} columns cannot be saved, only up to {MAX_FEATURE_COLUMNS:,}: "
            "use fewer buckets or features"
        )
    try:
        section = encoded(drawn.plain)
    except TypeError as error:
        raise PlanError(f"this map cannot be saved: {error}") from None
    with written_archive(path, {"map": section}):
        yield


def save_model(fitted: Any, path: str | Path) -> None:
    """Write a fitted model, a frozen dataclass, completely or not at all. Raises FileError, PlanError."""
    try:
        section = encoded(fitted)
    except TypeError as error:
        raise PlanError(f"this model cannot be saved: {error}") from None
    with written_archive(path, {"model": section}):
        pass


def _path_of(path: str | Path) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise FileError(f"a file is named by a string or a pathlib.Path, not {path!r:.60}")
    return Path(path)


def read_map(path: str | Path) -> DrawnPlan:
    """Read a map written by `saved_map`, and check all of it.

    Raises FileError for a file that is missing, damaged, edited, not a feature map, or of another format version.
    """
    origin, drawn = _read(path, "map", "feature map", DrawnPlan)
    return replace(drawn, origin=origin)


def read_model(path: str | Path, cls: type[_Whole]) -> tuple[Origin, _Whole]:
    """Read the origin of a file and its fitted model, and check all of it. Raises FileError like `read_map`."""
    return _read(path, "model", "model", cls)


def is_archive(path: str | Path) -> bool:
    """Whether a file begins like a saved map or model, not a spec. Pipes and devices are not read."""
    with suppress(OSError, ValueError):
        if Path(path).is_file():
            with Path(path).open("rb") as file:
                return file.read(len(_ZIP)) == _ZIP
    return False


def holds_model(path: str | Path) -> bool:
    """Whether the member names of a file are those of a model rather than a map."""
    if is_archive(path):
        with suppress(OSError, zipfile.BadZipFile, ValueError), zipfile.ZipFile(path) as archive:
            starts = {name.partition(".")[0] for name in archive.namelist()}
            return "model" in starts and "map" not in starts
    return False


def _read(path: str | Path, section: str, what: str, cls: type[_Whole]) -> tuple[Origin, _Whole]:
    path = _path_of(path)
    try:
        origin, sections = read_archive(path)
        if section not in sections:
            other = "model (use ks.load_model)" if section == "map" else "map (use ks.load_map)"
            raise ValueError(f"it contains a {other}, not a {what}")
        whole = decoded(*sections[section])
        if not isinstance(whole, cls):
            reader = " (use ks.load_state)" if type(whole).__name__ == "SavedState" else ""
            raise ValueError(f"it contains a {type(whole).__name__}{reader}")
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"{path}: no such file") from None
    except Exception as error:  # zipfile, NumPy and json raise anything for other files
        reason = f"it has no {error}" if isinstance(error, KeyError) else error
        raise FileError(f"{path} is not a kernelspec {what}, or it is damaged: {reason}") from None
    return origin, whole
