"""A table in several files: which files they are, and what their features are called."""

from __future__ import annotations

import os
from collections.abc import Sequence
from glob import glob
from pathlib import Path

import click

from kernelspec.errors import FileError
from kernelspec.files.atomic import check_target
from kernelspec.files.file_names import check_name

__all__ = ["feature_files", "partition_files"]

_WRITTEN_AS_READ = (".npy", ".npz", ".parquet")


def partition_files(patterns: Sequence[str]) -> tuple[str, ...]:
    """The files that some names and patterns (`part-*.parquet`) stand for, as absolute paths, each pattern in order.

    Raises FileError for a pattern that fits no file; UsageError for a file that is named twice.
    """
    found: list[str] = []
    for pattern in patterns:
        files = [pattern] if Path(pattern).exists() else sorted(glob(pattern, recursive=True))
        if not files:
            raise FileError(f"{pattern}: no such file, and no file fits it as a pattern")
        found += [os.path.realpath(file) for file in files]
    seen: set[str] = set()
    for path in found:
        if path in seen:
            raise click.UsageError(f"{path} is named twice")
        seen.add(path)
    return tuple(found)


def feature_files(parts: Sequence[str], folder: str, *, sparse: bool, is_complex: bool) -> tuple[str, ...]:
    """Where the features of every part go: a file of the same name in the folder, which is made if it is not there.

    Its suffix is that of the part if features can be stored so, else .npz for sparse ones, .npy for complex ones, and
    .parquet for all others. Raises FileError for a place that cannot be written to; UsageError where two parts have one
    name.
    """
    check_name(folder)
    place = Path(os.path.realpath(folder))
    if place.exists() and not place.is_dir():
        raise FileError(f"{folder}: is a file; the features of several files go into a folder")
    if not place.parent.is_dir():
        raise FileError(f"{folder}: the folder {str(place.parent)!r} does not exist")
    found: dict[str, str] = {}
    for part in parts:
        stem = Path(part).name.removesuffix(".gz")
        suffix = _suffix(Path(stem).suffix.lower(), sparse, is_complex)
        target = str(place / f"{Path(stem).stem}{suffix}")
        if target in found:
            raise click.UsageError(f"the features of {part} and of {found[target]} would both be {target}")
        found[target] = part
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: cannot be made: {error.strerror}") from None
    for target in found:
        check_target(Path(target))
    return tuple(found)


def _suffix(given: str, sparse: bool, is_complex: bool) -> str:
    if sparse:
        return ".npz"
    if is_complex:
        return ".npz" if given == ".npz" else ".npy"
    return given if given in _WRITTEN_AS_READ else ".parquet"
