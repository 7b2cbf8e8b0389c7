"""A time series with a trend and a year: python examples/seasons.py [FIGURE]"""

import sys
from pathlib import Path

import numpy as np
from sklearn.linear_model import Ridge

import kernelspec as ks


def main() -> None:
    """Learn twelve years of months by features, and predict four more."""
    spec = ks.load(Path(__file__).parent / "specs" / "seasons.kernel")
    rng = np.random.default_rng(0)
    years = np.arange(0, 16, 1 / 12)[:, None]
    turning = 2 * np.pi * years[:, 0]
    truth = 0.15 * years[:, 0] + 0.02 * years[:, 0] ** 2 + np.sin(turning) + 0.4 * np.cos(2 * turning)
    seen = years[:, 0] < 12
    values = truth + 0.15 * rng.standard_normal(len(years))
    features = ks.compile(spec, data=years[seen], n_features=600)
    model = Ridge(alpha=0.02).fit(features.transform(years[seen]), values[seen])
    predicted = model.predict(features.transform(years))
    guesses = {"by the kernel": predicted, "the last year, repeated": repeated(values, seen)}
    for name, guess in guesses.items():
        rest = guess[~seen] - truth[~seen]
        print(f"{name}: off by {np.sqrt(np.mean(rest**2)):.1f} in the four years to come")
    if len(sys.argv) > 1:
        draw(years[:, 0], values, predicted, seen, sys.argv[1])


def repeated(values: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The training values, followed by repeats of their last twelve months."""
    last = values[seen][-12:]
    return np.concatenate([values[seen], np.resize(last, int((~seen).sum()))])


def draw(years: np.ndarray, values: np.ndarray, predicted: np.ndarray, seen: np.ndarray, path: str) -> None:
    """Training values, later values, predictions."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    axes.plot(years[seen], values[seen], ".", color="0.4", markersize=4, label="seen")
    axes.plot(years[~seen], values[~seen], ".", color="#d95f02", markersize=4, label="to come")
    axes.plot(years, predicted, color="#1b6ca8", linewidth=1.2, label="by the kernel")
    axes.axvline(12, color="0.7", linewidth=0.8)
    axes.set(xlabel="years")
    axes.legend(frameon=False)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
