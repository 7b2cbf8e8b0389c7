"""Ridge regression on random features beside exact machines, Table 1 of Rahimi and Recht 2007: python fourier_ridge.py

The sets at hand: cpu_act (6,500 rows for training, 21 columns; ‖y − ŷ‖/‖y‖) and Adult (32,561 rows, 123 columns; per
cent of wrong test rows), both in the paper's size, and 15,880 of the 522,000 rows of Forest Cover (54 columns). Fourier
features are cosines with random offsets of the Gaussian kernel, D of them; binning has P grids of the Laplace kernel
and a column for every cell. (Z'Z + λI) w = Z'y, without intercept, as in the paper.

What differs
- The paper says neither how it scales columns nor how it chose σ and λ. Here cpu_act and Forest Cover are in [−1, 1],
  Adult as found, 0 or 1; σ (a multiple of the median distance) and λ are the best on a fifth of the training rows,
  with one map. Ten maps are then fitted to all training rows.
- Its rows of cpu_act are not known: a random split. Those of Adult are the source's.
- "whitened" is the Gaussian kernel with the `stretch` that makes the covariance of the training rows the identity;
  cpu_act alone, as columns of the others add up to one.
- "both" has the D and the P features side by side, with the σ of each and the λ of binning.
- The exact machine of cpu_act is ridge regression with the kernel itself at the same σ and λ; those of the others are
  support vector machines (LIBSVM, C = 1) with the same σ.
- Linear models have the same choice of λ, with and without a constant column.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from provenance import made_by
from real_data import DataSet, load_data, scaled
from ridge_binning import binned
from scipy.linalg import solve
from scipy.sparse import csr_array, hstack
from scipy.sparse.linalg import lsqr
from scipy.spatial.distance import pdist
from sklearn.svm import SVC

import kernelspec as ks

__all__ = ["SETS", "TABLE", "best_of", "data_of", "error_of", "features_of", "ridge"]

Features = Callable[[NDArray[np.floating]], Any]

MULTIPLES = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
FEWER_MULTIPLES, FEWER_PENALTIES = (0.5, 1.0, 2.0, 4.0), (1e-2, 1e-1, 1.0)
"""Those of binning, whose columns are a hundred times as many."""
STEPS, RESIDUAL = 100, 1e-4


class Published(NamedTuple):
    """A line of the table: sizes of maps, and errors in per cent of Fourier features, binning and the exact machine."""

    fourier_size: int
    grids: int
    fourier: float
    binning: float
    exact: float


TABLE = {
    "cpu_act": Published(300, 350, 3.6, 5.3, 11.0),
    "adult": Published(500, 30, 14.9, 15.3, 15.1),
    "covtype": Published(5000, 50, 11.6, 2.2, 2.2),
}
SETS = tuple(TABLE)
BOTH = ("fourier", "binning")


class Choice(NamedTuple):
    """σ and λ, and the error in per cent on the rows that were kept back."""

    scale: float
    penalty: float
    error: float


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--maps", type=int, default=10, help="maps for each error")
    options = parser.parse_args()
    print(made_by(), end="\n\n")
    print("| set | machine | σ | λ | error, % | paper, % | CPU, s |\n|---|---|---|---|---|---|---|")
    for name in options.sets:
        table(name, data_of(name, options.data_dir), options.maps)


def table(name: str, data: DataSet, n_maps: int) -> None:
    """All lines of one set."""
    paper, start = TABLE[name], time.process_time()

    def line(machine: str, choice: Choice | None, errors: list[float], published: str) -> None:
        nonlocal start
        spread = f" [{min(errors):.2f}, {max(errors):.2f}]" if len(errors) > 1 else ""
        chosen = " | ".join(f"{number:.4g}" if number else "" for number in (choice or (0, 0))[:2])
        spent, start = time.process_time() - start, time.process_time()
        print(
            f"| {name} | {machine} | {chosen} | {np.mean(errors):.2f}{spread} | {published} | {spent:.0f} |",
            flush=True,
        )

    published = {"fourier": f"{paper.fourier:g}", "whitened": "", "binning": f"{paper.binning:g}"}
    choices = {}
    for kind in ("fourier", "whitened", "binning") if name == "cpu_act" else BOTH:
        choices[kind] = best_of(kind, data, paper)
        errors = [
            error_of(data, features_of(kind, choices[kind].scale, data, paper, seed), choices[kind].penalty)
            for seed in range(n_maps)
        ]
        line(kind, choices[kind], errors, published[kind])
    maps = [[features_of(kind, choices[kind].scale, data, paper, seed) for kind in BOTH] for seed in range(n_maps)]
    own = [error_of(data, side_by_side(two), choices["binning"].penalty) for two in maps]
    line("both", None, own, "")
    if name == "cpu_act":
        for kind in BOTH:
            line(
                f"exact, kernel of {kind}", choices[kind], [exact_ridge(data, kind, choices[kind])], f"{paper.exact:g}"
            )
    else:
        choice = choices["fourier"]
        machine = SVC(C=1, gamma=0.5 / choice.scale**2, cache_size=1000).fit(csr_array(data.X), data.y)
        wrong = 100 * float(np.mean(machine.predict(csr_array(data.X_test)) != data.y_test))
        line("exact, SVM of the kernel of fourier", Choice(choice.scale, 0, 0), [wrong], f"{paper.exact:g}")
    for label, features in (("linear, no intercept", lambda X: X), ("linear, intercept", with_constant)):
        held = held_out(data)
        penalty = min(PENALTIES, key=lambda penalty: error_of(held, features, penalty))
        line(label, Choice(0, penalty, 0), [error_of(data, features, penalty)], "")


def data_of(name: str, folder: Path) -> DataSet:
    """The rows of the table, columns scaled. Raises FileNotFoundError."""
    if name == "adult":
        data = load_data("a9a", folder)
        return data._replace(X=data.X.astype(np.float32), X_test=data.X_test.astype(np.float32))
    if name == "covtype":
        data = load_data("covtype", folder)
        X, X_test = (scaled(part, "[-1, 1]", data.X).astype(np.float32) for part in (data.X, data.X_test))
        return data._replace(X=X, X_test=X_test)
    with np.load(folder / "cpu_act.npz", allow_pickle=False) as file:
        X, y = file["X"].astype(np.float64), file["y"].astype(np.float64)
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[:6_500], order[6_500:]
    X, X_test = (scaled(part, "[-1, 1]", X[train]).astype(np.float32) for part in (X[train], X[test]))
    return DataSet(X, y[train], X_test, y[test], "regression", "random split")


def held_out(data: DataSet) -> DataSet:
    """Four fifths of the training rows, and the last fifth in place of those for testing."""
    cut = len(data.X) * 4 // 5
    return data._replace(X=data.X[:cut], y=data.y[:cut], X_test=data.X[cut:], y_test=data.y[cut:])


def spec_of(kind: str, scale: float, data: DataSet) -> ks.Spec:
    """The Gaussian or Laplace kernel of this scale, or the Gaussian one of whitened columns."""
    if kind == "whitened":
        factor = np.linalg.inv(np.linalg.cholesky(np.cov(data.X.T.astype(np.float64))))
        return ks.parse(f"stretch(gaussian(scale={scale:.6g}), {np.round(factor, 6).tolist()})")
    return ks.parse(f"{'laplace' if kind == 'binning' else 'gaussian'}(scale={scale:.6g})")


def features_of(kind: str, scale: float, data: DataSet, paper: Published, seed: int) -> Features:
    """A map drawn for the training rows."""
    spec = spec_of(kind, scale, data)
    if kind == "binning":
        return binned(data.X, spec, paper.grids, seed).transform
    return ks.compile(spec, data.X.shape[1], paper.fourier_size, seed=seed, method="phase").transform


def side_by_side(maps: list[Features]) -> Features:
    """The columns of all maps."""
    return lambda X: csr_array(hstack([csr_array(features(X)) for features in maps]))


def with_constant(X: NDArray[np.floating]) -> NDArray[np.floating]:
    """The columns and one of ones."""
    return np.column_stack([X, np.ones(len(X), X.dtype)])


def ridges(Z: Any, y: NDArray[np.float64], penalties: Sequence[float]) -> Iterator[NDArray[np.float64]]:
    """(Z'Z + λI)⁻¹ Z'y for every λ: by elimination, or in at most 100 steps of LSQR for sparse columns."""
    if not isinstance(Z, np.ndarray):
        for penalty in penalties:
            yield lsqr(Z, y, damp=penalty**0.5, atol=RESIDUAL, btol=RESIDUAL, iter_lim=STEPS)[0]
        return
    Z = Z.astype(np.float64)
    gram, sums = Z.T @ Z, Z.T @ y
    for penalty in penalties:
        yield solve(gram + penalty * np.eye(len(gram)), sums, assume_a="pos", check_finite=False, overwrite_a=True)


def ridge(Z: Any, y: NDArray[np.float64], penalty: float) -> NDArray[np.float64]:
    """(Z'Z + λI)⁻¹ Z'y."""
    return next(ridges(Z, y, (penalty,)))


def error(predicted: NDArray[np.float64], data: DataSet) -> float:
    """In per cent: the relative error, or the share of the wrong rows."""
    if data.task == "regression":
        return 100 * float(np.linalg.norm(data.y_test - predicted) / np.linalg.norm(data.y_test))
    return 100 * float(np.mean(predicted * data.y_test <= 0))


def error_of(data: DataSet, features: Features, penalty: float) -> float:
    """The error on the rows for testing of the ridge regression on these features."""
    return error(features(data.X_test) @ ridge(features(data.X), data.y, penalty), data)


def best_of(kind: str, data: DataSet, paper: Published) -> Choice:
    """σ and λ of the least error on the rows kept back."""
    held, found = held_out(data), []
    some = held.X[:1000].astype(np.float64)
    if kind == "whitened":
        some = some @ np.linalg.inv(np.linalg.cholesky(np.cov(held.X.T.astype(np.float64)))).T
    median = float(np.median(pdist(some, "cityblock" if kind == "binning" else "euclidean")))
    multiples, penalties = (FEWER_MULTIPLES, FEWER_PENALTIES) if kind == "binning" else (MULTIPLES, PENALTIES)
    for multiple in multiples:
        features = features_of(kind, multiple * median, held, paper, 0)
        Z, Z_test = features(held.X), features(held.X_test)
        found += [
            Choice(multiple * median, penalty, error(Z_test @ weights, held))
            for penalty, weights in zip(penalties, ridges(Z, held.y, penalties), strict=True)
        ]
    return min(found, key=lambda choice: choice.error)


def exact_ridge(data: DataSet, kind: str, choice: Choice) -> float:
    """The error of ridge regression with the kernel itself: features of infinite size."""
    spec = spec_of(kind, choice.scale, data)
    K = spec.gram(data.X.astype(np.float64))
    K[np.diag_indices_from(K)] += choice.penalty
    weights = np.linalg.solve(K, data.y)
    return error(spec.gram(data.X_test.astype(np.float64), data.X.astype(np.float64)) @ weights, data)


if __name__ == "__main__":
    main()
