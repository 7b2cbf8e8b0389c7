"""Saved maps and models with random edits and a valid checksum, loaded and used: what becomes of each."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kernelspec as ks
from kernelspec.errors import FileError
from kernelspec.maps.codec import encoded
from kernelspec.maps.feature_map import FeatureMap, draw_map
from kernelspec.maps.map_file import VERSION, _digest
from kernelspec.maps.redrawn import replanned
from kernelspec.maps.saved_kinds import PARTS
from tests.fuzzing.campaign import Target
from tests.maps.files import NAMES, expected_of, file_of, rows_in
from tests.processor import seconds_since

__all__ = ["TARGETS", "crafted", "model_outcome", "outcome"]

Arrays = dict[str, NDArray[Any]]

NUMBERS: list[Any] = [
    -1, 0, 1, 2, 3, 7, 64, 1000, 2**20, 2**24 + 1, 2**31 - 1, 2**31, 2**40, 2**63 - 1, 2**63, 10**40,
    -0.5, 0.0, 1e-300, 0.5, 1.0, 1.5, 1e100, 1e300, 1.7e308, "", "x", "paired", "phase", "complex", None, True, False,
    [], [0], [0, 0], [[0]], {}, {"part": 0}, {"part": 1}, {"part": 10**6}, {"array": "0.x"}, {"fraction": [1, 0]},
    {"fraction": [1, 3]}, {"fraction": [10**400, 1]}, {"infinity": 1}, {"enum": "wave_part", "member": "POSITIVE_SINE"},
]  # fmt: skip

ENTRIES = [np.nan, np.inf, -np.inf, -1, 0, 1, 2, 0.5, 1e-320, 1e12, 1e290, 1.7e308, 2**31, 2**62, -(2**62)]

SECONDS = 5.0


def crafted(number: int) -> tuple[str, dict[str, Any], Arrays]:
    """The name of a case, and the header and arrays of its file after some edits."""
    generator = np.random.default_rng([number, 7])
    name = str(generator.choice(NAMES))
    parts, arrays = encoded(ks.load_map(file_of("0.2", name)).plain)
    whole = {"software": "kernelspec 0.1.0", "date": "2025-11-27T00:00:00Z", "sections": {"map": parts}}
    header: dict[str, Any] = json.loads(json.dumps({"format": "kernelspec", "version": VERSION} | whole))
    arrays = {f"map.{own}": array for own, array in arrays.items()}
    return name, *_edited(header, arrays, generator)


def _edited(header: dict[str, Any], arrays: Arrays, generator: np.random.Generator) -> tuple[dict[str, Any], Arrays]:
    for _ in range(int(generator.integers(1, 4))):
        if arrays and generator.random() < 0.5:
            _edit_arrays(arrays, generator)
        else:
            _edit_values(header, generator)
    return header, arrays


MODEL_ROWS = np.random.default_rng(1).normal(size=(12, 2))


@cache
def _models() -> Mapping[str, Any]:
    """Small fitted models of every kind, by name."""
    y = np.sin(2 * MODEL_ROWS[:, 0])
    text, small = "gaussian(scale=1) + 0.5*match()[1]", {"n_features": 8, "random_state": 0}
    rows = np.column_stack([MODEL_ROWS[:, 0], MODEL_ROWS[:, 1] > 0])
    classes = np.where(MODEL_ROWS[:, 0] > 0, "in", "out")
    return {
        "exact": ks.KernelRegressor(text).fit(rows, np.column_stack([y, -y])),
        "landmarks": ks.KernelRegressor(text, solver="features", **small).fit(rows, y),
        "sampled": ks.KernelRegressor("gaussian()", solver="features", method="paired", **small).fit(MODEL_ROWS, y),
        "least_squares": ks.KernelClassifier(text, kind="least_squares", **small).fit(rows, classes),
        "logistic": ks.KernelClassifier("gaussian()", kind="logistic", **small).fit(MODEL_ROWS, classes),
    }


def model_outcome(number: int, folder: Path) -> str:
    """What becomes of the file of a model after some edits: refused, or predictions that are finite; else it is bad."""
    generator = np.random.default_rng([number, 8])
    name = str(generator.choice(sorted(_models())))
    parts, arrays = encoded(_models()[name]._fitted)
    whole = {"software": "kernelspec 0.1.0", "date": "2025-11-27T00:00:00Z", "sections": {"model": parts}}
    header: dict[str, Any] = json.loads(json.dumps({"format": "kernelspec", "version": VERSION} | whole))
    header, arrays = _edited(header, {f"model.{own}": array for own, array in arrays.items()}, generator)
    path, text = folder / "model.npz", json.dumps(header, sort_keys=True).encode()
    np.savez(path, header=np.frombuffer(text, dtype=np.uint8), digest=_digest(text, arrays), **arrays)
    start = time.process_time()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = _predicted(path)
    late = seconds_since(start, bound=SECONDS)
    return f"bad: {name}: {late:.1f} seconds" if late > SECONDS else found.replace("bad: ", f"bad: {name}: ")


def _predicted(path: Path) -> str:
    try:
        model = ks.load_model(path)
    except FileError:
        return "refused"
    except BaseException as error:
        return f"bad: load: {type(error).__name__}: {error}"[:300]
    uses = ("predict_proba", "describe") if hasattr(model, "classes_") else ("predict", "predict_interval", "describe")
    for use in uses:
        try:
            given = str(model.describe()) if use == "describe" else np.asarray(getattr(model, use)(MODEL_ROWS))
        except ks.KernelspecError:
            return "refused with the rows"
        except BaseException as error:
            return f"bad: {use}: {type(error).__name__}: {error}"[:300]
        if not isinstance(given, str) and not np.isfinite(given).all():
            return f"bad: {use} is not finite"
    return "used"


def outcome(number: int, folder: Path) -> str:
    """What becomes of a file: refused, or features that are finite and have the right shape; anything else is bad.

    Features other than those of the file as it was are bad, too, unless drawing again refuses them or gives the same.
    """
    name, header, arrays = crafted(number)
    path = folder / "map.npz"
    text = json.dumps(header, sort_keys=True).encode()
    np.savez(path, header=np.frombuffer(text, dtype=np.uint8), digest=_digest(text, arrays), **arrays)
    with np.load(expected_of("0.2", name)) as file:
        expected = dict(file)
    rows = rows_in(expected)
    start = time.process_time()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of predictions that are nonsense: what the plan says was edited
        found = _used(path, rows)
        if found == "used":
            found = _judged(path, rows, expected["left"])
    late = seconds_since(start, bound=SECONDS)
    return f"bad: {late:.1f} seconds, {name}: {found}" if late > SECONDS else found.replace("bad: ", f"bad: {name}: ")


def _used(path: Path, rows: NDArray[Any]) -> str:
    try:
        feature_map = ks.load_map(path)
    except FileError:
        return "refused"
    except BaseException as error:
        return f"bad: load: {type(error).__name__}: {error}"[:300]
    for use in ("left", "right", "approximate", "names", "signs", "explain", "predicted_error", "keys"):
        if use == "keys" and not feature_map.is_sparse:
            continue
        try:
            attribute = getattr(feature_map, use)
            given = attribute if use == "signs" else attribute() if use in ("names", "explain") else attribute(rows)
        except ks.KernelspecError:
            if use == "left":
                return "refused with the rows"
            continue
        except BaseException as error:
            return f"bad: {use}: {type(error).__name__}: {error}"[:300]
        if use in ("left", "right"):
            entries = given if isinstance(given, np.ndarray) else given.data
            if given.shape != (len(rows), feature_map.n_columns) or not np.isfinite(entries).all():
                return f"bad: {use}: shape {given.shape}, finite: {np.isfinite(entries).all()}"
    return "used"


def _judged(path: Path, rows: NDArray[Any], before: NDArray[Any]) -> str:
    """Whether the features changed, and whether drawing again finds that."""
    feature_map = ks.load_map(path)
    features = _left(feature_map, rows)
    if _agree(features, before):
        return "features as they were"
    try:
        ks.load_map(path, redraw=True)
    except FileError:
        return "other features, found by drawing again"
    except BaseException as error:
        return f"bad: redraw: {type(error).__name__}: {error}"[:300]
    again = replace(draw_map(replanned(feature_map.plan)), occupied=feature_map.occupied)
    if feature_map.correction is None and not _agree(features, _left(again, rows)):
        return "bad: other features than those drawn again"
    return "other features, of another map of its spec, or learnt from data"


def _left(feature_map: FeatureMap, rows: NDArray[Any]) -> NDArray[Any]:
    features = feature_map.left(rows)
    return features if isinstance(features, np.ndarray) else features.toarray()


def _agree(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-6, atol=1e-6 * np.abs(other).max(initial=0))


def _edit_arrays(arrays: Arrays, generator: np.random.Generator) -> None:  # noqa: PLR0912
    name = str(generator.choice(sorted(arrays)))
    array = arrays[name]
    entry = ENTRIES[int(generator.integers(len(ENTRIES)))]
    match int(generator.integers(13)):
        case 0:
            arrays[name] = np.concatenate([array] * 3) if array.ndim else np.array([entry])
        case 1:
            arrays[name] = array[: len(array) // 2] if array.ndim else array
        case 2:
            arrays[name] = array[:0] if array.ndim else array
        case 3 | 4 | 5:
            arrays[name] = changed = array.copy()
            if changed.size:
                with np.errstate(all="ignore"), suppress(OverflowError):
                    changed.ravel()[int(generator.integers(changed.size))] = np.asarray(entry).astype(changed.dtype)
        case 6:
            with np.errstate(all="ignore"):
                arrays[name] = np.full_like(array, np.asarray(entry).astype(array.dtype))
        case 7:
            with suppress(ValueError), np.errstate(all="ignore"):  # words that are no numbers
                arrays[name] = array.astype(
                    str(generator.choice(["float32", "int32", "int64", "float64", "uint64", "U8"]))
                )
        case 8:
            arrays[name] = array.T if array.ndim > 1 else array[:, None] if array.ndim else array[None]
        case 9:
            other = str(generator.choice(sorted(arrays)))
            arrays[name], arrays[other] = arrays[other], array
        case 10:
            del arrays[name]
        case 11:
            arrays[name] = generator.permuted(array) if array.ndim else array
        case 12:  # all that have its length
            n = len(array) if array.ndim else 0
            more = [own for own, other in arrays.items() if other.ndim and len(other) in (n, n + 1)]
            for own in more:
                arrays[own] = np.concatenate([arrays[own], arrays[own][:n]])


def _edit_values(header: dict[str, Any], generator: np.random.Generator) -> None:
    """Replace, remove, double or exchange one of the values anywhere in the header."""
    places: list[tuple[Any, Any]] = []
    pending: list[Any] = [header]
    while pending:
        node = pending.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node))
        places += [(node, key) for key in keys]
        pending += [node[key] for key in keys if isinstance(node[key], dict | list)]
    node, key = places[int(generator.integers(len(places)))]
    match int(generator.integers(8)):
        case 0 | 1 | 2:
            node[key] = deepcopy(NUMBERS[int(generator.integers(len(NUMBERS)))])
        case 3:
            other, place = places[int(generator.integers(len(places)))]
            node[key], other[place] = other[place], node[key]
        case 4:
            other, place = places[int(generator.integers(len(places)))]
            node[key] = json.loads(json.dumps(other[place]))
        case 5:
            del node[key]
        case 6:
            if isinstance(node, list):
                node.insert(key, json.loads(json.dumps(node[key])))
        case 7:
            if isinstance(node[key], bool | int | float):
                node[key] = [-node[key], node[key] + 1, node[key] * 1000, 1 - node[key]][int(generator.integers(4))]
            elif "kind" in node:
                node["kind"] = str(generator.choice(sorted(PARTS)))


def _model_ends_well(number: int, folder: Path) -> None:
    found = model_outcome(number, folder)
    assert not found.startswith("bad: "), found


def _ends_well(number: int, folder: Path) -> None:
    found = outcome(number, folder)
    assert not found.startswith("bad: "), found


TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        "saved maps": Target(lambda random: random.getrandbits(32), _ends_well, short=200, share=15),
        "saved models": Target(lambda random: random.getrandbits(32), _model_ends_well, short=100, share=5),
    }
)
