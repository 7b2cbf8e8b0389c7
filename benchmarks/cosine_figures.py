"""Variances of three ways to estimate the radial kernel on unit rows: python benchmarks/cosine_figures.py

Figures 1 to 4 of Li (2017), "Linearized GMM Kernels and Normalized Random Fourier Features": the formulas of Theorems
2.1, 2.2 and 3.1 as lines, and 100,000 repetitions measured through the features and keys of this package as points.

1. The ratio of the variances of Fourier features with a random offset, divided by their norm and not. Added: pairs of
   cosine and sine in as many columns, which the paper does not have.
2. The mean squared error against the number k of columns.
3. Var/E² of one sample, with consistent weighted sampling.
4. The ratio of the variances of normalized features and of e^{−2γ((1−X)/(1+X))²}, X the share of k keys that agree.

What differs: the values of ρ, γ and k of the paper are lost in the text that we have, so they are ours; points at one
γ (Figures 1, 3, 4) or at one ρ and γ (Figure 2) come from the same random numbers. Maps of many columns are cut into
maps of k columns, each divided by its own norm, which is what `normalized=True` does to a map of k columns. Keys are
those of two rows whose min-max kernel is g exactly, so that the points hold Theorem 3.1 and not the model of section 3;
what that model misses is in the last two tables, which are not in the paper.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from provenance import made_by

import kernelspec as ks
from kernelspec.laws.fourier import (
    minmax_limit,
    minmax_variance,
    normalized_variance,
    paired_variance,
    phase_variance,
    rbf_of_cosine,
    rbf_of_minmax,
)
from kernelspec.plotting.figures import INK, distinct_colours, dress, new_figure, save_figure

LIMIT, LIMIT_ASYMPTOTIC = 0.03, 0.1
"""Largest relative difference of a measured variance from a formula that is exact, and one that is not."""
GAMMAS = (0.5, 2.0, 10.0, 50.0)
COSINES = (-0.9, -0.5, 0.0, 0.5, 0.8, 0.95, 0.99)
PANELS = ((0.9, 1.0), (0.5, 1.0), (0.5, 10.0))
SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
COLUMNS, KEYS = 64, 256
"""k of the points in Figures 1, 3 and 4."""
_AT_ONCE = 1 << 18
Floats = NDArray[np.float64]


class Point(NamedTuple):
    """k times the variance of estimates of k columns: of random offsets, of those normalized, and of pairs."""

    phase: float
    normalized: float
    paired: float


def main() -> None:
    """Print the tables and write the figures; exit with 1 if a measured variance is too far from its formula."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    parser.add_argument("--figures", type=Path, help="folder to write the four figures to")
    parser.add_argument("--quick", action="store_true", help="5,000 repetitions, no limits")
    options = parser.parse_args()
    print(made_by(), end="\n\n")
    repetitions = 5_000 if options.quick else 100_000
    points = {gamma: measured_points(gamma, repetitions) for gamma in GAMMAS}
    shares = agreements(repetitions)
    far = [variances(points), asymptotic(points, shares)]
    errors = {panel: mean_squared_errors(*panel, repetitions) for panel in PANELS}
    error_table(errors)
    limit_of_normals()
    limit_of_data(options.data_dir)
    if options.figures is not None:
        figure_1(points, options.figures / "cosine_1_ratio.png")
        figure_2(errors, options.figures / "cosine_2_mse.png")
        figure_3(points, shares, options.figures / "cosine_3_relative.png")
        figure_4(points, shares, options.figures / "cosine_4_minmax.png")
    print(
        f"largest differences: {far[0]:.1%} (limit {LIMIT:.0%}), asymptotic {far[1]:.1%} (limit {LIMIT_ASYMPTOTIC:.0%})"
    )
    sys.exit(1 if not options.quick and (far[0] > LIMIT or far[1] > LIMIT_ASYMPTOTIC) else 0)


# -- what is measured ----------------------------------------------------------------------------------------------


def blocks(gamma: float, rho: Sequence[float], method: Literal["phase", "paired"], k: int, n: int) -> Iterator[Floats]:
    """Features of the unit vectors at cosine 1 and `rho` to the first, for n maps of k columns: (rows, some n, k)."""
    cosines = np.array([1.0, *rho])
    X = np.column_stack([cosines, np.sqrt(1 - cosines**2)])
    seed = 0
    while n > 0:
        some = min(n, _AT_ONCE // k)
        feature_map = ks.compile(f"rbf_cosine(gamma={gamma})", 2, some * k, seed=seed, method=method)
        Z = np.asarray(feature_map.transform(X)) * np.sqrt(some * k)
        if method == "paired":  # all cosines, then all sines: side by side for every frequency
            Z = np.stack(np.split(Z, 2, axis=1), axis=2)
        yield Z.reshape(len(X), some, k)
        n, seed = n - some, seed + 1


def measured_points(gamma: float, repetitions: int) -> list[Point]:
    """A point for every cosine."""
    found: dict[str, list[Floats]] = {"phase": [], "normalized": [], "paired": []}
    for Z in blocks(gamma, COSINES, "phase", COLUMNS, repetitions):
        products = np.einsum("ij,rij->ri", Z[0], Z[1:])
        squares = np.einsum("rij,rij->ri", Z, Z)
        found["phase"].append(products / COLUMNS)
        found["normalized"].append(products / np.sqrt(squares[0] * squares[1:]))
    for Z in blocks(gamma, COSINES, "paired", COLUMNS, repetitions):
        found["paired"].append(np.einsum("ij,rij->ri", Z[0], Z[1:]) / COLUMNS)
    variance = {name: COLUMNS * np.hstack(parts).var(axis=1) for name, parts in found.items()}
    return [Point(*(float(variance[name][i]) for name in Point._fields)) for i in range(len(COSINES))]


def agreements(repetitions: int) -> Floats:
    """The share of `KEYS` keys that agree, of rows whose min-max kernel is g of every cosine: (cosines, n)."""
    g = minmax_limit(COSINES)
    X = np.column_stack([np.ones(len(g) + 1), np.concatenate([[0.0], 1 / g - 1])])
    found, n, seed = [], repetitions, 0
    while n > 0:
        some = min(n, _AT_ONCE // KEYS)
        keys = ks.compile("minmax()", 2, some * KEYS, seed=seed, method="gcws").keys(X)
        found.append((keys[1:] == keys[0]).reshape(len(g), some, KEYS).mean(axis=2))
        n, seed = n - some, seed + 1
    return np.hstack(found)


def mean_squared_errors(rho: float, gamma: float, repetitions: int) -> dict[str, list[float]]:
    """E(estimate − kernel)² for k in SIZES, of random offsets, of those normalized, and of pairs (from k = 2)."""
    kernel = float(rbf_of_cosine(rho, gamma))
    last = np.array(SIZES) - 1
    sums: dict[str, Floats] = {name: np.zeros(len(SIZES)) for name in Point._fields}
    for Z in blocks(gamma, [rho], "phase", SIZES[-1], repetitions):
        xy, xx, yy = (np.cumsum(Z[a] * Z[b], axis=1)[:, last] for a, b in ((0, 1), (0, 0), (1, 1)))
        sums["phase"] += ((xy / SIZES - kernel) ** 2).sum(axis=0)
        sums["normalized"] += ((xy / np.sqrt(xx * yy) - kernel) ** 2).sum(axis=0)
    for Z in blocks(gamma, [rho], "paired", SIZES[-1], repetitions):
        xy = np.cumsum(Z[0] * Z[1], axis=1)[:, last]
        sums["paired"] += ((xy / SIZES - kernel) ** 2).sum(axis=0)
    sums["paired"][0] = np.nan
    return {name: [float(value) / repetitions for value in total] for name, total in sums.items()}


# -- tables --------------------------------------------------------------------------------------------------------


def variances(points: dict[float, list[Point]]) -> float:
    """Print measured variances over their formulas; the largest relative difference of those that are exact."""
    print(
        "k·Var, measured : formula            offsets               normalized            pairs                 ratio"
    )
    far = 0.0
    for gamma, row in points.items():
        for rho, point in zip(COSINES, row, strict=True):
            theory = [float(f(rho, gamma)) for f in (phase_variance, normalized_variance, paired_variance)]
            shown = "".join(f"{m:.3g} : {t:.3g}".ljust(22) for m, t in zip(point, theory, strict=True))
            print(f"γ = {gamma:<5} ρ = {rho:<5} k = {COLUMNS:<9} {shown}{point.normalized / point.phase:.3f}")
            far = max(far, abs(point.phase / theory[0] - 1), abs(point.paired / theory[2] - 1))
    return far


def asymptotic(points: dict[float, list[Point]], shares: Floats) -> float:
    """Print Figures 3 and 4; the largest difference of normalized features from Theorem 2.2, which is asymptotic."""
    print(f"\nkeys: kernel g, measured mean, {KEYS}·Var : g(1 − g), and Var/E²")
    for rho, share in zip(COSINES, shares, strict=True):
        g = float(minmax_limit(rho))
        print(
            f"ρ = {rho:<6} g = {g:.4f}  mean {share.mean():.4f}  {KEYS * share.var():.4f} : {g * (1 - g):.4f}   "
            f"{KEYS * share.var() / share.mean() ** 2:.3f} : {(1 - g) / g:.3f}"
        )
    print(f"\nratio of variances, normalized to keys: formulas, and measured with {COLUMNS} columns and {KEYS} keys")
    far = 0.0
    for gamma, row in points.items():
        for rho, point, share in zip(COSINES, row, shares, strict=True):
            own = KEYS * rbf_of_minmax(share, gamma).var()
            theory = float(normalized_variance(rho, gamma))
            far = max(far, abs(point.normalized / theory - 1))
            print(
                f"γ = {gamma:<5} ρ = {rho:<6} E = {float(rbf_of_cosine(rho, gamma)):<9.3g} "
                f"{theory / float(minmax_variance(rho, gamma)):<10.4g} {point.normalized / own:<10.4g}  "
                f"V_g {float(minmax_variance(rho, gamma)):.3g}, measured {own:.3g}"
            )
        grid = 1 - np.geomspace(1.9, 1e-5, 20_000)
        last = grid[np.flatnonzero(normalized_variance(grid, gamma) > minmax_variance(grid, gamma))[-1]]
        print(f"γ = {gamma}: keys have less variance up to ρ = {last:.3f}, E = {float(rbf_of_cosine(last, gamma)):.3f}")
    return far


def error_table(errors: dict[tuple[float, float], dict[str, list[float]]]) -> None:
    """Mean squared errors over the variances of the formulas."""
    print("\nmean squared error / (variance of the formula / k), for k = " + ", ".join(map(str, SIZES)))
    for (rho, gamma), found in errors.items():
        for name, f in (("phase", phase_variance), ("normalized", normalized_variance), ("paired", paired_variance)):
            ratios = [k * error / float(f(rho, gamma)) for k, error in zip(SIZES, found[name], strict=True)]
            print(f"ρ = {rho}, γ = {gamma:<5}{name:<12}" + "".join(f"{ratio:8.3f}" for ratio in ratios))


def limit_of_normals() -> None:
    """The model of section 3 on samples of it: mean over 200 pairs of rows, with the scatter of one pair."""
    print(
        "\nρ̄ = 0.5, coordinates of a t law with ν degrees of freedom: cosine (limit 0.5) and min-max kernel (limit 1/3)"
    )
    rng = np.random.default_rng(0)
    spec = ks.parse("minmax()")
    for freedom in (1.0, 2.0, 4.0, np.inf):
        for width in (10, 100, 1000):
            cosines, kernels = [], []
            for _ in range(200):
                x = rng.standard_normal((2, width))
                x[1] = 0.5 * x[0] + np.sqrt(0.75) * x[1]
                if np.isfinite(freedom):
                    x /= np.sqrt(rng.chisquare(freedom, width) / freedom)
                cosines.append(x[0] @ x[1] / np.linalg.norm(x[0]) / np.linalg.norm(x[1]))
                kernels.append(float(spec.gram(x[:1], x[1:])[0, 0]))
            told = [f"{np.mean(values):.3f} ± {np.std(values):.3f}" for values in (cosines, kernels)]
            print(f"ν = {freedom:<5} D = {width:<6} cosine {told[0]}   min-max {told[1]}")


def limit_of_data(folder: Path) -> None:
    """What the estimate from keys tends to on real rows, against the kernel that it is meant for."""
    print(
        "\n300 rows of data, columns in [0, 1] or standardised: root mean square of e^{−2γ((1−K)/(1+K))²} − e^{−γ(1−ρ)}"
    )
    for name in ("letter", "satimage", "segment", "spambase", "magic", "mnist"):
        path = folder / f"{name}.npz"
        if not path.exists():
            print(f"{name}: {path} is not there")
            continue
        with np.load(path, allow_pickle=False) as file:
            rows = np.sort(np.random.default_rng(0).permutation(len(file["X"]))[:300])
            X = file["X"][rows].astype(float)
        width, spread = np.ptp(X, axis=0), X.std(axis=0)
        unit = (X - X.min(axis=0)) / np.where(width > 0, width, 1)
        standard = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
        for scaling, numbers in (("[0, 1]", unit), ("standardised", standard)):
            table = numbers[np.linalg.norm(numbers, axis=1) > 0]
            off = ~np.eye(len(table), dtype=bool)
            agreement = ks.parse("minmax()").gram(table)[off]
            told = []
            for gamma in GAMMAS[:3]:
                kernel = ks.parse(f"rbf_cosine(gamma={gamma})").gram(table)[off]
                error = rbf_of_minmax(agreement, gamma) - kernel
                told.append(f"γ = {gamma}: {np.sqrt(np.mean(error**2)):.3f} (kernel {np.mean(kernel):.3f})")
            print(f"{name:<10}{scaling:<14}" + "   ".join(told))


# -- figures -------------------------------------------------------------------------------------------------------


def figure_1(points: dict[float, list[Point]], path: Path) -> None:
    """V_normalized/V, and V of pairs/V, against the cosine."""
    colours = distinct_colours(len(GAMMAS))
    figure = new_figure(2, [f"γ = {gamma:g}" for gamma in GAMMAS], colours)
    rho = np.linspace(-1, 1, 801)
    for axes, name, f in zip(
        figure.axes, ("normalized", "paired"), (normalized_variance, paired_variance), strict=True
    ):
        for gamma, colour in zip(GAMMAS, colours, strict=True):
            axes.plot(rho, f(rho, gamma) / phase_variance(rho, gamma), color=colour, linewidth=1.6)
            measured = [getattr(point, name) / point.phase for point in points[gamma]]
            axes.plot(COSINES, measured, "o", color=colour, markersize=4)
        title = "normalized / offsets" if name == "normalized" else "cosine and sine / offsets"
        dress(axes, title, "cosine ρ", "ratio of variances")
        axes.set_ylim(0, 1.05)
        axes.set_xticks([-1, -0.5, 0, 0.5, 1])
    save_figure(figure, path)


def figure_2(errors: dict[tuple[float, float], dict[str, list[float]]], path: Path) -> None:
    """Mean squared errors against k: points are measured, lines are V/k; the first two cases."""
    colours = distinct_colours(3)
    figure = new_figure(2, ["random offsets", "normalized", "cosine and sine"], colours)
    formulas = {"phase": phase_variance, "normalized": normalized_variance, "paired": paired_variance}
    for axes, (rho, gamma) in zip(figure.axes, PANELS[:2], strict=True):
        for colour, (name, f) in zip(colours, formulas.items(), strict=True):
            axes.plot(SIZES, float(f(rho, gamma)) / np.array(SIZES), color=colour, linewidth=1.4)
            axes.plot(SIZES, errors[rho, gamma][name], "o", color=colour, markersize=4)
        axes.set(xscale="log", yscale="log")
        kernel = float(rbf_of_cosine(rho, gamma))
        dress(axes, f"ρ = {rho}, γ = {gamma:g}: kernel {kernel:.3g}", "columns k", "mean squared error")
        axes.set_xticks(SIZES, [str(k) for k in SIZES])
        axes.minorticks_off()
    save_figure(figure, path)


def figure_3(points: dict[float, list[Point]], shares: Floats, path: Path) -> None:
    """Var/E² of one sample against E, on all of (0, 1) and close to 1."""
    colours = distinct_colours(4)
    names = ["random offsets", "normalized", "cosine and sine", "min-max keys"]
    figure = new_figure(2, names, colours)
    E = np.concatenate([np.geomspace(0.01, 0.7, 200), 1 - np.geomspace(0.3, 1e-4, 300)])
    rho = 1 + np.log(E)
    curves = [f(rho, 1.0) for f in (phase_variance, normalized_variance, paired_variance)] + [E * (1 - E)]
    g = shares.mean(axis=1)
    for axes in figure.axes:
        for colour, curve in zip(colours, curves, strict=True):
            axes.plot(E, curve / E**2, color=colour, linewidth=1.6)
        for gamma in GAMMAS[:3]:
            kernel = rbf_of_cosine(COSINES, gamma)
            for colour, name in zip(colours, Point._fields, strict=False):
                values = np.array([getattr(point, name) for point in points[gamma]])
                axes.plot(kernel, values / kernel**2, "o", color=colour, markersize=3.5)
        axes.plot(g, KEYS * shares.var(axis=1) / g**2, "o", color=colours[3], markersize=3.5)
        axes.set_yscale("log")
    dress(figure.axes[0], "variance of one sample / E²", "expectation E", "Var / E²")
    figure.axes[0].set(xlim=(0, 1), ylim=(1e-3, 1e4))
    dress(figure.axes[1], "close to 1", "expectation E", "Var / E²")
    figure.axes[1].set(xlim=(0.8, 1), ylim=(1e-4, 2))
    figure.axes[1].set_xticks([0.8, 0.85, 0.9, 0.95, 1])
    save_figure(figure, path)


def figure_4(points: dict[float, list[Point]], shares: Floats, path: Path) -> None:
    """V_normalized/V_g and V of pairs/V_g against the cosine."""
    colours = distinct_colours(len(GAMMAS))
    figure = new_figure(2, [f"γ = {gamma:g}" for gamma in GAMMAS], colours)
    rho = np.concatenate([np.linspace(-0.99, 0.9, 300), 1 - np.geomspace(0.1, 1e-4, 200)])
    formulas = {"normalized": normalized_variance, "paired": paired_variance}
    for axes, (name, f) in zip(figure.axes, formulas.items(), strict=True):
        for gamma, colour in zip(GAMMAS, colours, strict=True):
            axes.plot(rho, f(rho, gamma) / minmax_variance(rho, gamma), color=colour, linewidth=1.6)
            own = [KEYS * rbf_of_minmax(share, gamma).var() for share in shares]
            measured = [getattr(point, name) / value for point, value in zip(points[gamma], own, strict=True)]
            axes.plot(COSINES, measured, "o", color=colour, markersize=4)
        axes.axhline(1, color=INK, linewidth=0.8, linestyle=(0, (4, 2)))
        axes.set(yscale="log", ylim=(0.05, 1e5))
        axes.set_xticks([-1, -0.5, 0, 0.5, 1])
        dress(
            axes,
            f"{'normalized' if name == 'normalized' else 'cosine and sine'} / keys",
            "cosine ρ",
            "ratio of variances",
        )
    save_figure(figure, path)


if __name__ == "__main__":
    main()
