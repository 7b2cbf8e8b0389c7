"""Feature maps on disk: a plan, its parts and the columns they learnt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kernelspec.errors import FileError
from kernelspec.maps.columns.exact_columns import Exact
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.saved.map_archive import Arrays, read_archive, write_archive
from kernelspec.maps.saved.saved_parts import dense_from, keyed_from, put_dense, put_keyed
from kernelspec.planning.saved_plan import plan_from_dict, plan_to_dict

__all__ = ["load_map", "save_map"]


def save_map(feature_map: FeatureMap, path: Path) -> None:
    """Write a map; the file appears whole or not at all. Raises FileError."""
    arrays: Arrays = {}
    header: dict[str, Any] = {"plan": plan_to_dict(feature_map.plan), "dense": feature_map.dense is not None}
    if feature_map.dense is not None:
        header |= put_dense(arrays, feature_map.dense)
    header["keyed"] = [put_keyed(arrays, f"keyed{i}", part) for i, part in enumerate(feature_map.keyed)]
    header["occupied"] = feature_map.occupied is not None
    for i, columns in enumerate(feature_map.occupied or ()):
        arrays |= {f"keyed{i}_occupied": columns.keys, f"keyed{i}_starts": columns.starts}
    write_archive(path, header, arrays)


def load_map(path: str | Path) -> FeatureMap:
    """Read a map written by `FeatureMap.save`.

    Raises FileError for a file that is missing, damaged, edited, not a feature map, or of a later version.
    """
    try:
        return _restore(*read_archive(path))
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"there is no file {path}") from None
    except Exception as error:  # whatever zipfile, NumPy and json make of bytes that are something else
        raise FileError(f"{path} is no kernelspec feature map, or it is damaged: {error}") from None


def _restore(header: dict[str, Any], arrays: Arrays) -> FeatureMap:
    dense = dense_from(arrays, header) if header["dense"] else None
    keyed = tuple(keyed_from(arrays, f"keyed{i}", part) for i, part in enumerate(header["keyed"]))
    occupied = None
    if header["occupied"]:
        occupied = tuple(Exact(arrays[f"keyed{i}_occupied"], arrays[f"keyed{i}_starts"]) for i in range(len(keyed)))
    return FeatureMap(plan_from_dict(header["plan"]), dense, keyed, occupied)
