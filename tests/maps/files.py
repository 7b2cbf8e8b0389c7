"""The files of saved maps that are kept for ever, each with the features that the map gave when it was saved.

Those of a version were written by the code of that version, for every kernel, distribution, activation and law that it
had; none is written again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.maps.feature_map import FeatureMap

__all__ = ["FOLDER", "NAMES", "expected_of", "file_of", "given_by", "machine", "rows_in"]

FOLDER = Path(__file__).parent

NAMES = sorted(path.name.removesuffix(".expected.npz") for path in (FOLDER / "0.2").glob("*.expected.npz"))
"""The maps of version 0.2."""


def file_of(version: str, name: str) -> Path:
    """The saved map of a case."""
    return FOLDER / version / f"{name}.npz"


def expected_of(version: str, name: str) -> Path:
    """What the map gave: rows, and features of them."""
    return file_of(version, name).with_suffix(".expected.npz")


def given_by(fmap: FeatureMap, X: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """What a map says of rows, as arrays."""
    found = {"signs": fmap.signs, "approximate": fmap.approximate(X), "names": np.array(fmap.names())}
    for side, features in (("left", fmap.left(X)), ("right", fmap.right(X))):
        found[side] = features if isinstance(features, np.ndarray) else features.toarray()
    if fmap.is_sparse:
        found |= {"keys": fmap.keys(X), "keys_right": fmap.keys(X, "right")}
    return found


def machine() -> str:
    """What the last bits of cosines and matrix products depend on."""
    config: Any = np.show_config(mode="dicts")
    found = config["SIMD Extensions"].get("found", [])
    return f"numpy {np.__version__}, {config['Build Dependencies']['blas'].get('version')}, {' '.join(found)}"


def rows_in(expected: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """The rows that an `.expected.npz` was computed on; columns of text are kept apart, as there is no pickle."""
    numbers, text = expected["numbers"], {name: own for name, own in expected.items() if name.startswith("text")}
    if not text:
        return numbers
    rows = numbers.astype(object)
    for name, column in text.items():
        rows[:, int(name.removeprefix("text"))] = column
    return rows
