"""Estimators of asymmetric kernels beside each other: python benchmarks/asymmetric.py [--figures FOLDER]

Figures 1 and 2 of He, He, Liu and Huang (2022), "Random Fourier Features for Asymmetric Kernels": the relative error
‖K̂ − K‖_F / ‖K‖_F for growing numbers of columns, and the masses of the Jordan parts fitted to rows against the exact
ones. Figure 3 and Table 1 are in asymmetric_learning.py.

Their setting: spambase, ijcnn1, letter, cod_rna with columns scaled to [0, 1]; exp(−‖Δ + r‖²/2σ²),
exp(−‖Δ‖²/2σ²)(1 + sinh β·Δ) and exp(−‖Δ‖²/2σ²) e^{β·Δ} with σ = 2 and the constant vectors r = 2/d, β = 0.5π/d; kernel
matrices of 1,000 random rows; M = d·2¹, …, d·2¹⁰; masses fitted on 50 rows (Figure 1: 10 of 2,000 numbers from a
Gaussian law, d = 1); 10 trials. (Their Table 1 swaps the sizes of letter and ijcnn1.)

What differs
- M counts the stored columns of one side. Theirs counts the samples of every part: 2M columns a part, for two or three
  parts. Columns are shared among the parts for the least variance, not equally.
- Jordan parts are drawn arc by arc, of the same laws as by rejection. Rejection as published would take 8·10¹⁰
  proposals for one frequency of the negative real part of shift_gaussian() on letter, and 5·10³³ on spambase.
  Parts of less than 10⁻¹² of the mass are left out; the table of masses says which.
- The 1,000 rows are the same in all trials, and the error is that of their first 200 against all of them.
- Random numbers are the same for all kernels of one M and trial: their rows of the tables are not independent.
- Features in float32. Plans are made for the rows, which decides between pairs and random offsets. Samples are
  independent, as theirs, though by default `ks.compile` couples them where that lowers the error.
- Figure 1 begins at M = 8: every part needs a frequency.

The polar estimator is not better than the Jordan decomposition everywhere: it has variance at x = y, where cosines and
sines of single parts have none, and loses for cosh_gaussian() on rows close together. The plan knows; `auto` takes the
estimator of least variance.

Exits with 1 if the estimator that `auto` takes has a larger error than Jordan with exact masses, or polar has one where
a smaller one is predicted, beyond chance (4 standard errors for one M, 3 for all M of a set and kernel); if the mean
square error of an unbiased estimator is off the predicted one by more than 4 standard errors; or if the slope of its
log error on log columns is off −½ by more than 3.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from provenance import made_by
from real_data import scaled

import kernelspec as ks
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.planning.strata import Stratum

KERNELS = {
    "shift": "shift_gaussian(scale=2, by=2/{d})",
    "sinh": "sinh_gaussian(scale=2, by=0.5*pi/{d})",
    "cosh": "cosh_gaussian(scale=2, by=0.5*pi/{d})",
}
SETS = ("spambase", "ijcnn1", "letter", "cod_rna")
Estimator = Literal["jordan", "fitted", "polar", "rows", "shifts"]
TITLES: Mapping[Estimator, str] = {
    "jordan": "Jordan, exact masses",
    "fitted": "Jordan, masses fitted to 50 rows",
    "polar": "polar",
    "rows": "scaled rows",
    "shifts": "three shifts",
}
OFFERED: Mapping[str, tuple[Estimator, ...]] = {
    "shift": ("jordan", "fitted", "polar"),
    "sinh": ("jordan", "fitted", "polar", "rows", "shifts"),
    "cosh": ("jordan", "fitted", "polar", "rows"),
}
POWERS, QUICK_POWERS = tuple(range(1, 11)), (1, 3, 5)
TRIALS, QUICK_TRIALS = 10, 4
ROWS, LEFT_ROWS, BLOCK = 1000, 200, 250
PARTS = ("positive real", "negative real", "imaginary")


class Curve(NamedTuple):
    """Relative errors (trials, sizes) of one estimator, those predicted, and the weights of its parts per map."""

    columns: list[int]
    errors: NDArray[np.float64]
    predicted: list[float]
    weights: list[list[list[float]]]
    plan: str
    chosen: bool = False
    """Whether it is the one that method="auto" takes at the largest size."""

    @property
    def measured(self) -> NDArray[np.float64]:
        """Root mean squares over the trials."""
        return np.sqrt(np.mean(self.errors**2, axis=0))

    def slope(self) -> tuple[float, float]:
        """Of log error on log columns over all maps, and its standard error."""
        x = np.log(self.columns) - np.mean(np.log(self.columns))
        y = np.log(self.errors) - np.mean(np.log(self.errors))
        trials = len(y)
        slope = float((y @ x).sum() / (trials * x @ x))
        rest = float(np.square(y - slope * x).sum()) / (y.size - 2)
        return slope, float(np.sqrt(rest / (trials * x @ x)))

    def surplus(self) -> tuple[float, float]:
        """Mean square error divided by the predicted one, over all maps, and its standard error."""
        ratios = (self.errors / self.predicted) ** 2
        spread = np.sqrt(ratios.var(axis=0, ddof=1).mean() / ratios.size)
        return float(ratios.mean()), float(spread)


Curves = dict[tuple[str, str], dict[Estimator, Curve]]
"""By kernel and set."""


def main() -> None:
    """Print tables in Markdown; exit with 1 if polar is worse than Jordan, or a slope is off."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    parser.add_argument("--figures", type=Path, help="folder where to draw asymmetric_*.png, if not --quick")
    parser.add_argument("--quick", action="store_true", help="two sets, three sizes up to 32 d, four trials, no limits")
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--kernels", nargs="+", default=list(KERNELS), choices=KERNELS)
    options = parser.parse_args()
    print(made_by(), end="\n\n")
    powers, trials = (QUICK_POWERS, QUICK_TRIALS) if options.quick else (POWERS, TRIALS)
    print_masses(options.data_dir)
    curves: Curves = {}
    for name in SETS[::3] if options.quick else options.sets:
        X = some_rows(name, options.data_dir)
        for kernel in options.kernels:
            curves[kernel, name] = compared(kernel, name, X, powers, trials)
    print_errors(curves)
    print_ratios(curves)
    print_fits(curves)
    line = masses_on_the_line(trials)
    print_line(line)
    if options.figures is not None and not options.quick:
        for kernel in options.kernels:
            draw_errors(kernel, curves, options.figures / f"asymmetric_{kernel}.png")
        draw_line(line, options.figures / "asymmetric_masses.png")
    faults = ratio_faults(curves) + law_faults(curves)
    good = "no fault: errors and slopes are as predicted, and auto is nowhere worse than Jordan"
    print("\n" + ("\n".join(faults) or good))
    sys.exit(1 if faults and not options.quick else 0)


def load(name: str, folder: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """All rows in random order, columns scaled to [0, 1], and their classes."""
    with np.load(folder / f"{name}.npz", allow_pickle=False) as file:
        X, y = file["X"].astype(np.float64), file["y"].astype(np.float64)
    order = np.random.default_rng(0).permutation(len(X))
    return scaled(X, "[0, 1]")[order], y[order]


def some_rows(name: str, folder: Path) -> NDArray[np.float32]:
    """The rows whose kernel matrices are estimated."""
    return load(name, folder)[0][:ROWS].astype(np.float32)


def spec_of(kernel: str, d: int) -> ks.Spec:
    """The kernel with the paper's parameters for d columns."""
    return ks.parse(KERNELS[kernel].format(d=d))


# -- errors ------------------------------------------------------------------------------------------------------------


def compile_map(
    spec: ks.Spec, X: NDArray[np.float32], columns: int, seed: int, estimator: Estimator, rows: int = 50
) -> FeatureMap:
    """The map of an estimator, planned for the rows X."""
    if estimator == "fitted":
        return ks.compile(
            spec,
            X.shape[1],
            columns,
            seed=seed,
            method="jordan",
            draws="independent",
            data=X,
            published=ks.Published(masses="estimated", n_rows_for_masses=rows),
        )
    return ks.compile(spec, X.shape[1], columns, seed=seed, method=estimator, draws="independent", data=X)


def compared(
    kernel: str, name: str, X: NDArray[np.float32], powers: Sequence[int], trials: int
) -> dict[Estimator, Curve]:
    """The errors of every estimator that the kernel has."""
    d = X.shape[1]
    spec = spec_of(kernel, d)
    exact = spec.gram(X[:LEFT_ROWS].astype(np.float64), X.astype(np.float64))
    size = float(np.linalg.norm(exact))
    found: dict[Estimator, Curve] = {}
    for estimator in OFFERED[kernel]:
        curve = Curve([], np.zeros((trials, len(powers))), [], [], "")
        variances: dict[tuple[Stratum, str], float] = {}
        for i, power in enumerate(powers):
            weights = []
            for trial in range(trials):
                # every map has random numbers of its own
                fitted = compile_map(spec, X, d << power, 1000 * power + trial, estimator)
                curve.errors[trial, i] = error(fitted, X, exact) / size
                weights.append([stratum.weight for stratum in fitted.plan.strata])
            curve.columns.append(fitted.n_columns)
            curve.weights.append(weights)
            if estimator != "fitted":
                curve.predicted.append(predicted(fitted, X, variances) / size)
        slope, uncertainty = curve.slope()
        found[estimator] = curve._replace(plan=fitted.plan.chosen.describe())
        print(
            f"{name} {kernel} {estimator}: slope {slope:.3f} ± {uncertainty:.3f}; {found[estimator].plan}", flush=True
        )
    chosen = [
        ks.compile(spec, d, d << power, method="auto", draws="independent", data=X).plan.chosen.describe()
        for power in powers
    ]
    print(f"{name} {kernel} auto: {', '.join(dict.fromkeys(chosen))}")
    return {e: curve._replace(chosen=curve.plan == chosen[-1] and e != "fitted") for e, curve in found.items()}


def error(fitted: FeatureMap, X: NDArray[np.float32], exact: NDArray[np.float64]) -> float:
    """‖K̂ − K‖_F for the first rows against all, in blocks of these."""
    left = np.asarray(fitted.left(X[:LEFT_ROWS])) * fitted.signs.astype(np.float32)
    squares = 0.0
    for start in range(0, len(X), BLOCK):
        block = slice(start, start + BLOCK)
        estimate = left @ np.asarray(fitted.right(X[block])).T
        squares += float(np.square(estimate - exact[:, block]).sum())
    return float(np.sqrt(squares))


def predicted(fitted: FeatureMap, X: NDArray[np.float32], variances: dict[tuple[Stratum, str], float]) -> float:
    """√E‖K̂ − K‖²_F as predicted_error has it; the variance of one sample of a part is computed once for all sizes."""
    from kernelspec.expressions.pairs import NumericPairs
    from kernelspec.laws.law import sample_variance

    plan = fitted.plan
    total = 0.0
    for stratum, count in plan.parts:
        key = (stratum, plan.form)
        if key not in variances:
            rows = plan.layout.read(X.astype(np.float64))
            pairs = NumericPairs(rows.take(np.arange(LEFT_ROWS)), rows).select(stratum.positions)
            variances[key] = float(sample_variance(stratum.law, pairs, plan.form).sum())
        total += stratum.weight**2 / count * variances[key]
    return float(np.sqrt(total))


def print_errors(curves: Curves) -> None:
    """Measured and predicted errors at some sizes, and the slopes."""
    powers = shown_powers(curves)
    sizes = POWERS if len(powers) > 3 else QUICK_POWERS
    print(
        "\n| kernel | set | estimator | "
        + " | ".join(f"M = {2**p} d" for p in powers)
        + " | slope | measured² : predicted² |"
    )
    print("|---|---|---|" + "---|" * (len(powers) + 2))
    for (kernel, name), found in curves.items():
        for estimator, curve in found.items():
            cells = []
            for power in powers:
                i = sizes.index(power)
                told = f" ({curve.predicted[i]:.4f})" if curve.predicted else ""
                cells.append(f"{curve.measured[i]:.4f}{told}")
            slope, uncertainty = curve.slope()
            surplus = "{:.2f} ± {:.2f}".format(*curve.surplus()) if curve.predicted else ""
            print(
                f"| {kernel} | {name} | {TITLES[estimator]} | {' | '.join(cells)} | {slope:.3f} ± {uncertainty:.3f} | "
                f"{surplus} |"
            )


def shown_powers(curves: Curves) -> tuple[int, ...]:
    """The powers that get a column of the table."""
    count = len(next(iter(curves.values()))["jordan"].columns)
    return QUICK_POWERS if count == len(QUICK_POWERS) else (1, 4, 7, 10)


# -- the two limits ----------------------------------------------------------------------------------------------------


def log_gaps(found: Mapping[Estimator, Curve], estimator: Estimator) -> tuple[NDArray[np.float64], float]:
    """Mean log error less that of Jordan for every size, and its standard error, the same for all sizes."""
    own, jordan = np.log(found[estimator].errors), np.log(found["jordan"].errors)
    variance = np.mean([own.var(axis=0, ddof=1), jordan.var(axis=0, ddof=1)])
    return own.mean(axis=0) - jordan.mean(axis=0), float(np.sqrt(2 * variance / len(own)))


def print_ratios(curves: Curves) -> None:
    """Errors divided by those of Jordan with exact masses at equal columns."""
    others = [estimator for estimator in TITLES if estimator != "jordan"]
    print(f"\n| kernel | set | {' | '.join(TITLES[e] for e in others)} | polar, least … largest M | `auto` takes |")
    print("|---|---|" + "---|" * (len(others) + 2))
    for (kernel, name), found in curves.items():
        cells = []
        for estimator in others:
            if estimator not in found:
                cells.append("")
                continue
            curve, jordan = found[estimator], found["jordan"]
            ratio = float(np.exp(np.log(curve.measured / jordan.measured).mean()))
            _, uncertainty = log_gaps(found, estimator)
            expected = np.divide(curve.predicted, jordan.predicted) if curve.predicted else None
            told = "" if expected is None else f" ({np.exp(np.log(expected).mean()):.2f})"
            cells.append(f"{ratio:.2f} ± {ratio * uncertainty / np.sqrt(len(curve.columns)):.2f}{told}")
        ratios = found["polar"].measured / found["jordan"].measured
        taken = ", ".join(TITLES[estimator] for estimator, curve in found.items() if curve.chosen)
        print(f"| {kernel} | {name} | {' | '.join(cells)} | {ratios.min():.2f} … {ratios.max():.2f} | {taken} |")


def ratio_faults(curves: Curves) -> list[str]:
    """Where auto, or polar where it should not, has a larger error than the Jordan decomposition beyond chance."""
    faults = []
    for (kernel, name), found in curves.items():
        for estimator, curve in found.items():
            better = bool(curve.predicted) and curve.predicted[-1] <= found["jordan"].predicted[-1]
            if estimator == "jordan" or not (curve.chosen or (estimator == "polar" and better)):
                continue
            gaps, uncertainty = log_gaps(found, estimator)
            worst, whole = gaps.max() / uncertainty, gaps.mean() / uncertainty * np.sqrt(len(gaps))
            if worst > 4 or whole > 3:
                told = f"z = {worst:.1f} at one M, {whole:.1f} in all"
                faults.append(f"{kernel} on {name}: {estimator} is worse than Jordan, {told}")
    return faults


def law_faults(curves: Curves) -> list[str]:
    """Unbiased estimators whose error is not the predicted one, or does not fall with the root of the columns."""
    faults = []
    for (kernel, name), found in curves.items():
        for estimator, curve in found.items():
            if not curve.predicted:
                continue
            slope, uncertainty = curve.slope()
            if abs(slope + 0.5) > 3 * uncertainty:
                faults.append(f"{kernel} on {name}, {estimator}: slope {slope:.3f} ± {uncertainty:.3f}, not −½")
            surplus, spread = curve.surplus()
            if abs(surplus - 1) > 4 * spread:
                faults.append(
                    f"{kernel} on {name}, {estimator}: {surplus:.3f} ± {spread:.3f} of the predicted variance"
                )
    return faults


# -- masses ------------------------------------------------------------------------------------------------------------


def print_masses(folder: Path) -> None:
    """The exact masses, the total variation, and the parts that are left out."""
    print("| kernel | set | d | ‖μ_R⁺‖ | ‖μ_R⁻‖ | ‖μ_I⁺‖ | Jordan mass | ‖μ‖ | left out |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in SETS:
        X = some_rows(name, folder)
        for kernel in KERNELS:
            spec = spec_of(kernel, X.shape[1])
            masses = ks.analyze(spec, X.shape[1]).masses
            whole = float(masses.jordan)
            sizes = [float(each) for each in (masses.real_positive, masses.real_negative, masses.imaginary_positive)]
            parts = len(compile_map(spec, X, 1024, 0, "jordan").plan.strata)
            left_out = "negative real" if parts == 2 and sizes[1] > 0 else ""
            print(
                f"| {kernel} | {name} | {X.shape[1]} | {sizes[0]:.6g} | {sizes[1]:.3g} | {sizes[2]:.6g} | "
                f"{whole:.5g} | {float(masses.total_variation):.5g} | {left_out} |"
            )


def print_fits(curves: Curves) -> None:
    """How far the fitted weights are off: root mean squares over the trials, in shares of the Jordan mass."""
    powers = shown_powers(curves)
    sizes = POWERS if len(powers) > 3 else QUICK_POWERS
    print("\n| kernel | set | part, weight | " + " | ".join(f"M = {2**p} d" for p in powers) + " |")
    print("|---|---|---|" + "---|" * len(powers))
    for (kernel, name), found in curves.items():
        exact = np.array(found["jordan"].weights[0][0])
        parts = PARTS if len(exact) == 3 else PARTS[::2]
        for j, part in enumerate(parts):
            if kernel == "sinh" and j == 0:
                continue  # k(0) by the constraint
            cells = []
            for power in powers:
                own = np.array(found["fitted"].weights[sizes.index(power)])[:, j]
                off = np.sqrt(np.mean((own - exact[j]) ** 2)) / np.abs(exact).sum()
                cells.append(f"{np.mean(own):.4g}, off {off:.2%}")
            print(f"| {kernel} | {name} | {part}, {exact[j]:.4g} | {' | '.join(cells)} |")


Line = dict[str, tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]
"""By kernel: sizes, exact weights (parts,), fitted weights (sizes, trials, parts); the imaginary one is 2‖μ_I⁺‖."""


def masses_on_the_line(trials: int) -> Line:
    """Masses fitted to 10 of 2,000 Gaussian numbers, d = 1."""
    X = np.random.default_rng(0).normal(size=(2000, 1)).astype(np.float32)
    sizes = 2 ** np.arange(3, 11)
    found: Line = {}
    for kernel in KERNELS:
        spec = spec_of(kernel, 1)
        exact = [stratum.weight for stratum in compile_map(spec, X, 1024, 0, "jordan").plan.strata]
        fits = [
            [
                [s.weight for s in compile_map(spec, X, size, 100 * size + trial, "fitted", rows=10).plan.strata]
                for trial in range(trials)
            ]
            for size in sizes.tolist()
        ]
        found[kernel] = sizes, np.array(exact), np.array(fits)
    return found


def print_line(line: Line) -> None:
    """Figure 1 as a table."""
    print("\n| kernel, d = 1 | part, exact mass | M = 8 | M = 64 | M = 1024 |\n|---|---|---|---|---|")
    for kernel, (sizes, exact, fits) in line.items():
        for j, part in enumerate(PARTS if len(exact) == 3 else PARTS[::2]):
            half = 0.5 if part == "imaginary" else 1.0
            cells = []
            for size in (8, 64, 1024):
                own = half * np.abs(fits[sizes.tolist().index(size), :, j])
                cells.append(f"{own.mean():.3g} ± {own.std(ddof=1):.2g}")
            print(f"| {kernel} | {part}, {half * abs(exact[j]):.4g} | {' | '.join(cells)} |")


# -- figures -----------------------------------------------------------------------------------------------------------


def draw_errors(kernel: str, curves: Curves, path: Path) -> None:
    """A panel for every set: predictions as lines, root mean square errors as points."""
    from matplotlib.ticker import NullFormatter

    from kernelspec.plotting.figures import distinct_colours, dress, new_figure, save_figure

    own = {name: found for (which, name), found in curves.items() if which == kernel}
    colours = dict(zip(TITLES, distinct_colours(len(TITLES)), strict=True))
    offered = OFFERED[kernel]
    figure = new_figure(len(own), [TITLES[e] for e in offered], [colours[e] for e in offered])
    figure.set_size_inches(2.5 * len(own), 3.3)
    for axes, (name, found) in zip(figure.axes, own.items(), strict=True):
        for estimator, curve in found.items():
            colour, mark = colours[estimator], "x" if estimator == "fitted" else "o"
            if curve.predicted:
                axes.plot(curve.columns, curve.predicted, color=colour, linewidth=1.2)
            axes.plot(curve.columns, curve.measured, mark, color=colour, markersize=4)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(NullFormatter())
        d = found["jordan"].columns[-1] >> 10
        label = f"relative error, {kernel}_gaussian" if axes is figure.axes[0] else ""
        dress(axes, f"{name}, d = {d}", "M / d (lines: predicted)", label)
        ticks = range(2, 11, 2)
        axes.set_xticks([d << power for power in ticks], [str(1 << power) for power in ticks])
        axes.set_xticks([], minor=True)
    save_figure(figure, path)
    reduce_colours(path)


def draw_line(line: Line, path: Path) -> None:
    """A panel for every kernel: fitted masses with their spread, the exact ones as lines."""
    from kernelspec.plotting.figures import distinct_colours, dress, new_figure, save_figure

    colours = distinct_colours(len(PARTS))
    figure = new_figure(len(line), [f"{part} (line: exact)" for part in PARTS], colours)
    for axes, (kernel, (sizes, exact, fits)) in zip(figure.axes, line.items(), strict=True):
        for j, part in enumerate(PARTS if len(exact) == 3 else PARTS[::2]):
            half = 0.5 if part == "imaginary" else 1.0
            own = half * np.abs(fits[:, :, j])
            colour, at = colours[PARTS.index(part)], sizes * 1.08 ** (j - 1)
            axes.axhline(half * abs(exact[j]), color=colour, linewidth=1.4)
            axes.errorbar(at, own.mean(axis=1), yerr=own.std(axis=1, ddof=1), fmt="o", color=colour, markersize=4)
        axes.set_xscale("log", base=2)
        dress(axes, f"{kernel}_gaussian, d = 1, 10 rows", "columns M", "mass of the part")
    save_figure(figure, path)
    reduce_colours(path)


def reduce_colours(path: Path) -> None:
    """Write the PNG again with a palette of 128 colours: a third of the bytes."""
    from PIL import Image

    with Image.open(path) as image:
        small = image.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


if __name__ == "__main__":
    main()
