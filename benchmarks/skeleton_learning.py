"""Linear classifiers on skeleton features: benchmarks/skeleton_learning.py [--maps N] [--columns N …] [--quick]

Daniely, Frostig, Gupta and Singer (2017), Table 1: two convolutions, 4 × 4 then 5 × 5 or 6 × 6 twice, stride 2, and a
full layer, against a full layer alone; all relu. Features of 24 × 24 crops of CIFAR-10, centred; a ridge classifier for
ten classes, its ridge chosen on a fifth of the training images. All 5,000 images are predicted, in five folds of 4,000
to train, so that two skeletons are compared on the same images: the difference of their accuracies, and its standard
error from the differences image by image, averaged over maps. The paper: 10⁶ features, 50,000 images, random crops,
flips and changes of light, whitened images, patches reduced to their principal components. None of these is here.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from cifar import DIM, PIXELS, Images, convolutions, images
from numpy.typing import NDArray
from provenance import made_by

import kernelspec as ks

ARCHITECTURES = {
    "4,5": f"full(relu, input={convolutions(('relu', 4), ('relu', 5))})",
    "6,6": f"full(relu, input={convolutions(('relu', 6), ('relu', 6))})",
    "full": f"full(relu, input={PIXELS})",
}
PAPER = {"4,5": 72.88, "6,6": 72.25, "full": 60.01}
RIDGES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
"""As shares of the number of images, with features whose squares sum to about 1."""
FOLDS = 5
PART = 10_000
"""Columns asked for at a time: more of them are several independent maps, side by side."""

Matrix = NDArray[np.float64]


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    parser.add_argument("--maps", type=int, default=3, help="independent maps of every skeleton")
    parser.add_argument("--columns", type=int, nargs="+", default=[10_000, 30_000, 100_000])
    parser.add_argument("--quick", action="store_true", help="one map of 1,000 columns, 1,000 images")
    options = parser.parse_args()
    print(made_by(), end="\n\n")
    data = images(options.data_dir)
    if options.quick:
        options.maps, options.columns = 1, [1000]
        data = Images(data.angles[-1000:], data.classes[-1000:], 800)
    right = {name: _right(text, data, options.columns, options.maps) for name, text in ARCHITECTURES.items()}
    print(f"\n### Ridge classifiers, {len(data.classes):,} images in {FOLDS} folds, {options.maps} maps\n")
    print("| skeleton | columns | accuracy, % (maps) | mean | above full, in standard errors | paper, its setting |")
    print("|---|---|---|---|---|---|")
    for name in ARCHITECTURES:
        for columns in options.columns:
            own, full = right[name][columns], right["full"][columns]
            shown = ", ".join(f"{100 * one.mean():.1f}" for one in own)
            apart = (own - full).mean(axis=0)
            difference, error = 100 * apart.mean(), 100 * apart.std(ddof=1) / np.sqrt(len(apart))
            lead = "" if name == "full" else f"{difference:.1f} ± {error:.1f} ({difference / error:.1f})"
            print(f"| {name} | {columns:,} | {shown} | {100 * own.mean():.1f} | {lead} | {PAPER[name]} |")


def _right(text: str, data: Images, columns: list[int], n_maps: int) -> dict[int, NDArray[np.float64]]:
    """For every number of columns whether images were classified rightly, (maps, images)."""
    found: dict[int, list[NDArray[np.float64]]] = {most: [] for most in columns}
    for number in range(n_maps):
        gram, stored, start = np.zeros((len(data.angles),) * 2, dtype=np.float32), 0, time.process_time()
        for part in range(max(1, max(columns) // PART)):
            fmap = ks.compile(text, DIM, min(PART, max(columns)), seed=number * 1000 + part)
            features = np.asarray(fmap.transform(data.angles.astype(np.float32)))
            gram += features @ features.T
            stored += fmap.n_columns
            if (part + 1) * PART in columns or max(columns) < PART:
                asked = min((part + 1) * PART, max(columns))
                found[asked].append(_classified(gram.astype(np.float64) / (part + 1), data.classes))
                seconds = time.process_time() - start
                print(f"  {text}: {asked:,} columns asked for, {stored:,} stored, {seconds:.0f} s", flush=True)
    return {most: np.stack(each) for most, each in found.items()}


def _classified(gram: Matrix, classes: NDArray[np.int64]) -> NDArray[np.float64]:
    """1 where an image, in a fold that is not trained on, gets its class."""
    folds = np.random.default_rng(0).permutation(len(classes)) % FOLDS
    right = np.zeros(len(classes))
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


if __name__ == "__main__":
    main()
