"""The files of saved maps that are kept for ever, each with the features that the map gave when it was saved.

`python -m tests.maps.files VERSION` wrote those of a version, with the code of that version; none is written again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kernelspec as ks
from kernelspec.maps.feature_map import FeatureMap
from tests.maps.cases import CASES_OF, rows_of

__all__ = ["FOLDER", "expected_of", "file_of", "given_by", "machine", "rows_in", "write"]

FOLDER = Path(__file__).parent


def file_of(version: str, name: str) -> Path:
    """The saved map of a case."""
    return FOLDER / version / f"{name.replace(' ', '_')}.npz"


def expected_of(version: str, name: str) -> Path:
    """What the map gave: rows, and features of them."""
    return file_of(version, name).with_suffix(".expected.npz")


def given_by(feature_map: FeatureMap, X: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """What a map says of rows, as arrays."""
    found = {
        "signs": feature_map.signs,
        "approximate": feature_map.approximate(X),
        "names": np.array(feature_map.names()),
    }
    for side, features in (("left", feature_map.left(X)), ("right", feature_map.right(X))):
        found[side] = features if isinstance(features, np.ndarray) else features.toarray()
    if feature_map.is_sparse:
        found |= {"keys": feature_map.keys(X), "keys_right": feature_map.keys(X, "right")}
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


def write(version: str) -> None:
    """Write what is missing of a version."""
    (FOLDER / version).mkdir(exist_ok=True)
    for name, case in CASES_OF[version].items():
        path = file_of(version, name)
        if not path.exists():
            feature_map, X = case.compiled(), rows_of(case.rows)
            feature_map.save(path)
            np.savez_compressed(
                expected_of(version, name), **_rows(X), **given_by(ks.load_map(path), X), machine=machine()
            )


def _rows(X: NDArray[Any]) -> dict[str, NDArray[Any]]:
    if X.dtype != object:
        return {"numbers": X}
    text = [i for i in range(X.shape[1]) if isinstance(X[0, i], str)]
    numbers = np.array([[0.0 if i in text else row[i] for i in range(X.shape[1])] for row in X])
    return {"numbers": numbers} | {f"text{i}": X[:, i].astype(np.str_) for i in text}


if __name__ == "__main__":
    write(sys.argv[1])
