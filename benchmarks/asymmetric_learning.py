"""Linear classifiers on features of asymmetric kernels: python benchmarks/asymmetric_learning.py [--figures FOLDER]

Figure 3 and Table 1 of He, He, Liu and Huang (2022), "Random Fourier Features for Asymmetric Kernels": test accuracy
and time of sampling for growing numbers of columns; the asymmetric kernels against their symmetric parts
(k(x, y) + k(y, x))/2, the radial and the linear kernel. Kernels and data sets are those of asymmetric.py.

Their setting: M = 2d for the table; classifiers on left and right features side by side; LIBLINEAR with C among
2⁻⁵, …, 2⁵ by 5 folds; all training rows; 10 trials; MATLAB. Their Table 1 swaps the sizes of letter and ijcnn1, not the
accuracies.

What differs
- Columns. Their M counts frequencies of every part: the asymmetric kernels have 2M frequencies that matter (those of
  the real and the imaginary part), the symmetric ones M. Here every kernel has 4 d columns, M = 2d frequencies;
  `theirs` gives the asymmetric kernels 8 d, and one line gives the radial kernel 8 d as well.
- Rows: TRAIN and TEST rows, drawn anew in every trial, or with --full the paper's FULL_TRAIN and FULL_TEST; C is chosen
  once, in the first trial, by 5 folds of at most 2,000 of the training rows. Trials: see TRIALS. Figure 3: 2,000 rows
  for training, 4,000 for testing (spambase 2,601), C = 32, 2 trials, up to 256 d columns.
- sklearn's LinearSVC (LIBLINEAR, squared hinge, primal). transform(X, side="both") has a factor √½, which acts like a
  smaller C than theirs.
- Times are CPU seconds of ks.compile (plan, draw and, where masses are fitted, their fit) on ijcnn1.

What the columns span: [cos(ω·x + θ), sin(ω·x + θ)] are combinations of [cos ω·x, sin ω·x]. The right features of the
polar estimator and of the Jordan parts add nothing to the left ones, as the ranks show, and a linear classifier on both
is one on Fourier features of a symmetric kernel: of |μ|, for the polar estimator.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from asymmetric import KERNELS, SETS, TITLES, Estimator, compile_map, load, reduce_colours, spec_of
from numpy.typing import NDArray
from provenance import made_by
from sklearn.model_selection import cross_val_score
from sklearn.svm import LinearSVC

import kernelspec as ks
from kernelspec.maps.feature_map import FeatureMap

COSTS = 2.0 ** np.arange(-5, 6)
TRAIN = {"spambase": 2760, "ijcnn1": 8000, "letter": 6000, "cod_rna": 8000}
TEST = {"spambase": 1841, "ijcnn1": 20_000, "letter": 6000, "cod_rna": 20_000}
FULL_TRAIN = {"spambase": 2760, "ijcnn1": 49_990, "letter": 12_000, "cod_rna": 59_535}
FULL_TEST = {"spambase": 1841, "ijcnn1": 91_701, "letter": 6000, "cod_rna": 271_617}
TRIALS = {"spambase": 10, "ijcnn1": 5, "letter": 5, "cod_rna": 5}
FOLDED = 2000
CURVE_POWERS, CURVE_TRAIN, CURVE_TEST, CURVE_TRIALS, CURVE_COST = (1, 3, 5, 8), 2000, 4000, 2, 32.0
TIME_POWERS, TIME_ROUNDS = (2, 4, 6, 8, 10), 3
SYMMETRIC = {
    "shift": "mean(shift_gaussian(scale=2, by=2/{d}), shift_gaussian(scale=2, by=-2/{d}))",
    "sinh": "gaussian(scale=2)",
    "cosh": "mean(cosh_gaussian(scale=2, by=0.5*pi/{d}), cosh_gaussian(scale=2, by=-0.5*pi/{d}))",
}
NO_INTERCEPT = "linear, no intercept"
PAPER: Mapping[str, tuple[float, ...]] = {
    "shift, asymmetric": (92.689, 93.763, 80.631, 95.881),
    "shift, symmetric part": (92.591, 93.180, 77.975, 95.789),
    "sinh, asymmetric": (92.787, 93.683, 82.455, 95.932),
    "sinh, symmetric part": (92.624, 93.110, 78.553, 95.866),
    "cosh, asymmetric": (92.787, 93.583, 82.237, 95.95),
    "cosh, symmetric part": (92.520, 93.464, 77.652, 95.794),
    "radial": (92.461, 93.157, 77.547, 95.831),
    "linear": (90.261, 91.011, 72.541, 91.618),
}
"""Table 1, in the order of SETS."""


class Split(NamedTuple):
    """Rows for training and testing."""

    X: NDArray[np.float32]
    y: NDArray[np.float64]
    X_test: NDArray[np.float32]
    y_test: NDArray[np.float64]


class Score(NamedTuple):
    """Accuracies in per cent, one a trial, and the C."""

    accuracies: list[float]
    cost: float


Scores = dict[str, dict[str, Score]]
"""By line of the table and set."""
Curves = dict[tuple[str, str, Estimator | None], NDArray[np.float64]]
"""Accuracies (trials, sizes) by kernel, set and estimator; None is `auto`."""
Times = dict[tuple[str, str], list[list[float]]]
"""CPU seconds, rounds by size, for kernels and ways to sample."""


def main() -> None:
    """Print Table 1, the ranks, accuracies by the number of columns, and times, as tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    parser.add_argument("--figures", type=Path, help="folder where to draw asymmetric_accuracy.png and _time.png")
    parser.add_argument("--quick", action="store_true", help="spambase and cod_rna, one trial, three values of C")
    parser.add_argument("--linear", action="store_true", help="the two linear models of Table 1 alone")
    parser.add_argument("--full", action="store_true", help="Table 1 alone, on the paper's numbers of rows: hours")
    parser.add_argument("--curves", action="store_true", help="Figure 3 alone")
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    options = parser.parse_args()
    print(made_by(), end="\n\n")
    names = SETS[::3] if options.quick else options.sets
    if not options.curves:
        print_table(options, names)
    if options.linear or options.full:
        return
    curves: Curves = {}
    for name in names:
        curves |= accuracy_curves(name, options.data_dir, 1 if options.quick else CURVE_TRIALS)
    print_curves(curves)
    times = sampling_times(options.data_dir)
    print_times(times)
    if options.figures is not None:
        levels = {name: linear_level(split(name, options.data_dir, 0, CURVE_TRAIN, CURVE_TEST)) for name in names}
        draw_curves(curves, levels, options.figures / "asymmetric_accuracy.png")
        draw_times(times, options.figures / "asymmetric_time.png")


def print_table(options: argparse.Namespace, names: Sequence[str]) -> None:
    """Table 1, and before it the ranks, unless it is all that is asked for."""
    scores: Scores = {}
    if not (options.linear or options.full):
        print_ranks(options.data_dir)
    sizes = (FULL_TRAIN, FULL_TEST) if options.full else (TRAIN, TEST)
    for name in names:
        add_scores(scores, name, options.data_dir, sizes, options.quick, linear=options.linear)
    print_scores(scores)


def split(name: str, folder: Path, trial: int, train: int, test: int) -> Split:
    """Random rows, others in every trial."""
    X, y = load(name, folder)
    order = np.random.default_rng(trial).permutation(len(X))
    first, second = order[:train], order[train : train + test]
    X32 = X.astype(np.float32)
    return Split(X32[first], y[first], X32[second], y[second])


def both(fitted: FeatureMap, X: NDArray[np.float32]) -> NDArray[np.float32]:
    """The columns for a linear model."""
    return np.asarray(fitted.transform(X) if fitted.is_one_sided else fitted.transform(X, side="both"))


def print_ranks(folder: Path) -> None:
    """Columns of left and right features together, and their rank on 1,000 rows of letter, for 64 columns a side."""
    X = load("letter", folder)[0][:1000].astype(np.float32)
    print("| kernel, 64 columns | estimator | both sides | rank |\n|---|---|---|---|")
    for kernel in KERNELS:
        estimators: tuple[Estimator, ...] = ("jordan", "polar") if kernel == "shift" else ("jordan", "polar", "rows")
        for estimator in estimators:
            fitted = compile_map(spec_of(kernel, X.shape[1]), X, 64, 0, estimator)
            columns = both(fitted, X.astype(np.float64))  # type: ignore[arg-type]
            rank = np.linalg.matrix_rank(columns, tol=1e-9 * np.linalg.norm(columns))
            print(f"| {kernel} | {TITLES[estimator]} | {columns.shape[1]} | {rank} |")


# -- Table 1 -----------------------------------------------------------------------------------------------------------


def lines(rows: Split) -> dict[str, tuple[ks.Spec, int, Estimator | None]]:
    """The lines of the table: a kernel, its number of columns, and the estimator."""
    d = rows.X.shape[1]
    found: dict[str, tuple[ks.Spec, int, Estimator | None]] = {}
    for kernel in KERNELS:
        found[f"{kernel}, asymmetric, theirs: 8 d columns"] = spec_of(kernel, d), 8 * d, "fitted"
        found[f"{kernel}, asymmetric, 4 d columns, auto"] = spec_of(kernel, d), 4 * d, None
        found[f"{kernel}, asymmetric, 4 d columns, polar"] = spec_of(kernel, d), 4 * d, "polar"
        if kernel != "sinh":  # whose symmetric part is the radial kernel
            found[f"{kernel}, symmetric part, 4 d columns"] = ks.parse(SYMMETRIC[kernel].format(d=d)), 4 * d, None
    for multiple in (4, 8):
        found[f"radial, {multiple} d columns"] = ks.parse("gaussian(scale=2)"), multiple * d, None
    return found


def compiled(spec: ks.Spec, rows: Split, columns: int, seed: int, estimator: Estimator | None) -> FeatureMap:
    """The map, planned for the training rows."""
    if estimator is not None:
        return compile_map(spec, rows.X, columns, seed, estimator)
    return ks.compile(spec, rows.X.shape[1], columns, seed=seed, data=rows.X)


def add_scores(
    scores: Scores, name: str, folder: Path, sizes: tuple[Mapping[str, int], ...], quick: bool, *, linear: bool
) -> None:
    """All lines of the table for one set, or those of linear models."""
    for trial in range(1 if quick else TRIALS[name]):
        rows = split(name, folder, trial, *(by_set[name] for by_set in sizes))
        pairs: dict[str, tuple[NDArray[np.float32], NDArray[np.float32]]] = dict.fromkeys(
            ("linear", NO_INTERCEPT), (rows.X, rows.X_test)
        )
        for line, (spec, columns, estimator) in ({} if linear else lines(rows)).items():
            fitted = compiled(spec, rows, columns, trial, estimator)
            pairs[line] = both(fitted, rows.X), both(fitted, rows.X_test)
        for line, (X, X_test) in pairs.items():
            own = scores.setdefault(line, {})
            if name not in own:
                own[name] = Score([], best_cost(X, rows.y, COSTS[5::5] if quick else COSTS, line != NO_INTERCEPT))
            model = LinearSVC(C=own[name].cost, dual=False, fit_intercept=line != NO_INTERCEPT).fit(X, rows.y)
            own[name].accuracies.append(100 * float(model.score(X_test, rows.y_test)))
    for line, by_set in scores.items():
        print(f"{name}: {line}: {np.mean(by_set[name].accuracies):.3f}, C = {by_set[name].cost:g}", flush=True)


def best_cost(X: NDArray[np.float32], y: NDArray[np.float64], costs: NDArray[np.float64], intercept: bool) -> float:
    """C of the best mean accuracy in 5 folds."""
    X, y = X[:FOLDED], y[:FOLDED]
    means = [
        cross_val_score(LinearSVC(C=cost, dual=False, fit_intercept=intercept), X, y, cv=5).mean() for cost in costs
    ]
    return float(costs[int(np.argmax(means))])


def print_scores(scores: Scores) -> None:
    """Table 1: mean ± standard deviation over the trials, the C in brackets, and the paper's numbers."""
    names = list(next(iter(scores.values())))
    print("\n| | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    for line, by_set in scores.items():
        cells = []
        for score in by_set.values():
            spread = f" ± {np.std(score.accuracies, ddof=1):.2f}" if len(score.accuracies) > 1 else ""
            cells.append(f"{np.mean(score.accuracies):.2f}{spread} ({score.cost:g})")
        print(f"| {line} | {' | '.join(cells)} |")
    for line, numbers in PAPER.items():
        own = [f"{numbers[SETS.index(name)]:.2f}" for name in names]
        print(f"| paper: {line} | {' | '.join(own)} |")


# -- Figure 3 ----------------------------------------------------------------------------------------------------------


def accuracy_curves(name: str, folder: Path, trials: int) -> Curves:
    """Accuracies for growing numbers of columns, of the plan of least variance and of the published estimator."""
    estimators: tuple[Estimator | None, ...] = (None, "fitted")
    curves: Curves = {(k, name, e): np.zeros((trials, len(CURVE_POWERS))) for k in KERNELS for e in estimators}
    for trial in range(trials):
        rows = split(name, folder, trial, CURVE_TRAIN, CURVE_TEST)
        d = rows.X.shape[1]
        for (kernel, _, estimator), found in curves.items():
            for i, power in enumerate(CURVE_POWERS):
                fitted = compiled(spec_of(kernel, d), rows, d << power, trial, estimator)
                model = LinearSVC(C=CURVE_COST, dual=False).fit(both(fitted, rows.X), rows.y)
                found[trial, i] = 100 * model.score(both(fitted, rows.X_test), rows.y_test)
    return curves


def linear_level(rows: Split) -> float:
    """The accuracy in per cent of the linear model."""
    model = LinearSVC(C=CURVE_COST, dual=False).fit(rows.X, rows.y)
    return 100 * float(model.score(rows.X_test, rows.y_test))


def print_curves(curves: Curves) -> None:
    """A line for every kernel, set and estimator."""
    print("\n| kernel | set | estimator | " + " | ".join(f"M = {1 << p} d" for p in CURVE_POWERS) + " |")
    print("|---|---|---|" + "---|" * len(CURVE_POWERS))
    for (kernel, name, estimator), found in curves.items():
        cells = [f"{value:.2f}" for value in found.mean(axis=0)]
        print(f"| {kernel} | {name} | {TITLES[estimator] if estimator else 'auto'} | {' | '.join(cells)} |")


def sampling_times(folder: Path) -> Times:
    """CPU seconds of making a map for the rows of ijcnn1, the variants one after the other in every round."""
    X = load("ijcnn1", folder)[0][:1000].astype(np.float32)
    d = X.shape[1]
    found: Times = {}
    for kernel in KERNELS:
        spec = spec_of(kernel, d)
        for way in ("polar", "jordan", "fitted", "rejection"):
            try:
                draw_map(spec, X, d, way)
            except ks.KernelspecError as refusal:
                print(f"{kernel}, {way}: {refusal}")
                continue
            found[kernel, way] = []
    for _ in range(TIME_ROUNDS):
        for (kernel, way), seconds in found.items():
            row = []
            for power in TIME_POWERS:
                start = time.process_time()
                draw_map(spec_of(kernel, d), X, d << power, way)
                row.append(time.process_time() - start)
            seconds.append(row)
    return found


def draw_map(spec: ks.Spec, X: NDArray[np.float32], columns: int, way: str) -> None:
    """One map, planned for the rows X; `fitted` draws the parts arc by arc."""
    if way == "rejection":
        ks.compile(spec, X.shape[1], columns, seed=0, method="rejection", data=X)
    elif way == "polar":
        compile_map(spec, X, columns, 0, "polar")
    else:
        compile_map(spec, X, columns, 0, "jordan" if way == "jordan" else "fitted")


def print_times(times: Times) -> None:
    """Medians over the rounds, in milliseconds."""
    print("\n| kernel, ijcnn1 | sampling | " + " | ".join(f"M = {1 << p} d" for p in TIME_POWERS) + " |")
    print("|---|---|" + "---|" * len(TIME_POWERS))
    for (kernel, way), seconds in times.items():
        cells = [f"{1000 * value:.0f}" for value in np.median(seconds, axis=0)]
        print(f"| {kernel} | {way} | {' | '.join(cells)} |")


def draw_curves(curves: Curves, levels: Mapping[str, float], path: Path) -> None:
    """A panel for every kernel: accuracies by columns, the linear model as a level."""
    from kernelspec.plotting.figures import distinct_colours, dress, new_figure, save_figure

    names = list(dict.fromkeys(name for _, name, _ in curves))
    colours = dict(zip(names, distinct_colours(len(names)), strict=True))
    figure = new_figure(len(KERNELS), names, list(colours.values()))
    for axes, kernel in zip(figure.axes, KERNELS, strict=True):
        for (which, name, estimator), found in curves.items():
            if which != kernel:
                continue
            style = "x--" if estimator else "o-"
            at = [1 << power for power in CURVE_POWERS]
            axes.plot(at, found.mean(axis=0), style, color=colours[name], linewidth=1.4, markersize=5)
        for name in names:
            axes.axhline(levels[name], color=colours[name], linestyle=":")
        axes.set_xscale("log", base=2)
        told = "M / d (dots: auto, crosses: Jordan with fitted masses)"
        dress(axes, f"{kernel}_gaussian", told, "test accuracy, % (dotted: linear)")
        axes.set_xticks([1 << power for power in CURVE_POWERS], [str(1 << power) for power in CURVE_POWERS])
    save_figure(figure, path)
    reduce_colours(path)


def draw_times(times: Times, path: Path) -> None:
    """A panel for every kernel: seconds by columns."""
    from kernelspec.plotting.figures import distinct_colours, dress, new_figure, save_figure

    titles = {
        "polar": "polar",
        "jordan": "Jordan, arc by arc",
        "fitted": "Jordan, masses fitted to 50 rows",
        "rejection": "Jordan, by rejection",
    }
    colours = dict(zip(titles, distinct_colours(len(titles)), strict=True))
    figure = new_figure(len(KERNELS), list(titles.values()), list(colours.values()))
    for axes, kernel in zip(figure.axes, KERNELS, strict=True):
        for (which, way), seconds in times.items():
            if which == kernel:
                at = [1 << power for power in TIME_POWERS]
                axes.plot(at, 1000 * np.median(seconds, axis=0), "o-", color=colours[way], linewidth=1.4, markersize=4)
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0)
        dress(axes, f"{kernel}_gaussian on ijcnn1", "columns M / d", "CPU time of a map, ms")
        axes.set_xticks([1 << power for power in TIME_POWERS], [str(1 << power) for power in TIME_POWERS])
    save_figure(figure, path)
    reduce_colours(path)


if __name__ == "__main__":
    main()
