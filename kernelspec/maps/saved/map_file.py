"""Feature maps on disk: the plan, the samples and the columns they learnt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kernelspec.errors import FileError, PlanError
from kernelspec.limits import MAX_FEATURE_COLUMNS
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.saved.map_archive import read_archive, written_archive
from kernelspec.maps.saved.part_codec import Arrays, Entry, decoded, encoded

__all__ = ["load_map", "save_map", "saved_map"]


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
