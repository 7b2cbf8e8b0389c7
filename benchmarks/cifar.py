"""Crops of CIFAR-10 as angles, and the skeletons of Daniely, Frostig, Gupta and Singer (2017) over them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["CHANNELS", "DIM", "PIXELS", "SIDE", "Images", "convolutions", "images"]

SIDE, CHANNELS = 24, 3
DIM = SIDE * SIDE * CHANNELS
PIXELS = f"image({SIDE}, {SIDE}, {CHANNELS})"


class Images(NamedTuple):
    """Angles of crops at the centre, (images, columns), their classes, and how many are for training."""

    angles: NDArray[np.float64]
    classes: NDArray[np.int64]
    n_train: int


def images(folder: Path) -> Images:
    """The subset of CIFAR-10; the value v of a pixel is the angle πv/255. Raises FileNotFoundError."""
    with np.load(folder / "cifar10_4k_1k.npz", allow_pickle=False) as file:
        X, y, n_train = file["X"], file["y"], int(file["n_train"])
    edge = (X.shape[1] - SIDE) // 2
    crops = X[:, edge : edge + SIDE, edge : edge + SIDE]
    return Images(crops.reshape(len(X), -1) * (np.pi / 255), y.astype(np.int64), n_train)


def convolutions(*layers: tuple[str, int]) -> str:
    """Convolutions with stride 2 over the pixels, one activation and size each from the bottom up."""
    text = PIXELS
    for activation, size in layers:
        text = f"conv({activation}, size={size}, stride=2, input={text})"
    return text
