"""How the time of features grows with the work: python benchmarks/scaling.py [--figure FILE] [ROUNDS]

Rows N, columns d, features D of a Gaussian kernel (cosine and sine, float32), grids R of random binning, and hashes k
of min-max kernels, one varied at a time from a middle that all panels share. Medians over rounds in random order, with
the quartiles; the slope on log–log axes is a least-squares fit over the upper half of the range, where what every call
costs no longer counts.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from provenance import made_by
from timing import interleaved_seconds

import kernelspec as ks
from kernelspec.maps.feature_map import FeatureMap

__all__ = ["main"]

ROWS, COLUMNS, FEATURES = 20_000, 32, 512
_KEYED_ROWS = 2_000


@dataclass(frozen=True)
class Curve:
    """Seconds at every size: median and quartiles, (sizes, 3)."""

    what: str
    sizes: Sequence[int]
    seconds: NDArray[np.float64]

    @property
    def slope(self) -> float:
        """d log(time) / d log(size), of the upper half."""
        half = len(self.sizes) // 2
        return float(np.polyfit(np.log(self.sizes[half:]), np.log(self.seconds[half:, 0]), 1)[0])

    def lines(self) -> list[str]:
        """Rows of a table."""
        found = [
            f"| {self.what} = {size:,} | {1e3 * median:.3g} [{1e3 * low:.3g}, {1e3 * high:.3g}] | |"
            for size, (median, low, high) in zip(self.sizes, self.seconds, strict=True)
        ]
        return [*found, f"| {self.what}: slope | | {self.slope:.2f} |"]


def main() -> None:
    """Print a table and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rounds", type=int, nargs="?", default=9)
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    print(made_by(), end="\n\n")
    print("| size | ms, median [quartiles] | slope |\n|---|---|---|")
    curves = []
    for measure in (rows, columns, features, grids, hashes):
        curves.append(measure(options.rounds))
        print("\n".join(curves[-1].lines()), flush=True)
    if options.figure is not None:
        draw(curves, options.figure)


def rows(rounds: int) -> Curve:
    """Rows N."""
    fmap, X = fourier(COLUMNS, FEATURES), numbers(256_000, COLUMNS)
    return timed("N", {n: into_same_memory(fmap, X[:n]) for n in powers(250, 256_000)}, rounds)


def columns(rounds: int) -> Curve:
    """Columns d."""
    work = {d: into_same_memory(fourier(d, FEATURES), numbers(ROWS, d)) for d in powers(2, 1024)}
    return timed("d", work, rounds)


def features(rounds: int) -> Curve:
    """Features D."""
    X = numbers(ROWS, COLUMNS)
    return timed("D", {n: into_same_memory(fourier(COLUMNS, n), X) for n in powers(16, 8192)}, rounds)


def grids(rounds: int) -> Curve:
    """Grids R of random binning."""
    X = numbers(ROWS, COLUMNS).astype(np.float64)
    maps = {n: ks.compile("laplace(scale=30)", dim=COLUMNS, n_features=n, method="binning") for n in powers(8, 512)}
    return timed("R", {n: lambda fmap=fmap: fmap.transform(X) for n, fmap in maps.items()}, rounds)


def hashes(rounds: int) -> Curve:
    """Hashes k of a min-max kernel."""
    X = np.abs(numbers(_KEYED_ROWS, COLUMNS)).astype(np.float64)
    maps = {n: ks.compile("minmax()", dim=COLUMNS, n_features=n, method="gcws") for n in powers(8, 1024)}
    return timed("k", {n: lambda fmap=fmap: fmap.transform(X) for n, fmap in maps.items()}, rounds)


def powers(least: int, most: int) -> list[int]:
    """From `least` to `most`, each twice the one before."""
    return [least << i for i in range((most // least).bit_length())]


def numbers(n: int, d: int) -> NDArray[np.float32]:
    """Standard normal rows."""
    return np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)


def fourier(d: int, n: int) -> FeatureMap:
    """n features of a Gaussian kernel on d columns."""
    return ks.compile(f"gaussian(scale={d**0.5:.3g})", dim=d, n_features=n, method="paired")


def into_same_memory(fmap: FeatureMap, X: NDArray[np.float32]) -> Callable[[], object]:
    """Features in memory that is used again."""
    out = np.empty((len(X), fmap.n_columns), dtype=np.float32)
    return lambda: fmap.transform(X, out=out)


def timed(what: str, work: Mapping[int, Callable[[], object]], rounds: int) -> Curve:
    """The curve of one kind of size."""
    found = interleaved_seconds({str(size): call for size, call in work.items()}, rounds)
    spread = [np.quantile(found[str(size)], [0.5, 0.25, 0.75]) for size in work]
    return Curve(what, list(work), np.array(spread))


def draw(curves: Sequence[Curve], path: Path) -> None:
    """A panel for every kind of size, with its fitted slope."""
    from kernelspec.plotting.figures import distinct_colours, dress, new_figure, save_figure

    colour, fit = distinct_colours(2)
    figure = new_figure(len(curves), ["measured, with quartiles", "fitted over the upper half"], [colour, fit])
    titles = {"N": "rows N", "d": "columns d", "D": "features D", "R": "grids R", "k": "hashes k"}
    for axes, curve in zip(figure.axes, curves, strict=True):
        sizes, milliseconds = np.array(curve.sizes, dtype=float), 1e3 * curve.seconds
        spread = np.abs(milliseconds[:, 1:] - milliseconds[:, :1]).T
        axes.errorbar(sizes, milliseconds[:, 0], spread, fmt="o", color=colour, markersize=4, linewidth=1)
        upper = sizes[len(sizes) // 2 :]
        line = np.polyfit(np.log(upper), np.log(milliseconds[len(sizes) // 2 :, 0]), 1)
        axes.plot(upper, np.exp(np.polyval(line, np.log(upper))), color=fit, linewidth=1.6)
        axes.set(xscale="log", yscale="log")
        dress(axes, f"{titles[curve.what]}: slope {curve.slope:.2f}", titles[curve.what], "ms")
    save_figure(figure, path)


if __name__ == "__main__":
    main()
