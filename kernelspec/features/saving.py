"""Feature maps on disk: NumPy arrays and a JSON header in one `.npz`, never a pickle."""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import FileError, KernelspecError
from kernelspec.features.dense import DenseFeatures
from kernelspec.features.feature_map import FeatureMap
from kernelspec.features.keyed import KeyedFeatures
from kernelspec.features.match import MatchKey
from kernelspec.features.samples import KeyFactor, Phasors
from kernelspec.planning.restoring import plan_from_dict, plan_to_dict

__all__ = ["load_map", "save_map"]

_FORMAT = "kernelspec feature map"
_VERSION = 1
_KEY_FACTORS: dict[str, Any] = {"match": MatchKey.from_arrays}

Arrays = dict[str, NDArray[Any]]


def save_map(feature_map: FeatureMap, path: Path) -> None:
    """Write a map; the file appears whole or not at all. Raises FileError."""
    from kernelspec.files.atomic import atomic_path

    arrays: Arrays = {}
    header: dict[str, Any] = {"format": _FORMAT, "version": _VERSION, "plan": plan_to_dict(feature_map.plan)}
    if feature_map.dense is not None:
        _put_samples(arrays, "dense", feature_map.dense)
        _put_phasors(arrays, "dense", feature_map.dense.phasors)
    header["dense"] = feature_map.dense is not None
    header["keyed"] = [_put_keyed(arrays, f"keyed{i}", part) for i, part in enumerate(feature_map.keyed)]
    header["occupied"] = feature_map.occupied is not None
    for i, keys in enumerate(feature_map.occupied or ()):
        arrays[f"keyed{i}_occupied"] = keys
    arrays["header"] = np.frombuffer(json.dumps(header, sort_keys=True).encode(), dtype=np.uint8)
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def load_map(path: str | Path) -> FeatureMap:
    """Read a map written by `FeatureMap.save`.

    Raises FileError for a file that is missing, damaged, not a feature map, or of a later version.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            if "header" not in file:
                raise FileError(f"{path} is no kernelspec feature map: it has no header")
            arrays = {name: file[name] for name in file.files}
        header = json.loads(arrays["header"].tobytes())
    except FileNotFoundError:
        raise FileError(f"there is no file {path}") from None
    except FileError:
        raise
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise FileError(f"{path} is no kernelspec feature map, or it is damaged: {error}") from None
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise FileError(f"{path} is no kernelspec feature map")
    if header.get("version") != _VERSION:
        raise FileError(
            f"{path} has format version {header.get('version')}; this version of kernelspec reads {_VERSION}"
        )
    try:
        return _restore(header, arrays)
    except (KeyError, TypeError, ValueError, IndexError, KernelspecError) as error:
        raise FileError(f"{path} is damaged: {error}") from None


def _restore(header: dict[str, Any], arrays: Arrays) -> FeatureMap:
    dense = None
    if header["dense"]:
        dense = DenseFeatures(_get_phasors(arrays, "dense"), *_get_samples(arrays, "dense"))
    keyed = tuple(_get_keyed(arrays, f"keyed{i}", part) for i, part in enumerate(header["keyed"]))
    occupied = tuple(arrays[f"keyed{i}_occupied"] for i in range(len(keyed))) if header["occupied"] else None
    return FeatureMap(plan_from_dict(header["plan"]), dense, keyed, occupied)


def _put_samples(arrays: Arrays, name: str, part: DenseFeatures | KeyedFeatures) -> None:
    arrays |= {f"{name}_weight": part.weight, f"{name}_sign": part.sign, f"{name}_offsets": part.offsets}


def _get_samples(arrays: Arrays, name: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    return arrays[f"{name}_weight"], arrays[f"{name}_sign"], arrays[f"{name}_offsets"]


def _put_phasors(arrays: Arrays, name: str, phasors: Phasors) -> None:
    arrays[f"{name}_columns"] = np.array(phasors.columns, dtype=np.int64)
    arrays |= {f"{name}_frequencies": phasors.frequencies, f"{name}_left": phasors.left, f"{name}_right": phasors.right}


def _get_phasors(arrays: Arrays, name: str) -> Phasors:
    columns = tuple(int(column) for column in arrays[f"{name}_columns"])
    return Phasors(columns, arrays[f"{name}_frequencies"], arrays[f"{name}_left"], arrays[f"{name}_right"])


def _put_keyed(arrays: Arrays, name: str, part: KeyedFeatures) -> dict[str, Any]:
    _put_samples(arrays, name, part)
    arrays[f"{name}_identity"] = part.identity
    if part.phasors is not None:
        _put_phasors(arrays, name, part.phasors)
    headers = []
    for i, factor in enumerate(part.factors):
        header, own = factor.to_arrays()
        headers.append(header)
        arrays |= {f"{name}_factor{i}_{key}": value for key, value in own.items()}
    return {"phasors": part.phasors is not None, "factors": headers}


def _get_keyed(arrays: Arrays, name: str, header: dict[str, Any]) -> KeyedFeatures:
    factors: list[KeyFactor] = []
    for i, described in enumerate(header["factors"]):
        prefix = f"{name}_factor{i}_"
        own = {key.removeprefix(prefix): value for key, value in arrays.items() if key.startswith(prefix)}
        factors.append(_KEY_FACTORS[described["kind"]](described, own))
    phasors = _get_phasors(arrays, name) if header["phasors"] else None
    return KeyedFeatures(tuple(factors), phasors, *_get_samples(arrays, name), arrays[f"{name}_identity"])
