"""Experiments on compositional kernels: benchmarks/skeleton_figures.py [--only PART] [--figures FOLDER] [--quick]

Daniely, Frostig, Gupta and Singer (2017), Figures 3 and 4 and Table 1, on crops of 24 × 24 pixels of CIFAR-10. A value
v of a pixel is the angle πv/255 on its circle, so that base kernels are cos(θ − θ'); the paper leaves the map from a
pixel to the circle open.

cooccurrence  P(a feature uses pixel p | it uses q) for four pixels q and four skeletons, all relu: flat, and with one,
              two and three convolutions. The paper does not give their windows: here 5 × 5, 4 × 4 and 2 × 2, stride 2.
error         k̂ − k over all pairs of 128 random images, each batch with a map of its own. The budget is the number of
              columns that a map stores: cosines and sines of features without doubles, so that many more are drawn. The
              baseline has no doubles. In the shallow setting it is Rahimi and Recht's on the points (cos θ, sin θ) of
              the N circles: e^{(mean cos − 1)/4} is gaussian(scale=2√N) of these. In the deep setting paths are drawn
              down to the first convolution, and each window met m times has the frequency √m w, w normal on its points.
learning      Ridge classifier on 10⁴ stored columns, trained on 4,000 images, tested on 1,000, cropped at the centre.
              The paper: 10⁶ features, 50,000 images, random crops, flips and changes of light, whitened images, and
              patches reduced to their principal components. None of these is here.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import kernelspec as ks
from kernelspec.cooccurrence import cooccurrence, skeleton_of
from kernelspec.features.skeleton_paths import draw_paths
from kernelspec.figures import INK, distinct_colours, dress, save_figure
from kernelspec.streams import Stream

SIDE, CHANNELS, BATCH = 24, 3, 128
DIM = SIDE * SIDE * CHANNELS
PIXELS = f"image({SIDE}, {SIDE}, {CHANNELS})"
ONE = f"conv(relu, size=5, stride=2, input={PIXELS})"
TWO = f"conv(relu, size=4, stride=2, input={ONE})"
NETS = {
    "flat": f"full(relu, input={PIXELS})",
    "one convolution": f"full(relu, input={ONE})",
    "two convolutions": f"full(relu, input={TWO})",
    "three convolutions": f"full(relu, input=conv(relu, size=2, stride=2, input={TWO}))",
}
SEEN = ((12, 12), (6, 6), (6, 17), (18, 10))
SETTINGS = {
    "shallow": f"full(exp(c=1/4), input={PIXELS})",
    "deep": f"full(relu, input=conv(relu, size=4, stride=2, input=conv(exp(c=1/4), size=5, stride=2, input={PIXELS})))",
}
BUDGETS = tuple(2**i for i in range(6, 17))
MEASURES = ("mean absolute", "root mean square", "maximum", "1 − correlation")
ARCHITECTURES = {
    f"{first},{second}": f"full(relu, input=conv(relu, size={second}, stride=2, input="
    f"conv(relu, size={first}, stride=2, input={PIXELS})))"
    for first, second in ((4, 5), (6, 6))
} | {"Full": NETS["flat"]}
PAPER = {"4,5": 72.88, "6,6": 72.25, "Full": 60.01}
RIDGES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
"""As shares of the number of images, with features whose squares sum to about 1."""
_TOGETHER = 4096

Matrix = NDArray[np.float64]


class Images(NamedTuple):
    """Angles of crops at the centre, (images, columns), their classes, and how many are for training."""

    angles: Matrix
    classes: NDArray[np.int64]
    n_train: int


def main() -> None:
    """Print tables in Markdown, and draw the figures into a folder if it is given."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=("cooccurrence", "error", "learning"), help="one part, all if not given")
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    parser.add_argument("--figures", type=Path, help="folder for cooccurrence.png and skeleton_error.png")
    parser.add_argument("--features", type=int, default=500_000, help="features of the co-occurrence")
    parser.add_argument("--batches", type=int, default=3, help="batches of the errors; the paper has ten")
    parser.add_argument("--largest", type=int, default=BUDGETS[-1], help="largest budget of the errors")
    parser.add_argument("--maps", type=int, default=3, help="maps of every skeleton that learns")
    parser.add_argument("--quick", action="store_true", help="fewer features, batches, budgets and images")
    options = parser.parse_args()
    if options.quick:
        options.features, options.batches, options.largest, options.maps = 20_000, 1, 1024, 1
    if options.only in (None, "cooccurrence"):
        show_cooccurrence(options.features, options.figures)
    if options.only in (None, "error"):
        budgets = [budget for budget in BUDGETS if budget <= options.largest]
        show_errors(images(options.data_dir), options.batches, budgets, options.figures)
    if options.only in (None, "learning"):
        show_learning(images(options.data_dir), 1000 if options.quick else 10_000, options.maps)


def images(folder: Path) -> Images:
    """The subset of CIFAR-10. Raises FileNotFoundError."""
    with np.load(folder / "cifar10_4k_1k.npz", allow_pickle=False) as file:
        X, y, n_train = file["X"], file["y"], int(file["n_train"])
    edge = (X.shape[1] - SIDE) // 2
    crops = X[:, edge : edge + SIDE, edge : edge + SIDE]
    return Images(crops.reshape(len(X), -1) * (np.pi / 255), y.astype(np.int64), n_train)


# -- which pixels occur together -------------------------------------------------------------------------------------


def show_cooccurrence(n_features: int, folder: Path | None) -> None:
    """By how far pixels are from each other, and the images."""
    print(f"\n### Co-occurrence of pixels, {n_features:,} features\n")
    print(
        "| skeleton | features with the pixel 12,12 | also its neighbour | also 3 further | also 10 further | seconds |"
    )
    print("|---|---|---|---|---|---|")
    found = {}
    for name, text in NETS.items():
        start = time.process_time()
        found[name] = cooccurrence(ks.parse(text), SEEN, n_features)
        seconds = time.process_time() - start
        centre = found[name][0]
        shares = [_ring(centre.conditional, centre.pixel, distance) for distance in (1, 3, 10)]
        cells = " | ".join(f"{share:.4f}" for share in shares)
        print(f"| {name} | {centre.used[centre.pixel]:,} | {cells} | {seconds:.1f} |", flush=True)
    if folder is not None:
        _draw_cooccurrence({name: [each.conditional for each in row] for name, row in found.items()}, folder)


def _ring(values: Matrix, pixel: tuple[int, int], distance: int) -> float:
    """The mean over the pixels whose row or column, whichever is further, is so far away."""
    rows, columns = np.indices(values.shape)
    return float(values[np.maximum(abs(rows - pixel[0]), abs(columns - pixel[1])) == distance].mean())


def _draw_cooccurrence(found: dict[str, list[Matrix]], folder: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 6.3), dpi=120, layout="constrained", facecolor="white")
    panels = figure.subplots(len(found), len(SEEN), squeeze=False)
    for row, (name, shares) in zip(panels, found.items(), strict=True):
        others = [np.where(_only(pixel), np.nan, one) for pixel, one in zip(SEEN, shares, strict=True)]
        most = max(float(np.nanmax(one)) for one in others)
        for axes, pixel, one in zip(row, SEEN, others, strict=True):
            shown = axes.imshow(one, cmap="viridis", vmin=0, vmax=most, interpolation="nearest")
            axes.fill_between([pixel[1] - 0.5, pixel[1] + 0.5], pixel[0] - 0.5, pixel[0] + 0.5, color="#D55E00", lw=0)
            axes.set(xticks=[], yticks=[])
            for spine in axes.spines.values():
                spine.set_visible(False)
        row[0].set_ylabel(name, fontsize=9, color=INK)
        bar: Any = figure.colorbar(shown, ax=list(row), shrink=0.85, pad=0.02)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=8, colors=INK, length=2, width=0.6)
    figure.suptitle("Share of the features with the orange pixel that have another, too", fontsize=10.5, color=INK)
    save_figure(figure, folder / "cooccurrence.png")


def _only(pixel: tuple[int, int]) -> NDArray[np.bool_]:
    marked = np.zeros((SIDE, SIDE), dtype=bool)
    marked[pixel] = True
    return marked


# -- errors of the approximation -------------------------------------------------------------------------------------


def show_errors(data: Images, batches: int, budgets: Sequence[int], folder: Path | None) -> None:
    """Errors of both maps for every setting and budget, pooled over batches as in the paper."""
    print(f"\n### Errors of approximate kernels, {batches} batches of {BATCH} images\n")
    print(
        "| setting | budget | RFS columns asked for | RFS columns stored |",
        " | ".join(f"{m}: RFS | baseline" for m in MEASURES),
        "|",
    )
    print("|" + "---|" * (4 + 2 * len(MEASURES)))
    curves: dict[str, dict[str, list[list[float]]]] = {}
    for setting, text in SETTINGS.items():
        spec = ks.parse(text)
        chosen = [
            data.angles[np.random.default_rng(batch).choice(data.n_train, BATCH, replace=False)]
            for batch in range(batches)
        ]
        exact = np.stack([spec.gram(X) for X in chosen])
        curves[setting] = {"RFS": [], "baseline": []}
        draws = float(budgets[0])
        for budget in budgets:
            draws, columns = _draws(spec, budget, draws * 2)
            ours = np.stack([ks.compile(spec, DIM, int(draws), seed).approximate(X) for seed, X in enumerate(chosen)])
            theirs = np.stack([_baseline(setting, X, budget, seed) for seed, X in enumerate(chosen)])
            pair = [_measured(ours, exact), _measured(theirs, exact)]
            curves[setting]["RFS"].append(pair[0])
            curves[setting]["baseline"].append(pair[1])
            cells = " | ".join(f"{a:.3g} | {b:.3g}" for a, b in zip(*pair, strict=True))
            print(f"| {setting} | {budget} | {int(draws)} | {columns} | {cells} |", flush=True)
    if folder is not None:
        _draw_errors(curves, budgets, folder)


def _draws(spec: ks.Spec, budget: int, guess: float) -> tuple[float, int]:
    """How many columns are to be asked for so that about `budget` are stored after merging, and how many these are."""
    for _ in range(5 if budget < _TOGETHER else 2):
        columns = ks.compile(spec, DIM, int(guess), 0).n_columns
        if 0.94 * budget <= columns <= budget:
            break
        guess *= (0.98 * budget / columns) ** 1.2  # fewer and fewer are new
    return guess, columns


def _measured(found: Matrix, exact: Matrix) -> list[float]:
    errors = np.abs(found - exact)
    correlation = np.corrcoef(found.ravel(), exact.ravel())[0, 1]
    return [float(errors.mean()), float(np.sqrt(np.square(errors).mean())), float(errors.max()), float(1 - correlation)]


def _baseline(setting: str, angles: Matrix, budget: int, seed: int) -> Matrix:
    """The kernel matrix of random Fourier features of Gaussians on points of circles, cosine and sine of each."""
    points = np.stack([np.cos(angles), np.sin(angles)], axis=2).reshape(len(angles), -1)
    frequencies = _normal if setting == "shallow" else _hybrid
    n, found = budget // 2, np.zeros((len(angles), len(angles)))
    for block, first in enumerate(range(0, n, _TOGETHER)):
        projected = frequencies(min(_TOGETHER, n - first), Stream(seed).child(block), points)
        found += np.cos(projected) @ np.cos(projected).T + np.sin(projected) @ np.sin(projected).T
    return found / n


def _normal(n: int, stream: Stream, points: Matrix) -> Matrix:
    """ω·z for the Gaussian e^{−‖z − z′‖²/(8N)}: every entry of ω has the variance 1/(4N)."""
    w = stream.generator("normal").standard_normal((2 * DIM, n), dtype=np.float32)
    return np.asarray((points.astype(np.float32) @ w) / np.sqrt(4 * DIM), dtype=np.float64)


def _hybrid(n: int, stream: Stream, points: Matrix) -> Matrix:
    """ω·z with the frequencies of the windows that paths down to the first convolution meet."""
    from scipy.sparse import csr_array

    first, *above = skeleton_of(ks.parse(SETTINGS["deep"])).layers
    paths = draw_paths(above, stream, n)
    windows = _windows()
    size = windows.shape[1]
    w = stream.generator("normal").standard_normal((len(paths.node), 2 * size)) / np.sqrt(4 * size)
    w *= np.sqrt(paths.count)[:, None]
    below = (2 * windows[paths.node][:, :, None] + np.arange(2)).reshape(len(paths.node), -1)
    rows = np.repeat(paths.feature, 2 * size)
    assert first.windows.size == 5
    omega = csr_array((w.ravel(), (rows, below.ravel())), shape=(n, points.shape[1]))
    return np.asarray((omega @ points.T).T)


@cache
def _windows() -> NDArray[np.intp]:
    """The columns of every window of the first convolution, (windows, columns in it)."""
    windows = skeleton_of(ks.parse(SETTINGS["deep"])).layers[0].windows
    return np.stack([windows.children(i) for i in range(windows.shape[0] * windows.shape[1])])


def _draw_errors(curves: dict[str, dict[str, list[list[float]]]], budgets: Sequence[int], folder: Path) -> None:
    """A panel for every measure: what is stored against how far k̂ is from k."""
    from matplotlib.figure import Figure

    names = [f"{setting}, {method}" for setting, found in curves.items() for method in found]
    figure = Figure(figsize=(4.9, 4.1), layout="constrained", facecolor="white")
    for i, (axes, measure) in enumerate(zip(figure.subplots(2, 2).ravel(), MEASURES, strict=True)):
        lines = [[values[i] for values in found] for methods in curves.values() for found in methods.values()]
        for line, name, colour in zip(lines, names, distinct_colours(len(names)), strict=True):
            axes.plot(budgets, line, color=colour, linewidth=1.5, marker="o", markersize=2.5, label=name)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        dress(axes, measure if i == 3 else f"{measure} error", "columns stored", "")
        axes.tick_params(which="minor", labelsize=0, labelcolor="none")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=4,
        frameon=False,
        fontsize=7,
        labelcolor=INK,
        columnspacing=1.2,
    )
    save_figure(figure, folder / "skeleton_error.png")


# -- learning --------------------------------------------------------------------------------------------------------


def show_learning(data: Images, n_features: int, seeds: int) -> None:
    """Test accuracy of a ridge classifier on random features; its ridge from a fifth of the training images."""
    print(f"\n### Ridge classifier on about {n_features:,} columns, {data.n_train} images to train, {seeds} maps\n")
    print("| skeleton | columns stored | accuracy in % (maps) | mean | paper, its setting | seconds |")
    print("|---|---|---|---|---|---|")
    for name, text in ARCHITECTURES.items():
        spec = ks.parse(text)
        start, found, (draws, columns) = time.process_time(), [], _draws(spec, n_features, 2.5 * n_features)
        for seed in range(seeds):
            fmap = ks.compile(spec, DIM, int(draws), seed)
            columns = fmap.n_columns
            found.append(100 * _accuracy(lambda X, fmap=fmap: fmap.transform(X), data))  # type: ignore[misc]
        shown = ", ".join(f"{value:.1f}" for value in found)
        seconds = time.process_time() - start
        print(f"| {name} | {columns} | {shown} | {np.mean(found):.1f} | {PAPER[name]} | {seconds:.0f} |", flush=True)


def _accuracy(transform: Callable[[Matrix], Any], data: Images) -> float:
    features = np.asarray(transform(data.angles), dtype=np.float32)
    train, targets = data.n_train, np.where(data.classes[:, None] == np.arange(10), 1.0, -1.0)
    features -= features[:train].mean(axis=0)
    gram = (features @ features[:train].T).astype(np.float64)
    part = train * 4 // 5
    kept, held = np.arange(part), np.arange(part, train)
    scores = [np.mean(_predicted(gram, targets, kept, held, ridge) == data.classes[held]) for ridge in RIDGES]
    best = RIDGES[int(np.argmax(scores))]
    test = np.arange(train, len(features))
    return float(np.mean(_predicted(gram, targets, np.arange(train), test, best) == data.classes[test]))


def _predicted(
    gram: Matrix, targets: Matrix, train: NDArray[np.intp], test: NDArray[np.intp], ridge: float
) -> NDArray[np.intp]:
    """The class of the largest of ten ridge regressions, with the mean of their targets as intercept."""
    from scipy.linalg import solve

    mean = targets[train].mean(axis=0)
    system = gram[np.ix_(train, train)] + ridge * len(train) * np.eye(len(train))
    weights = solve(system, targets[train] - mean, assume_a="pos", overwrite_a=True, check_finite=False)
    return np.asarray((gram[np.ix_(test, train)] @ weights + mean).argmax(axis=1))


if __name__ == "__main__":
    main()
