"""Skeleton features against NumPy, on crops of CIFAR-10: python benchmarks/skeleton.py [ROUNDS] [--data-dir FOLDER]

10,000 features of deep skeletons over 24 × 24 × 3 circles on 20,000 images, float32, cosine and sine. NumPy gathers the
columns of every factor and multiplies, `np.multiply.reduceat` of e^{iωx}; or adds, `np.add.reduceat` of ωx before one
cosine and one sine, which is what a reader of the algebra would write. "varying" features are given that they are not
constant, as the plan takes them. Both are timed on fewer rows, in blocks that fit into the cache, and scaled. Neither
side merges equal features, so that both compute the same numbers; what merging saves is shown beside. A value v of a
pixel is the angle πv/255. Without the data, rows are random.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from provenance import made_by
from scipy.sparse import csr_array
from timing import medians, shown

import kernelspec as ks
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.laws.compositional.skeleton import SkeletonLaw
from kernelspec.laws.rules import law_of
from kernelspec.maps.dense import DenseFeatures
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Phasors
from kernelspec.tables.rows import Rows

_ROWS, _FEATURES, _DIM, _BATCH = 20_000, 10_000, 24 * 24 * 3, 2000
_NUMPY_ROWS, _NUMPY_BLOCK = 500, 50
_GOAL, _DRAWING_SECONDS, _GRAM_SECONDS = 10, 2.0, 5.0
_DEEP = """
let pixels = image(24, 24, 3{base})
full(relu, input=conv(relu, size=4, stride=2, input=conv({first}, size=5, stride=2, input=pixels)))
"""
CASES = {
    "deep, exp(1/4)": _DEEP.format(first="exp(c=1/4)", base=""),
    "deep, relu": _DEEP.format(first="relu", base=""),
    "deep, exp(4)": _DEEP.format(first="exp(c=4)", base=""),
    "deep, exp(4), Gaussian": _DEEP.format(first="exp(c=4)", base=", base=gaussian()"),
}


def main() -> None:
    """Print one line per case; exit with 1 if the ratio, the drawing or the Gram matrix misses its goal."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int, nargs="?", default=5)
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    options = parser.parse_args()
    print(made_by(), end="\n\n")
    X = _crops(options.data_dir)
    heads = ("case", 34), ("factors", 9), ("draw s", 8), ("multiply s", 17), ("add s", 17), ("ours s", 17), ("ratio", 8)
    print("".join(f"{head:<{width}}" for head, width in heads) + "(add)")
    passed = [
        _compare(f"{name}{', varying' * varying}", ks.parse(text), X, options.rounds, varying)
        for name, text in CASES.items()
        for varying in (False, True)
    ]
    start = time.perf_counter()
    ks.parse(CASES["deep, exp(1/4)"]).gram(X[:128])
    gram = time.perf_counter() - start
    print(f"exact kernel matrix of 128 images: {gram:.2f} s (limit {_GRAM_SECONDS:g})")
    sys.exit(0 if all(passed) and gram < _GRAM_SECONDS else 1)


def _crops(folder: Path) -> np.ndarray:
    """Random crops as angles, (rows, columns), float32."""
    generator = np.random.default_rng(0)
    path = folder / "cifar10_4k_1k.npz"
    if not path.exists():
        print("no CIFAR-10 found: random rows")
        return (generator.random((_ROWS, _DIM), dtype=np.float32) * np.float32(np.pi)).astype(np.float32)
    images = np.load(path)["X"]
    X = np.empty((_ROWS, _DIM), dtype=np.float32)
    corners = generator.integers(0, 9, (_ROWS, 2))
    for i, (row, column) in enumerate(corners):
        crop = images[i % len(images), row : row + 24, column : column + 24]
        X[i] = crop.ravel() * np.float32(np.pi / 255)
    return X


def drawn(spec: ks.Spec, varying: bool) -> tuple[DenseFeatures, Gathered]:
    """10,000 features, and the same in NumPy; equal ones are not merged."""
    kernel = spec.kernel(spec.columns(_DIM))
    assert isinstance(kernel, Skeleton)
    law = law_of(kernel)
    assert isinstance(law, SkeletonLaw)
    whole, *constant = replace(law, varying=varying).draw(Stream(0), _FEATURES, tuple(range(_DIM)))
    n_constant = sum(map(len, constant))
    assert whole.phasors is not None
    matrix = whole.phasors.frequencies
    assert isinstance(matrix, csr_array)
    phasors = Phasors.symmetric(whole.phasors.columns, matrix)
    padded = Phasors.join([phasors, Phasors.symmetric((), np.zeros((n_constant, 0)))])
    ones, zeros = np.ones(_FEATURES), np.zeros(_FEATURES)
    return DenseFeatures(padded, ones, ones, zeros, n_real=n_constant), Gathered(matrix, n_constant)


def _compare(name: str, spec: ks.Spec, X: np.ndarray, rounds: int, varying: bool) -> bool:
    start = time.perf_counter()
    features, gathered = drawn(spec, varying)
    drawing = time.perf_counter() - start
    matrix, n = gathered.matrix, gathered.matrix.shape[0]
    columns, float32 = features.n_columns("paired"), np.dtype(np.float32)
    out = np.zeros((_BATCH, columns), dtype=np.float32)
    fmap = ks.compile(spec, _DIM, 2 * _FEATURES, method="varying" if varying else "paired")
    merged = np.zeros((_BATCH, fmap.n_columns), dtype=np.float32)
    small = np.zeros((_NUMPY_ROWS, columns), dtype=np.float32)

    def ours() -> None:
        for first in range(0, _ROWS, _BATCH):
            features.evaluate(Rows(X[first : first + _BATCH]), "left", "paired", float32, out)

    def with_merging() -> None:
        for first in range(0, _ROWS, _BATCH):
            fmap.transform(X[first : first + _BATCH], out=merged)

    seconds = medians(
        {
            "multiply": lambda: gathered.multiply(X[:_NUMPY_ROWS], small),
            "add": lambda: gathered.add(X[:_NUMPY_ROWS], small),
            "ours": ours,
            "merged": with_merging,
        },
        rounds,
    )
    features.evaluate(Rows(X[:_NUMPY_ROWS]), "left", "paired", float32, small)
    error = max(_distance(gathered.multiply, X, small), _distance(gathered.add, X, small))
    scale = _ROWS / _NUMPY_ROWS
    for variant in ("multiply", "add"):
        seconds[variant] = [value * scale for value in seconds[variant]]
    median = {variant: statistics.median(values) for variant, values in seconds.items()}
    ratios = median["multiply"] / median["ours"], median["add"] / median["ours"]
    cells = "  ".join(f"{shown(seconds[variant], 1):<15}" for variant in ("multiply", "add", "ours"))
    print(f"{name:<34}{matrix.nnz / _FEATURES:<9.3g}{drawing:<8.2f}{cells}  {ratios[0]:<6.1f} ({ratios[1]:.1f})")
    print(
        f"  {n} of {_FEATURES} features are not constant; largest difference from NumPy {error:.1e}; "
        f"equal ones merged: {fmap.n_merged} fewer, {fmap.n_columns} columns, {shown(seconds['merged'], 1)} s"
    )
    return ratios[0] >= _GOAL and drawing < _DRAWING_SECONDS


class Gathered:
    """The features in plain NumPy, block by block; those without factors are constant columns at the end."""

    def __init__(self, matrix: csr_array, n_constant: int) -> None:
        met = np.flatnonzero(np.diff(matrix.indptr))  # reduceat has no empty runs
        self.matrix, self.met, self.n, self.n_constant = matrix, met, matrix.shape[0], n_constant
        self.starts = matrix.indptr[:-1][met]
        self.columns, self.rates = matrix.indices, {kind: matrix.data.astype(kind) for kind in ("float32", "float64")}

    def multiply(self, X: np.ndarray, out: np.ndarray) -> None:
        """∏ e^{iωx} over the factors."""
        for part, block in self._blocks(X, out):
            z = np.multiply.reduceat(
                np.exp(1j * (block[:, self.columns] * self.rates[X.dtype.name])), self.starts, axis=1
            )
            self._write(z.real, z.imag, part)

    def add(self, X: np.ndarray, out: np.ndarray) -> None:
        """cos and sin of Σ ωx."""
        for part, block in self._blocks(X, out):
            angle = np.add.reduceat(block[:, self.columns] * self.rates[X.dtype.name], self.starts, axis=1)
            self._write(np.cos(angle), np.sin(angle), part)

    def _blocks(self, X: np.ndarray, out: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        edges = range(0, len(X), _NUMPY_BLOCK)
        return [(out[i : i + _NUMPY_BLOCK], X[i : i + _NUMPY_BLOCK]) for i in edges]

    def _write(self, cosines: np.ndarray, sines: np.ndarray, part: np.ndarray) -> None:
        n = self.n
        if len(self.met) == n:
            part[:, :n], part[:, n : 2 * n] = cosines, sines
        else:
            part[:, :n], part[:, n : 2 * n] = 1, 0
            part[:, self.met], part[:, n + self.met] = cosines, sines
        part[:, 2 * n :] = 1


def _distance(write: object, X: np.ndarray, expected: np.ndarray) -> float:
    found = np.empty_like(expected)
    write(X[: len(expected)], found)  # type: ignore[operator]
    return float(np.abs(found - expected).max())


if __name__ == "__main__":
    main()
