"""Linear classifiers on min-max keys and Fourier features, against kernel classifiers: python benchmarks/minmax_svm.py

Li (2017), "Linearized GMM Kernels and Normalized Random Fourier Features": Tables 1 to 3 (test accuracy of SVMs with
the linear, the best radial, and the min-max kernel), Figure 6 (the same for every C), Figures 7 to 9 (linear SVMs on k
keys of b bits and on k normalized Fourier features), Figure 10 (a set too large for kernels) and Figure 11 (time of
training). Printed as tables in Markdown, the paper's values beside ours. As in the paper, γ and C are the best on the
test rows; Fourier features have the γ of the best radial kernel.

What differs
- Rows: at most ROWS training rows and 3,000 for testing. The splits of segment, satimage and ijcnn1 are the paper's (as
  far as the counts tell), all others are random; the table says which.
- Scaling: the paper says "normalized" and no more. The first table has columns as found and columns brought to
  [−1, 1] by the training rows, as LIBSVM has them (--scaling for others: it matters more than anything else here); the
  other tables have the latter. The linear and the radial kernel act on rows divided by their norm, the min-max kernel
  on rows as they are. ijcnn1 is as found.
- Images made from MNIST (Table 3) have C of 1, 10 and 100, γ of 2, 5, 10 and 20, and columns as found.
- Grids: 5 values of C (4 for features) and 7 of γ; the paper has 58 of γ and does not print its C. --full has its γ and
  11 of C; --fine looks at every fifth γ and a few C first, then at the γ about the best, then at all C of the best.
  Added: features with an eighth of the γ that is best for the exact kernel.
- Keys are exact, (i*, t*) hashed to b bits; the paper drops t* and keeps the lowest b bits of i*: `i* alone` is that
  kernel, hashed to 8 bits. Features have rows of
  norm 1 (with bits, up to a constant), so that C means the same for all; binary ones have norm √k.
- sklearn's LinearSVC (LIBLINEAR, squared hinge, tolerance 0.1 as its program) with intercept, and SVC (LIBSVM).
- 3 repetitions up to k = 128, 1 beyond (paper: 10); k up to 256, and 4,096 for sets of few rows.
- Figure 10: ijcnn1 only. Figure 11: 5,000 rows of ijcnn1 for PAMAP105; CPU seconds of one fit.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from minmax_data import IMAGES, PUBLISHED, Rows, file_of, ijcnn1, load_rows, prepared, unit
from numpy.typing import NDArray
from provenance import made_by
from real_data import Scaling
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

import kernelspec as ks
from kernelspec.plotting.figures import INK, distinct_colours, dress, new_figure, save_figure
from kernelspec.samples.keys import GcwsKey


class Grid(NamedTuple):
    """What is searched, and how often."""

    rows: int
    penalties: tuple[float, ...]
    gammas: tuple[float, ...]
    sizes: tuple[int, ...]
    repetitions: int
    scaling: Scaling = "[-1, 1]"
    stride: int = 1
    """Every how many γ are looked at first."""


class Found(NamedTuple):
    """Accuracies (per cent) for every C of the linear, radial and min-max SVM, and the best γ."""

    linear: dict[float, float]
    plain: dict[float, float]
    radial: dict[float, float]
    gamma: float
    minmax: dict[float, float]


HASHED = ("letter", "satimage", "segment", "vowel", "spambase", "magic")
ALL_BITS = ("letter", "satimage")
Mapping = Callable[[NDArray[np.float64]], Any]
Maker = Callable[[int, int, int], Mapping]
"""From the number of columns, k and a seed to a function that makes features of rows."""
Accuracies = dict[tuple[str, int], dict[float, float]]


def main() -> None:
    """Print all tables; write the figures where a folder for them is given."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    parser.add_argument("--figures", type=Path, help="folder to write the three figures to")
    parser.add_argument("--sets", nargs="+", default=list(PUBLISHED), choices=PUBLISHED)
    parser.add_argument("--rows", type=int, help="training rows at most (1500)")
    parser.add_argument(
        "--scaling", default="[-1, 1]", choices=("[-1, 1]", "[0, 1]", "standardised"), help="of columns"
    )
    parser.add_argument("--gamma", type=float, help="of Fourier features; exact kernels are then left out")
    parser.add_argument("--sizes", nargs="+", type=int, help="k")
    parser.add_argument("--only", choices=("linear", "kernels", "features", "large", "times"), help="one part")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--full", action="store_true", help="the paper's rows and γ, k to 4,096, 10 repetitions: hours")
    parser.add_argument("--fine", action="store_true", help="the paper's rows and γ, coarse to fine in γ")
    options = parser.parse_args()
    print(made_by(), end="\n\n")
    warnings.simplefilter("ignore", ConvergenceWarning)
    grid = Grid(1500, (0.1, 1, 10, 100, 1000), (0.1, 1, 5, 20, 60, 120, 200), (16, 32, 64, 128, 256), 3)
    if options.quick:
        grid = Grid(300, (1, 100), (1, 20), (16, 64), 1)
    if options.full or options.fine:
        gammas = (0.001, 0.01, *np.arange(1, 21) / 10, 2.5, *range(3, 21), *range(25, 51, 5), *range(60, 101, 10))
        gammas += (120, 150, 200, 300, 500, 1000)
        penalties = tuple(float(C) for C in np.geomspace(0.01, 1000, 11))
        grid = Grid(25_000, penalties, gammas, (16, 32, 64, 128, 256, 1024, 4096), 10, stride=5 if options.fine else 1)
    grid = grid._replace(scaling=options.scaling)
    if options.rows is not None:
        grid = grid._replace(rows=options.rows)
    if options.sizes is not None:
        grid = grid._replace(sizes=tuple(options.sizes))
    names = [name for name in options.sets if file_of(name, options.data_dir).exists()]
    if options.only == "linear":
        linear_models(names, options.data_dir, grid)
    if options.only in {None, "kernels", "features"}:
        kernels_and_features(options, grid, names)
    if options.only in {None, "large"}:
        large(options.data_dir, grid, quick=options.quick)
    if options.only in {None, "times"}:
        times(options.data_dir, quick=options.quick)


def kernels_and_features(options: argparse.Namespace, grid: Grid, names: Sequence[str]) -> None:
    """Tables 1 and 2 and Figure 6, then Figures 7 to 9."""
    exact = {} if options.gamma else exact_kernels(names, options.data_dir, grid)
    if options.only == "kernels":
        return
    curves = {}
    for name in HASHED:
        if name in names:
            data = prepared(load_rows(name, options.data_dir, grid.rows), grid.scaling)
            more = (1024, 4096) if len(data.X) < 300 and not options.quick and not options.full else ()
            own = grid._replace(sizes=(*grid.sizes, *more), penalties=grid.penalties[: None if options.full else 4])
            curves[name] = hashed(name, data, options.gamma or exact[name].gamma, own, full=options.full)
    if options.figures is not None and exact.keys() >= curves.keys() >= set(HASHED):
        for number, some in enumerate((HASHED[:2], HASHED[2:4], HASHED[4:]), start=1):
            draw({name: curves[name] for name in some}, exact, options.figures / f"minmax_svm_{number}.png")


# -- exact kernels -------------------------------------------------------------------------------------------------


def exact_kernels(names: Sequence[str], folder: Path, grid: Grid) -> dict[str, Found]:
    """Print Tables 1 and 2 for these sets, and Figure 6; the results for scaled columns."""
    print(
        "| set | rows | columns | linear (no intercept) | radial (γ) | min-max | split |\n|---|---|---|---|---|---|---|"
    )
    exact = {name: kernel_table(name, folder, grid) for name in names}
    print("\n| accuracy for C = " + " | ".join(f"{C:g}" for C in grid.penalties) + " |")
    print("|---" * (1 + len(grid.penalties)) + "|")
    for name, found in exact.items():
        for kind, by_penalty in (("linear", found.linear), ("radial", found.radial), ("min-max", found.minmax)):
            print(
                f"| {name}, {kind} | "
                + " | ".join(f"{by_penalty[C]:.1f}" if C in by_penalty else "" for C in grid.penalties)
                + " |"
            )
    return exact


def kernel_table(name: str, folder: Path, grid: Grid) -> Found:
    """One line of Tables 1 and 2 for both scalings; the result for scaled columns."""
    data, paper = load_rows(name, folder, grid.rows), PUBLISHED[name]
    print(
        f"| {name}, paper | {paper.n_train:,} / {paper.n_test:,} | | {paper.linear} | {paper.radial} ({paper.gamma:g}) "
        f"| {paper.minmax} | |"
    )
    scalings: tuple[Scaling, ...] = ("as found", grid.scaling)
    if name in IMAGES:
        grid, scalings = grid._replace(penalties=(1, 10, 100), gammas=(2, 5, 10, 20), stride=1), ("as found",)
    for scaling in scalings:
        rows = prepared(data, scaling)
        found = kernels(rows, grid)
        best = [max(by_penalty.values()) for by_penalty in (found.linear, found.plain, found.radial, found.minmax)]
        print(
            f"| {name} | {len(rows.X):,} / {len(rows.X_test):,} | {scaling} | {best[0]:.2f} ({best[1]:.2f}) "
            f"| {best[2]:.2f} ({found.gamma:g}) | {best[3]:.2f} | {data.split_of} |",
            flush=True,
        )
    return found


def linear_models(names: Sequence[str], folder: Path, grid: Grid) -> None:
    """The linear columns of Tables 1 to 3 alone, with and without intercept."""
    print("| set | found | without intercept | scaled | without intercept | paper |\n|---|---|---|---|---|---|")
    for name in names:
        data, cells = load_rows(name, folder, grid.rows), []
        for rows in (data, prepared(data, grid.scaling)):
            cells += [f"{max(by_penalty.values()):.1f}" for by_penalty in linear_accuracies(rows, grid)]
        print(f"| {name} | {' | '.join(cells)} | {PUBLISHED[name].linear} |", flush=True)


def linear_accuracies(data: Rows, grid: Grid) -> list[dict[float, float]]:
    """For every C, with and without intercept."""
    X, X_test = unit(data.X), unit(data.X_test)
    return [
        {C: linear_svm(X, data.y, X_test, data.y_test, C, intercept=intercept)[0] for C in grid.penalties}
        for intercept in (True, False)
    ]


def kernels(data: Rows, grid: Grid) -> Found:
    """Accuracies of the SVMs with linear, radial and min-max kernel."""
    X, X_test = unit(data.X), unit(data.X_test)
    linear, plain = linear_accuracies(data, grid)
    gamma, radial = radial_accuracies(X @ X.T, X_test @ X.T, data, grid)
    spec = ks.parse("minmax()")
    minmax = kernel_svm(spec.gram(data.X), spec.gram(data.X_test, data.X), data, grid)
    return Found(linear, plain, radial, gamma, minmax)


def radial_accuracies(
    cosine: NDArray[Any], cosine_test: NDArray[Any], data: Rows, grid: Grid
) -> tuple[float, dict[float, float]]:
    """The best γ, and the accuracy for every C: of the best of all γ, coarse to fine of those that were looked at."""

    def at(gamma: float, penalties: Sequence[float]) -> dict[float, float]:
        K, K_test = np.exp(gamma * (cosine - 1)), np.exp(gamma * (cosine_test - 1))
        return kernel_svm(K, K_test, data, grid._replace(penalties=tuple(penalties)))

    def best() -> float:
        return max(found, key=lambda gamma: max(found[gamma].values()))

    gammas, stride = grid.gammas, grid.stride
    first = grid.penalties if stride == 1 else [C for C in grid.penalties if C >= 1][::2]
    found = {gamma: at(gamma, first) for gamma in gammas[::stride]}
    middle = gammas.index(best())
    for gamma in gammas[max(0, middle - stride + 1) : middle + stride]:
        if gamma not in found:
            found[gamma] = at(gamma, first)
    gamma = best()
    found[gamma] |= at(gamma, [C for C in grid.penalties if C not in found[gamma]])
    return gamma, {C: max(own[C] for own in found.values() if C in own) for C in grid.penalties}


def kernel_svm(K: NDArray[Any], K_test: NDArray[Any], data: Rows, grid: Grid) -> dict[float, float]:
    """Accuracy in per cent for every C."""
    found = {}
    for C in grid.penalties:
        model = SVC(C=C, kernel="precomputed").fit(K, data.y)
        found[C] = 100 * float(model.score(K_test, data.y_test))
    return found


def linear_svm(X: Any, y: Any, X_test: Any, y_test: Any, C: float, *, intercept: bool = True) -> tuple[float, float]:
    """Accuracy in per cent, and CPU seconds of training."""
    model = LinearSVC(C=C, tol=0.1, dual=True, fit_intercept=intercept, random_state=0)
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    return 100 * float(model.score(X_test, y_test)), seconds


# -- features ------------------------------------------------------------------------------------------------------


def mappings(bits: Sequence[int], gamma: float) -> dict[str, Maker]:
    """The kinds of features that are compared."""

    def keys(b: int) -> Maker:
        return lambda dim, k, seed: partial(
            features, ks.compile("minmax()", dim, k, seed=seed, method="gcws", keys="bits", bits=b)
        )

    def normalized(dim: int, k: int, seed: int) -> Mapping:
        return partial(
            features, ks.compile(radial, dim, k, seed=seed, method="phase", published=ks.Published(normalized=True))
        )

    def paired(dim: int, k: int, seed: int) -> Mapping:
        return partial(features, ks.compile(radial, dim, k, seed=seed, method="paired"))

    radial = f"rbf_cosine(gamma={gamma})"
    return {f"keys, b = {b}": keys(b) for b in bits} | {"normalized": normalized, "cosine and sine": paired}


def coordinates_alone(dim: int, k: int, seed: int) -> Mapping:
    """Features of 8 bits of i*: only near the min-max kernel, and therefore no method of the language."""
    words = np.random.default_rng(seed).integers(2**63, size=k, dtype=np.uint64)
    key = GcwsKey(words, tuple(range(dim)), zero_bit=True)
    layout = ks.compile("minmax()", dim, 1).plan.layout

    def made(X: NDArray[np.float64]) -> csr_matrix:
        keys = key.keys(layout.read(X)) & np.uint64(255)
        columns = keys.astype(np.int32) + 256 * np.arange(k, dtype=np.int32)
        pointers = np.arange(0, len(X) * k + 1, k, dtype=np.int32)
        return csr_matrix((np.full(columns.size, k**-0.5), columns.ravel(), pointers), (len(X), 256 * k))

    return made


def features(feature_map: ks.FeatureMap, X: NDArray[np.float64]) -> Any:
    """Features without the constant column of the maps with bits, which an intercept replaces."""
    if not feature_map.is_sparse:
        kept = np.linalg.norm(X, axis=1) > 0
        Z = np.zeros((len(X), feature_map.n_columns))  # a row of zeros has no direction
        Z[kept] = feature_map.transform(X[kept])
        return Z
    return feature_map.left(X)[:, feature_map.signs > 0]


def hashed(name: str, data: Rows, gamma: float, grid: Grid, *, full: bool) -> Accuracies:
    """Accuracies for every kind of features, k and C; prints the best over C."""
    start = time.process_time()
    sizes = grid.sizes
    kinds = mappings((1, 2, 4, 8) if name in ALL_BITS or full else (8,), gamma)
    kinds["i* alone, b = 8"] = coordinates_alone
    kinds[f"normalized, γ = {gamma / 8:g}"] = mappings((), gamma / 8)["normalized"]
    found: Accuracies = {}
    for k in sizes:
        for kind, make in kinds.items():
            repetitions = grid.repetitions if k <= 128 or full else 1
            found[kind, k] = dict.fromkeys(grid.penalties, 0.0)
            for seed in range(repetitions):
                mapping = make(data.X.shape[1], k, seed)
                Z, Z_test = mapping(data.X), mapping(data.X_test)
                for C in grid.penalties:
                    found[kind, k][C] += linear_svm(Z, data.y, Z_test, data.y_test, C)[0] / repetitions
    print(f"\n| {name}, γ = {gamma:g} | " + " | ".join(f"k = {k:,}" for k in sizes) + " |")
    print("|---" * (1 + len(sizes)) + "|")
    for kind in kinds:
        best = [max(found[kind, k].items(), key=lambda item: item[1]) for k in sizes]
        print(f"| {kind} | " + " | ".join(f"{value:.1f} (C {C:g})" for C, value in best) + " |", flush=True)
    print(f"({time.process_time() - start:.0f} s)")
    return found


def large(folder: Path, grid: Grid, *, quick: bool) -> None:
    """Figure 10 on ijcnn1, the split of the paper; with two γ."""
    data = ijcnn1(folder, 2000 if quick else None)
    if data is None:
        return
    linear = max(linear_svm(data.X, data.y, data.X_test, data.y_test, C)[0] for C in grid.penalties[:4])
    norm = max(linear_svm(unit(data.X), data.y, unit(data.X_test), data.y_test, C)[0] for C in grid.penalties[:4])
    print(f"\nijcnn1, {len(data.X):,} / {len(data.X_test):,} rows: linear {linear:.2f}, unit {norm:.2f} (paper 92.56)")
    print("| k | kind | accuracy (C) | CPU seconds of the fit |\n|---|---|---|---|")
    for k in (64,) if quick else (64, 256):
        for label, gamma in (
            ("keys, b = 8", 1.0),
            *(("normalized", g) for g in (0.5, 2.0)),
            ("cosine and sine", 2.0),
        ):
            mapping = mappings((8,), gamma)[label](data.X.shape[1], k, 0)
            Z, Z_test = mapping(data.X), mapping(data.X_test)
            runs = {C: linear_svm(Z, data.y, Z_test, data.y_test, C) for C in (1, 10)}
            C, (accuracy, seconds) = max(runs.items(), key=lambda item: item[1][0])
            told = "" if label.startswith("keys") else f", γ = {gamma:g}"
            print(f"| {k} | {label}{told} | {accuracy:.2f} ({C:g}) | {seconds:.1f} |", flush=True)


def times(folder: Path, *, quick: bool) -> None:
    """Figure 11: CPU seconds of training against k, b and C."""
    data = ijcnn1(folder, 500 if quick else 5000)
    if data is None:
        return
    sizes = (128, 256) if quick else (128, 256, 512, 1024)
    penalties = (1.0, 10.0, 100.0)
    print(
        f"\n| CPU seconds of a fit, {len(data.X):,} rows of ijcnn1 | C | "
        + " | ".join(f"k = {k:,}" for k in sizes)
        + " |"
    )
    print("|---" * (2 + len(sizes)) + "|")
    for kind, make in mappings((4, 8), 2.0).items():
        seconds: dict[float, list[str]] = {C: [] for C in penalties}
        for k in sizes:
            mapping = make(data.X.shape[1], k, 0)
            Z, Z_test = mapping(data.X), mapping(data.X_test)
            for C in penalties:
                accuracy, spent = linear_svm(Z, data.y, Z_test, data.y_test, C)
                seconds[C].append(f"{spent:.2f} ({accuracy:.1f})")
        for C, shown in seconds.items():
            print(f"| {kind} | {C:g} | " + " | ".join(shown) + " |", flush=True)


# -- figures -------------------------------------------------------------------------------------------------------


def draw(curves: dict[str, Accuracies], exact: dict[str, Found], path: Path) -> None:
    """Accuracy against k, the best over C; dashed: the exact kernels; dotted: linear."""
    kinds = ("keys, b = 8", "normalized", "cosine and sine")
    colours = distinct_colours(3)
    figure = new_figure(
        len(curves),
        [
            "min-max keys, 8 bits (dashed: the kernel)",
            "normalized Fourier (dashed: the kernel)",
            "cosine and sine",
            "linear (dotted)",
        ],
        [*colours, INK],
    )
    for axes, (name, found) in zip(figure.axes, curves.items(), strict=True):
        for kind, colour in zip(kinds, colours, strict=True):
            best = {k: max(by_penalty.values()) for (own, k), by_penalty in found.items() if own == kind}
            axes.plot(list(best), list(best.values()), "o-", color=colour, linewidth=1.6, markersize=4)
        dashes = (0, (4, 2))
        axes.axhline(max(exact[name].minmax.values()), color=colours[0], linewidth=1.2, linestyle=dashes)
        axes.axhline(max(exact[name].radial.values()), color=colours[1], linewidth=1.2, linestyle=dashes)
        axes.axhline(max(exact[name].linear.values()), color=INK, linewidth=1.2, linestyle=":")
        axes.set_xscale("log")
        dress(axes, name, "samples or columns k", "test accuracy, %")
        axes.set_xticks(list(best), [str(k) for k in best])
        axes.minorticks_off()
    save_figure(figure, path)


if __name__ == "__main__":
    main()
