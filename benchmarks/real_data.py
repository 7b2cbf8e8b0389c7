"""The data sets of the benchmarks, their parts for training and testing, and the scalings of their columns.

The folder and what its files hold are described in its README.md. Where a source has no split of its own, the rows are
drawn at random with a fixed seed; `split_of` says which it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["DataSet", "Scaling", "load_data", "scaled"]

Scaling = Literal["as found", "[0, 1]", "[-1, 1]", "standardised"]

_FILES = {
    "cadata": "california_housing",
    "ijcnn1": "ijcnn1",
    "covtype": "covtype_subset",
    "cod_rna": "cod_rna",
    "cpu": "cpu_act",
    "a9a": "adult_a9a",
    "pendigits": "pendigits",
    "letter": "letter",
    "mnist": "mnist",
}


class DataSet(NamedTuple):
    """Rows for training and testing, in the units of the source; y is a number, a sign, or a class."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    X_test: NDArray[np.float64]
    y_test: NDArray[np.float64]
    task: Literal["regression", "binary", "classes"]
    split_of: str


def load_data(name: str, folder: Path) -> DataSet:
    """The data set, in the split of the papers where it is known. Raises FileNotFoundError."""
    with np.load(folder / f"{_FILES[name]}.npz", allow_pickle=False) as file:
        found = {key: file[key] for key in file.files}
    X, y = found["X"].astype(np.float64), found["y"].astype(np.float64)
    order = np.random.default_rng(0).permutation(len(X))
    match name:
        case "cadata":
            return _parts(X, y, order[:16_512], order[16_512:], "regression", "random 4:1 split")
        case "ijcnn1":
            train = int(found["n_train"])
            rows = np.arange(len(X))
            return _parts(X, y, rows[:35_000], rows[train:], "binary", "ijcnn1.tr and the test set of LIBSVM")
        case "covtype":
            sample = order[found["part"][order] > 0]
            train = len(sample) * 4 // 5
            told = f"{train:,} rows of the 464,809"
            return _parts(X, np.where(y == 2, 1.0, -1.0), sample[:train], sample[train:], "binary", told)
        case "cod_rna":
            return _parts(X, y, order[:49_437], order[49_437:99_437], "binary", "random rows, 50,000 for testing")
        case "cpu":
            X = X[:, found["cpu_small_columns"]]
            return _parts(X, y, order[:6_553], order[6_553:], "regression", "random 4:1 split")
        case "letter":
            return _parts(X, y, order[:10_500], order[10_500:15_500], "classes", "random rows, as many as theirs")
        case _:
            rows, train = np.arange(len(X)), int(found["n_train"])
            task = "binary" if name == "a9a" else "classes"
            return _parts(X, y, rows[:train], rows[train:], task, "that of the source")


def scaled(X: NDArray[np.float64], scaling: Scaling, like: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """The columns as found, or brought to a range or to mean 0 and variance 1 by the rows of `like` (or X itself)."""
    if scaling == "as found":
        return X
    like = X if like is None else like
    if scaling == "standardised":
        low, width = like.mean(axis=0), like.std(axis=0)
    else:
        low, width = like.min(axis=0), np.ptp(like, axis=0)
    unit = (X - low) / np.where(width > 0, width, 1)
    return 2 * unit - 1 if scaling == "[-1, 1]" else unit


def _parts(
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    task: Literal["regression", "binary", "classes"],
    split_of: str,
) -> DataSet:
    return DataSet(X[train], y[train], X[test], y[test], task, split_of)
