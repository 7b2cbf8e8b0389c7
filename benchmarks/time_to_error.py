"""Time to 2 % relative error, variance counted as well as speed: python benchmarks/time_to_error.py [--figure FILE]

The Gaussian with the median distance as its scale, on standardised columns: relative Frobenius error of the kernel
matrix of 1,000 rows that no plan has seen, root mean square over maps, against the seconds that features of 20,000
rows take, float64, with all processors, in new memory; scikit-learn's `RBFSampler` and what `auto` takes for a pool of
4,000 rows. Read off at 2 % on log–log axes. What planning takes, once and for any number of rows, stands beside it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from planner import TARGET, error_of, rows_of
from provenance import made_by
from scipy.spatial.distance import pdist
from sklearn.kernel_approximation import RBFSampler
from timing import interleaved_seconds

import kernelspec as ks
from kernelspec.maps.feature_map import draw_map
from kernelspec.planning.plan import Plan

__all__ = ["main"]

DATA = ("letter", "ijcnn1", "mnist")
OFFSETS, OURS = (256, 512, 1024, 2048, 4096, 8192), (16, 32, 64, 128, 256, 512)
TIMED = 20_000


@dataclass(frozen=True)
class Curve:
    """Relative error and seconds, for every number of columns."""

    columns: Sequence[int]
    errors: NDArray[np.float64]
    seconds: NDArray[np.float64]

    def seconds_to(self, target: float) -> float:
        """Seconds at an error, between the sizes measured on log–log axes. Raises ValueError beyond them."""
        if not self.errors[-1] <= target <= self.errors[0]:
            raise ValueError(f"errors from {self.errors[-1]:.3g} to {self.errors[0]:.3g}, not {target:g}")
        logs = np.interp(-np.log(target), -np.log(self.errors), np.log(self.seconds))
        return float(np.exp(logs))


def main() -> None:
    """Print a line for every data set; exit with 1 if one takes more than a tenth of the time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    parser.add_argument("--n-maps", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    print(made_by(), end="\n\n")
    print("| data | RBFSampler, ms | ours, ms | times less | s to plan |\n|---|---|---|---|---|")
    found, missed = {}, False
    for name in DATA:
        offsets, ours, planning = measure(name, options.data_dir, options.n_maps, options.rounds)
        slow, fast = offsets.seconds_to(TARGET), ours.seconds_to(TARGET)
        print(f"| {name} | {1e3 * slow:.0f} | {1e3 * fast:.3g} | {slow / fast:.1f} | {planning:.2f} |", flush=True)
        found[name], missed = (offsets, ours), missed or slow < 10 * fast
    if options.figure is not None:
        draw(found, options.figure)
    raise SystemExit(missed)


def measure(name: str, folder: Path, n_maps: int, rounds: int) -> tuple[Curve, Curve, float]:
    """The curves of scikit-learn and of ours, and the most seconds that a plan took."""
    pool, new = rows_of(name, folder)
    scale = float(np.median(pdist(pool[:1_000])))
    spec, gamma = ks.parse(f"gaussian(scale={scale!r})"), 1 / (2 * scale**2)
    exact, many = spec.gram(new), pool[np.random.default_rng(1).integers(0, len(pool), TIMED)]
    work: dict[str, Callable[[], object]] = {}
    errors: dict[str, float] = {}
    for n in OFFSETS:

        def offsets(seed: int, n: int = n) -> NDArray[np.float64]:
            Z = RBFSampler(gamma=gamma, n_components=n, random_state=seed).fit(pool).transform(new)
            return np.asarray(Z @ Z.T)

        errors[f"offsets {n}"] = error_of(offsets, exact, n_maps)
        sampler = RBFSampler(gamma=gamma, n_components=n, random_state=0).fit(pool)
        work[f"offsets {n}"] = lambda sampler=sampler: sampler.transform(many)
    planning = 0.0
    ks.compile(spec, data=pool[:100], n_features=8).transform(pool[:100])  # what is compiled is compiled
    for n in OURS:
        started = time.perf_counter()
        plan = ks.compile(spec, data=pool, n_features=n).plan
        planning = max(planning, time.perf_counter() - started)

        def drawn(seed: int, plan: Plan = plan) -> NDArray[np.float64]:
            return draw_map(replace(plan, seed=seed)).approximate(new)

        errors[f"ours {n}"] = error_of(drawn, exact, n_maps)
        fmap = draw_map(plan)
        work[f"ours {n}"] = lambda fmap=fmap: fmap.transform(many)
    seconds = {way: float(np.median(own)) for way, own in interleaved_seconds(work, rounds).items()}
    curves = [
        Curve(sizes, *(np.array([own[f"{way} {n}"] for n in sizes]) for own in (errors, seconds)))
        for way, sizes in (("offsets", OFFSETS), ("ours", OURS))
    ]
    return curves[0], curves[1], planning


def draw(found: dict[str, tuple[Curve, Curve]], path: Path) -> None:
    """A panel for every data set: error against time."""
    from kernelspec.plotting.figures import INK, distinct_colours, dress, new_figure, save_figure

    colours = distinct_colours(2)
    figure = new_figure(len(found), ["scikit-learn's RBFSampler", "kernelspec"], colours)
    for axes, (name, curves) in zip(figure.axes, found.items(), strict=True):
        for curve, colour in zip(curves, colours, strict=True):
            axes.plot(1e3 * curve.seconds, curve.errors, "o-", color=colour, linewidth=1.6, markersize=4)
        axes.axhline(TARGET, color=INK, linewidth=0.8, linestyle="--")
        axes.set(xscale="log", yscale="log")
        times = curves[0].seconds_to(TARGET) / curves[1].seconds_to(TARGET)
        dress(axes, f"{name}: {times:.0f} times less at 2 %", "ms for 20,000 rows", "relative error")
    save_figure(figure, path)


if __name__ == "__main__":
    main()
