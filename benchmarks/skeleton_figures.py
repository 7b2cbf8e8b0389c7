"""Experiments on compositional kernels: benchmarks/skeleton_figures.py [--only PART] [--figures FOLDER] [--quick]

Daniely, Frostig, Gupta and Singer (2017), Figures 3 and 4, on crops of 24 × 24 pixels of CIFAR-10. A value v of a pixel
is the angle πv/255 on its circle, so that base kernels are cos(θ − θ'); the paper leaves the map from a pixel to the
circle open.

cooccurrence  P(a feature uses pixel p | it uses q) for four pixels q and four skeletons, all relu: flat, and with one,
              two and three convolutions. The paper does not give their windows: here 5 × 5, 4 × 4 and 2 × 2, stride 2.
error         k̂ − k over all pairs of 128 random images, each batch with a map of its own. The budget is the number of
              columns that a map stores: equal features are stored once, so that many more are drawn. "RFS" draws as the
              paper does; "varying" is what the plan takes: the constant in one column, and features that are not. The
              baseline has no doubles; its frequencies have a column each with a random offset (that of most libraries,
              "offsets"), or a cosine and a sine ("pairs"): the paper does not say which it took. In the shallow setting
              it is Rahimi and Recht's on the points (cos θ, sin θ) of the N circles: e^{(mean cos − 1)/4} is
              gaussian(scale=2√N) of these. In the deep setting paths are drawn down to the first convolution, and each
              window met m times has the frequency √m w, w normal on its points.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from cifar import DIM, PIXELS, SIDE, Images, convolutions, images
from cooccurrence import cooccurrence, skeleton_of
from numpy.typing import NDArray
from provenance import made_by

import kernelspec as ks
from kernelspec.laws.compositional.skeleton import draw_paths
from kernelspec.numerics.phasor import Form, width
from kernelspec.planning.options import Method
from kernelspec.plotting.figures import INK, distinct_colours, dress, save_figure
from kernelspec.random.streams import Stream

BATCH = 128
WINDOWS = (("relu", 5), ("relu", 4), ("relu", 2))
NETS = {
    name: f"full(relu, input={convolutions(*WINDOWS[:depth])})"
    for depth, name in enumerate(("flat", "one convolution", "two convolutions", "three convolutions"))
}
SEEN = ((12, 12), (6, 6), (6, 17), (18, 10))
SETTINGS = {
    "shallow": f"full(exp(c=1/4), input={PIXELS})",
    "deep": f"full(relu, input={convolutions(('exp(c=1/4)', 5), ('relu', 4))})",
}
BUDGETS = tuple(2**i for i in range(6, 17))
OURS: dict[str, Method] = {"RFS": "paired", "varying": "varying"}
BASELINES: dict[str, Form] = {"baseline, pairs": "paired", "baseline, offsets": "phase"}
MEASURES = ("mean absolute", "root mean square", "maximum", "1 − correlation")
_TOGETHER = 4096

Matrix = NDArray[np.float64]


def main() -> None:
    """Print tables in Markdown, and draw the figures into a folder if it is given."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=("cooccurrence", "error"), help="one part, all if not given")
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    parser.add_argument("--figures", type=Path, help="folder for cooccurrence.png and skeleton_error.png")
    parser.add_argument("--features", type=int, default=500_000, help="features of the co-occurrence")
    parser.add_argument("--batches", type=int, default=10, help="batches of the errors, as many as the paper has")
    parser.add_argument("--largest", type=int, default=BUDGETS[-1], help="largest budget of the errors")
    parser.add_argument("--quick", action="store_true", help="fewer features, batches, budgets and images")
    options = parser.parse_args()
    print(made_by(), end="\n\n")
    if options.quick:
        options.features, options.batches, options.largest = 20_000, 1, 1024
    if options.only in (None, "cooccurrence"):
        show_cooccurrence(options.features, options.figures)
    if options.only in (None, "error"):
        budgets = [budget for budget in BUDGETS if budget <= options.largest]
        show_errors(images(options.data_dir), options.batches, budgets, options.figures)


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
    """Errors of all maps for every setting and budget, pooled over batches as in the paper."""
    print(f"\n### Errors of approximate kernels, {batches} batches of {BATCH} images\n")
    head = "| setting | budget | map | columns asked for | columns stored, mean |"
    print(head, " | ".join(MEASURES), "| mean absolute error : pairs, ± standard error over batches |")
    print("|" + "---|" * (6 + len(MEASURES)))
    curves: dict[str, dict[str, list[list[float]]]] = {}
    for setting, text in SETTINGS.items():
        spec = ks.parse(text)
        chosen = [
            data.angles[np.random.default_rng(batch).choice(data.n_train, BATCH, replace=False)]
            for batch in range(batches)
        ]
        exact = np.stack([spec.gram(X) for X in chosen])
        curves[setting] = {name: [] for name in (*OURS, *BASELINES)}
        asked = dict.fromkeys(OURS, budgets[0])
        for budget in budgets:
            found, sizes = {}, {}
            for name, method in OURS.items():
                asked[name], _ = _asked(spec, method, budget, asked[name] * 2)
                n = asked[name]
                drawn = [ks.compile(spec, DIM, n, seed=seed, method=method) for seed in range(batches)]
                found[name] = np.stack([fmap.approximate(X) for fmap, X in zip(drawn, chosen, strict=True)])
                columns = round(sum(fmap.n_columns for fmap in drawn) / batches)
                sizes[name] = (n, columns)
            for name, form in BASELINES.items():
                found[name] = np.stack([_baseline(setting, X, budget, seed, form) for seed, X in enumerate(chosen)])
                sizes[name] = (budget, budget)
            for name, estimates in found.items():
                curves[setting][name].append(_measured(estimates, exact))
                cells = " | ".join(f"{value:.3g}" for value in curves[setting][name][-1])
                ratio = "" if name == "baseline, pairs" else _compared(estimates, found["baseline, pairs"], exact)
                size = " | ".join(map(str, sizes[name]))
                print(f"| {setting} | {budget} | {name} | {size} | {cells} | {ratio} |", flush=True)
    if folder is not None:
        _draw_errors(curves, budgets, folder)


def _asked(spec: ks.Spec, method: Method, budget: int, guess: float) -> tuple[int, int]:
    """How many columns are to be asked for so that at most `budget` are stored after merging, and how many these are.

    Those of the first seed: the others store a few more or less.
    """
    found = (2, 0)
    for _ in range(6 if budget < _TOGETHER else 3):
        columns = ks.compile(spec, DIM, int(guess), seed=0, method=method).n_columns
        if found[1] < columns <= budget:
            found = (int(guess), columns)
        if 0.95 * budget <= columns <= budget:
            break
        guess *= (0.98 * budget / columns) ** 1.2  # fewer and fewer are new
    return found


def _measured(found: Matrix, exact: Matrix) -> list[float]:
    errors = np.abs(found - exact)
    correlation = np.corrcoef(found.ravel(), exact.ravel())[0, 1]
    return [float(errors.mean()), float(np.sqrt(np.square(errors).mean())), float(errors.max()), float(1 - correlation)]


def _compared(found: Matrix, baseline: Matrix, exact: Matrix) -> str:
    """The geometric mean over batches of how many times the error of the baseline it is, with its standard error."""
    own, theirs = (np.abs(each - exact).mean(axis=(1, 2)) for each in (found, baseline))
    logs = np.log(own / theirs)
    error = logs.std(ddof=1) / np.sqrt(len(logs)) if len(logs) > 1 else np.nan
    return f"{np.exp(logs.mean()):.2f} ± {np.exp(logs.mean()) * error:.2f}"


def _baseline(setting: str, angles: Matrix, budget: int, seed: int, form: Form) -> Matrix:
    """The kernel matrix of random Fourier features of Gaussians on points of circles."""
    points = np.stack([np.cos(angles), np.sin(angles)], axis=2).reshape(len(angles), -1)
    frequencies = _normal if setting == "shallow" else _hybrid
    n, found = budget // width(form, 1), np.zeros((len(angles), len(angles)))
    for block, first in enumerate(range(0, n, _TOGETHER)):
        stream = Stream(seed).child(block)
        projected = frequencies(min(_TOGETHER, n - first), stream, points)
        if form == "phase":
            z = np.sqrt(2) * np.cos(projected + 2 * np.pi * stream.generator("offset").random(projected.shape[1]))
            found += z @ z.T
        else:
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
    """A row for every setting, a panel for every measure: what is stored against how far k̂ is from k."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.8, 4.3), layout="constrained", facecolor="white")
    panels = figure.subplots(len(curves), len(MEASURES), sharex=True)
    for j, (setting, found) in enumerate(curves.items()):
        for i, (axes, measure) in enumerate(zip(panels[j], MEASURES, strict=True)):
            for (name, values), colour in zip(found.items(), distinct_colours(len(found)), strict=True):
                line = [value[i] for value in values]
                axes.plot(budgets, line, color=colour, linewidth=1.5, marker="o", markersize=2.5, label=name)
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            title = measure if i == 3 else f"{measure} error"
            last = j == len(curves) - 1
            dress(axes, "" if j else title, "columns stored" if last else "", "" if i else setting)
            axes.tick_params(which="minor", labelsize=0, labelcolor="none")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=8, labelcolor=INK)
    save_figure(figure, folder / "skeleton_error.png")


if __name__ == "__main__":
    main()
