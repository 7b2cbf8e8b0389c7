"""Table 1 of the paper on compositional kernels: python benchmarks/skeleton_learning.py [--kinds K …] [--names N …]

Daniely, Frostig, Gupta and Singer (2017): two convolutions of sizes 4 to 6 with stride 2 and a full layer, or a full
layer alone; all relu. 24 × 24 crops of CIFAR-10, centred. A ridge classifier for ten classes, its ridge chosen on a
fifth of the training images; all 5,000 images are predicted, in five folds of 4,000 to train, so that two skeletons are
compared on the same images. Kinds:

- `exact`: the kernel matrix itself, the limit of ever more random features;
- `pca`: the same on principal components of patches, 10, 12 or 16 for sizes 4, 5 and 6, as angles;
- `features`: random features of one map, the Gram matrices of parts of 10,000 columns added up;
- `network`: a network with 64 channels for a node of a convolution, 384 for the full layer, trained by AdaGrad on 4,000
  images; the other 1,000 are predicted.

The paper: 10⁶ features, 50,000 images, random crops, flips and changes of light, whitened images, 200 epochs. The value
of a pixel, or of a component within three standard deviations of the first, is an angle from 0 to π; the paper does not
say how it makes angles.

Each cell is a line of `--cells` with the commit that made it, and with the images that were classified rightly, so a
run that was ended goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from cifar import CHANNELS, DIM, PIXELS, SIDE, Images, convolutions, images
from numpy.typing import NDArray
from provenance import commit, made_by
from scipy.stats import rankdata, spearmanr

import kernelspec as ks

Matrix = NDArray[np.float64]


class Paper(NamedTuple):
    """Test accuracies in per cent, of random features and of a trained network."""

    features: float
    network: float


PAPER: Mapping[str, Paper] = {
    "4,5": Paper(72.88, 77.09),
    "6,4": Paper(72.42, 77.06),
    "6,6": Paper(72.25, 75.52),
    "4,4": Paper(71.49, 74.94),
    "5,4": Paper(71.45, 76.78),
    "4,6": Paper(70.62, 74.24),
    "5,6": Paper(70.39, 75.38),
    "6,5": Paper(70.14, 74.23),
    "5,5": Paper(69.64, 73.57),
    "full": Paper(60.01, 55.09),
}
KINDS = ("exact", "pca", "features", "network")
COMPONENTS = {4: 10, 5: 12, 6: 16}
RIDGES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
"""As shares of the number of images; k(x, x) is 1, or about 1."""
FOLDS = 5
PART = 10_000
"""Columns asked for at a time: more of them are several independent maps, side by side."""
ROWS = 250
CHANNELS_OF_A_NODE, HIDDEN, EPOCHS, BATCH, RATE = 64, 384, 40, 50, 0.01


def main() -> None:
    """Fill the cells that are asked for and not there yet, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cells", type=Path, default=Path(__file__).parent / "results" / "skeleton.jsonl")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--names", nargs="+", default=list(PAPER), choices=list(PAPER))
    parser.add_argument("--columns", type=int, default=100_000, help="of random features")
    parser.add_argument("--images", type=int, default=5_000)
    options = parser.parse_args()
    print(made_by(), end="\n\n")
    data = images(options.data_dir)
    data = Images(data.angles[-options.images :], data.classes[-options.images :], options.images * 4 // 5)
    for kind in options.kinds:
        for name in options.names:
            if (name, kind) in cells_of(options.cells) or (name, kind) == ("full", "pca"):
                continue
            start = time.process_time()
            right = classified(name, kind, data, options.columns)
            cell = {
                "architecture": name,
                "kind": kind,
                "commit": commit(),
                "date": f"{datetime.now(UTC):%Y-%m-%d}",
                "accuracy": round(100 * float(right.mean()), 2),
                "seconds": round(time.process_time() - start),
                "images": len(right),
                "right": np.packbits(right).tobytes().hex(),
            }
            with options.cells.open("a", encoding="utf-8") as file:
                file.write(json.dumps(cell) + "\n")
            print(f"{name} {kind}: {cell['accuracy']} %, {cell['seconds']} s", flush=True)
    print_table(cells_of(options.cells))


def cells_of(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The cells that are there, by architecture and kind; `right` as truth values."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        cell = json.loads(line)
        bits = np.unpackbits(np.frombuffer(bytes.fromhex(cell["right"]), dtype=np.uint8))
        found[cell["architecture"], cell["kind"]] = cell | {"right": bits[: cell["images"]].astype(bool)}
    return found


def print_table(cells: Mapping[tuple[str, str], Mapping[str, Any]]) -> None:
    """Accuracies and ranks beside the paper's; the difference from the full layer in the same images."""
    print("\n| skeleton | paper, features | paper, network | " + " | ".join(KINDS) + " | features above full |")
    print("|---|" + "---|" * (len(KINDS) + 3))
    columns = [{name: own.features for name, own in PAPER.items()}, {name: own.network for name, own in PAPER.items()}]
    columns += [{name: cells[name, kind]["accuracy"] for name in PAPER if (name, kind) in cells} for kind in KINDS]
    for name in PAPER:
        shown = []
        for column in columns:
            ranks = dict(zip(column, rankdata([-own for own in column.values()], method="min"), strict=True))
            place = f" ({ranks[name]:.0f})" if len(column) == len(PAPER) and name in column else ""
            shown.append(f"{column[name]:.2f}{place}" if name in column else "")
        lead = ""
        if name != "full" and {(name, "features"), ("full", "features")} <= set(cells):
            apart = 100.0 * (cells[name, "features"]["right"].astype(float) - cells["full", "features"]["right"])
            lead = f"{apart.mean():.1f} ± {apart.std(ddof=1) / np.sqrt(len(apart)):.1f}"
        print(f"| {name} | {' | '.join(shown)} | {lead} |")
    for kind, column in zip(KINDS, columns[2:], strict=True):
        both = [name for name in column if name != "full"]
        if len(both) > 2:
            found = spearmanr([column[name] for name in both], [PAPER[name].features for name in both])
            print(f"\n{kind}, rank correlation with the paper's features, convolutions alone: {found.statistic:.2f}")


def classified(name: str, kind: str, data: Images, columns: int) -> NDArray[np.bool_]:
    """Whether images were classified rightly."""
    sizes = None if name == "full" else [int(own) for own in name.split(",")]
    if kind == "network":
        return trained(sizes, data)
    if kind == "features":
        return _right(features_gram(skeleton(sizes), data.angles, columns), data.classes)
    if kind == "pca":
        assert sizes is not None
        angles, grid = components(data.angles, sizes[0])
        first = f"conv(relu, size=1, stride=1, input={grid})"
        text = f"full(relu, input=conv(relu, size={sizes[1]}, stride=2, input={first}))"
        return _right(exact_gram(text, angles), data.classes)
    return _right(exact_gram(skeleton(sizes), data.angles), data.classes)


def skeleton(sizes: list[int] | None) -> str:
    """The spec of an architecture over pixels."""
    layers = convolutions(*(("relu", size) for size in sizes)) if sizes else PIXELS
    return f"full(relu, input={layers})"


def exact_gram(text: str, angles: Matrix) -> Matrix:
    """The kernel matrix of all images, a block of rows at a time."""
    spec, n = ks.parse(text), len(angles)
    gram = np.empty((n, n))
    for start in range(0, n, ROWS):
        stop = min(start + ROWS, n)
        gram[start:stop, :stop] = spec.gram(angles[start:stop], angles[:stop])
        gram[:start, start:stop] = gram[start:stop, :start].T
    return gram


def features_gram(text: str, angles: Matrix, columns: int) -> Matrix:
    """Inner products of random features, of independent maps of 10,000 columns each."""
    parts, gram = max(1, columns // PART), np.zeros((len(angles),) * 2, dtype=np.float32)
    for part in range(parts):
        fmap = ks.compile(text, DIM, min(PART, columns), seed=part)
        features = np.asarray(fmap.transform(angles.astype(np.float32)))
        gram += features @ features.T
    return gram.astype(np.float64) / parts


def patches(pixels: NDArray[Any], size: int) -> NDArray[Any]:
    """Windows of (n, side, side, channels) with stride 2: (n, windows, windows, size² channels)."""
    windows = np.lib.stride_tricks.sliding_window_view(pixels, (size, size), axis=(1, 2))[:, ::2, ::2]
    n, w = windows.shape[:2]
    return windows.reshape(n, w, w, -1)


def components(angles: Matrix, size: int) -> tuple[Matrix, str]:
    """The first principal components of patches as angles (n, columns), and the grid that they make."""
    own = patches(angles.reshape(-1, SIDE, SIDE, CHANNELS), size)
    flat = own.reshape(-1, own.shape[-1])
    mean = flat.mean(axis=0)
    values, vectors = np.linalg.eigh(flat.T @ flat / len(flat) - np.outer(mean, mean))
    count = COMPONENTS[size]
    scores = (flat - mean) @ vectors[:, ::-1][:, :count] / (3 * np.sqrt(values[-1]))
    found = np.pi * (0.5 + 0.5 * np.clip(scores, -1, 1))
    return found.reshape(len(angles), -1), f"image({own.shape[1]}, {own.shape[2]}, {count})"


# -- ridge classifiers -------------------------------------------------------------------------------------------------


def _right(gram: Matrix, classes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether an image, in a fold that is not trained on, gets its class."""
    folds = np.random.default_rng(0).permutation(len(classes)) % FOLDS
    right = np.zeros(len(classes), dtype=bool)
    for fold in range(FOLDS):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        edge = len(train) * 4 // 5
        scores = [
            np.mean(_predicted(gram, classes, train[:edge], train[edge:], ridge) == classes[train[edge:]])
            for ridge in RIDGES
        ]
        best = RIDGES[int(np.argmax(scores))]
        right[test] = _predicted(gram, classes, train, test, best) == classes[test]
    return right


def _predicted(
    gram: Matrix, classes: NDArray[np.int64], train: NDArray[np.intp], test: NDArray[np.intp], ridge: float
) -> NDArray[Any]:
    """The class of the largest of ten ridge regressions on features whose mean over `train` is taken off."""
    from scipy.linalg import solve

    targets = np.where(classes[train, None] == np.arange(10), 1.0, -1.0)
    own, other = gram[np.ix_(train, train)], gram[np.ix_(test, train)]
    mean = own.mean(axis=0)
    other = other - mean - other.mean(axis=1, keepdims=True) + mean.mean()
    own = own - mean - mean[:, None] + mean.mean()
    own[np.diag_indices(len(train))] += ridge * len(train)
    level = targets.mean(axis=0)
    weights = solve(own, targets - level, assume_a="pos", overwrite_a=True, check_finite=False)
    return np.asarray((other @ weights + level).argmax(axis=1))


# -- the network of a skeleton -----------------------------------------------------------------------------------------


class Network:
    """Convolutions, or none, a full layer and a softmax, with relu between them and Gaussian first weights."""

    def __init__(self, sizes: list[int] | None, generator: np.random.Generator) -> None:
        self.size = sizes[1] if sizes else 0
        if sizes:
            windows = (SIDE - sizes[0]) // 2 + 1
            last = (windows - sizes[1]) // 2 + 1
            channels = CHANNELS_OF_A_NODE
            shapes = [(sizes[0] ** 2 * CHANNELS, channels), (sizes[1] ** 2 * channels, channels)]
            shapes += [(last**2 * channels, HIDDEN), (HIDDEN, 10)]
        else:
            shapes = [(DIM, HIDDEN), (HIDDEN, 10)]
        self.weights = [generator.normal(0, np.sqrt(2 / n), (n, m)).astype(np.float32) for n, m in shapes]
        self.offsets = [np.zeros(m, dtype=np.float32) for _, m in shapes]
        self.squares = [np.full(own.shape, 1e-8, dtype=np.float32) for own in (*self.weights, *self.offsets)]

    def forward(self, given: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """What each layer is given, and the scores."""
        inputs = [given]
        for layer, (weights, offsets) in enumerate(zip(self.weights, self.offsets, strict=True)):
            out = inputs[-1] @ weights + offsets
            if layer < len(self.weights) - 1:
                np.maximum(out, 0, out=out)
                if self.size and layer == 0:
                    out = patches(out, self.size)
                elif self.size and layer == 1:
                    out = out.reshape(len(out), -1)
            inputs.append(out)
        return inputs

    def step(self, given: NDArray[np.float32], classes: NDArray[np.int64]) -> None:
        """One step of AdaGrad on the mean log loss."""
        inputs = self.forward(given)
        scores = inputs[-1] - inputs[-1].max(axis=1, keepdims=True)
        slope = np.exp(scores)
        slope /= slope.sum(axis=1, keepdims=True)
        slope[np.arange(len(classes)), classes] -= 1
        slope /= len(classes)
        changes: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = []
        for layer in reversed(range(len(self.weights))):
            own = inputs[layer]
            slope = slope.reshape(*own.shape[:-1], -1)
            flat = slope.reshape(-1, slope.shape[-1])
            changes.append((own.reshape(-1, own.shape[-1]).T @ flat, flat.sum(axis=0)))
            if layer:
                slope = (slope @ self.weights[layer].T) * (own > 0)
                if self.size and layer == 1:
                    slope = self._gathered(slope)
        changes.reverse()
        parameters = [*self.weights, *self.offsets]
        slopes = [*(own for own, _ in changes), *(own for _, own in changes)]
        for parameter, own, squares in zip(parameters, slopes, self.squares, strict=True):
            np.add(squares, own**2, out=squares)
            np.subtract(parameter, RATE * own / np.sqrt(squares), out=parameter)

    def _gathered(self, slope: NDArray[np.float32]) -> NDArray[np.float32]:
        """The slope of what windows were taken from: the sum over the windows that hold a place."""
        n, w = slope.shape[:2]
        own = slope.reshape(n, w, w, CHANNELS_OF_A_NODE, self.size, self.size)
        side = SIDE_OF_WINDOWS[self.weights[0].shape[0]]
        found = np.zeros((n, side, side, CHANNELS_OF_A_NODE), dtype=np.float32)
        for i in range(self.size):
            for j in range(self.size):
                found[:, i : i + 2 * w : 2, j : j + 2 * w : 2] += own[..., i, j]
        return found


SIDE_OF_WINDOWS = {size**2 * CHANNELS: (SIDE - size) // 2 + 1 for size in COMPONENTS}
"""The windows along a side, by the numbers in one."""


def trained(sizes: list[int] | None, data: Images) -> NDArray[np.bool_]:
    """Whether the images after the training images get their class from a trained network."""
    pixels = data.angles.reshape(len(data.angles), SIDE, SIDE, CHANNELS)
    pixels = (pixels - pixels.mean(axis=(1, 2, 3), keepdims=True)) / pixels.std(axis=(1, 2, 3), keepdims=True)
    rows = (patches(pixels, sizes[0]) if sizes else pixels.reshape(len(pixels), -1)).astype(np.float32)
    generator, edge = np.random.default_rng(0), data.n_train
    network = Network(sizes, generator)
    for _ in range(EPOCHS):
        for batch in _batches(generator.permutation(edge)):
            network.step(rows[batch], data.classes[batch])
    rest = range(edge, len(rows), BATCH)
    scores = np.concatenate([network.forward(rows[start : start + BATCH])[-1] for start in rest])
    return np.asarray(scores.argmax(axis=1) == data.classes[edge:])


def _batches(order: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    for start in range(0, len(order), BATCH):
        yield order[start : start + BATCH]


if __name__ == "__main__":
    main()
