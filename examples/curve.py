"""A Gaussian process that knows its uncertainty: python examples/curve.py [FIGURE]"""

import sys
from pathlib import Path

import numpy as np

import kernelspec as ks

NOISE = 0.1


def main() -> None:
    """Learn a curve from 14 points; print how often the truth lies within two standard deviations."""
    spec = ks.load(Path(__file__).parent / "specs" / "curve.kernel")
    rng = np.random.default_rng(0)
    grid = np.linspace(-1, 9, 201)[:, None]
    inside = 0
    for _ in range(200):
        x = rng.uniform(0, 8, (14, 1))
        both = np.vstack([x, grid])
        drawn = np.linalg.cholesky(spec.gram(both) + 1e-8 * np.eye(len(both))) @ rng.standard_normal(len(both))
        y = drawn[:14] + NOISE * rng.standard_normal(14)
        across = spec.gram(grid, x)
        weights = np.linalg.solve(spec.gram(x) + NOISE**2 * np.eye(14), np.column_stack([y, across.T]))
        mean = across @ weights[:, 0]
        deviation = np.sqrt(np.maximum(1 - np.einsum("ij,ji->i", across, weights[:, 1:]), 0))
        inside += np.mean(np.abs(drawn[14:] - mean) < 2 * deviation)
    print(f"within two standard deviations: {inside / 2:.0f} % of 200 curves (95 % are expected)")
    if len(sys.argv) > 1:
        draw(grid[:, 0], mean, deviation, drawn[14:], x[:, 0], y, sys.argv[1])


def draw(
    grid: np.ndarray,
    mean: np.ndarray,
    deviation: np.ndarray,
    truth: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    path: str,
) -> None:
    """The last of the curves."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    axes.fill_between(grid, mean - 2 * deviation, mean + 2 * deviation, color="#1b6ca8", alpha=0.2, linewidth=0)
    axes.plot(grid, mean, color="#1b6ca8", label="mean, ± two standard deviations")
    axes.plot(grid, truth, color="0.4", linewidth=0.9, linestyle="--", label="truth")
    axes.plot(x, y, "o", color="#d95f02", markersize=4, label="seen")
    axes.legend(frameon=False)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
