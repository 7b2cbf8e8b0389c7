"""The shape of a Polya kernel as a hyperparameter, found by GridSearchCV: python benchmarks/polya_shape.py

Table 2 of Chen, Cheng and Liu (2016): for every data set and law the parameter of the law, the width (area of the
kernel of one column) and the penalty that cross-validation chose for ridge regression on random binning features. Here
the first two are parameters of a spec, so that scikit-learn's grid search finds them.

Their setting: the whole training part, the penalty tuned too, the number of samples not stated. Here: 4,000 training
rows (fewer than theirs prefer wider kernels), 128 grids, three folds, the penalty of their table; parameters and
widths on the grid of their table, coarsened. The loss is R² for cadata and accuracy elsewhere. The scaling of the
columns is lost in the text that we have: here [0, 1]. covtype is 4,000 rows of two random samples of it; mnist and
covtype of seven classes are left out for the time they take, the other three sets are not at hand. Then the winner and
the Laplace kernel (gamma law of shape 2) with its own best width are fitted to the 4,000 rows with 512 grids, and
compared on the rows for testing.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from provenance import made_by
from real_data import DataSet, load_data, scaled
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline

import kernelspec as ks
from kernelspec.models.features import UnmetKeysWarning


class Law(NamedTuple):
    """A law, its parameter, and the values to be tried."""

    name: str
    parameter: str
    values: tuple[float, ...]


class Theirs(NamedTuple):
    """A line of Table 2."""

    parameter: float
    width: float
    penalty: float


LAWS = (
    Law("shifted_poisson", "rate", (0.5, 1, 2, 4)),
    Law("gamma", "shape", (0.5, 1, 1.5, 2, 3)),
    Law("nakagami", "shape", (0.5, 1, 1.5, 2)),
    Law("weibull", "shape", (1, 2, 3)),
)

TABLE = {
    "cadata": (Theirs(2, 0.46, 0.1), Theirs(0.5, 3.16, 0.1), Theirs(0.5, 1.66, 0.1), Theirs(1, 0.87, 0.1)),
    "ijcnn1": (Theirs(1, 0.87, 1), Theirs(2, 0.87, 1), Theirs(2, 0.46, 1), Theirs(3, 0.87, 1)),
    "covtype": (Theirs(4, 0.12, 0.1), Theirs(2, 0.12, 0.1), Theirs(1, 0.24, 0.1), Theirs(2, 0.24, 0.01)),
}

WIDTHS = (0.12, 0.24, 0.46, 0.87, 1.66, 3.16, 6)
GRIDS, MORE_GRIDS, FOLDS = 128, 512, 3
LIMIT = 0.02
"""How much worse, in the score, the best kernel may be than the Laplace kernel on the rows for testing."""


def main() -> None:
    """Print a line per data set and law; exit with 1 if tuning the shape has cost more than the limit anywhere."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sets", nargs="+", choices=TABLE, default=list(TABLE))
    parser.add_argument("--quick", action="store_true", help="cadata, 500 rows, the gamma law and two widths")
    options = parser.parse_args()
    print(made_by(), end="\n\n")
    warnings.filterwarnings("ignore", category=UnmetKeysWarning)
    print("set        law              here: value  width  score of the folds   theirs: value  width   seconds")
    losses = []
    for name in ("cadata",) if options.quick else options.sets:
        data = part(name, options.data_dir, 500 if options.quick else 4000)
        widths = WIDTHS[3:5] if options.quick else WIDTHS
        best: dict[str, GridSearchCV] = {}
        for law, theirs in zip(LAWS, TABLE[name], strict=True):
            if options.quick and law.name != "gamma":
                continue
            start = time.process_time()
            search = best[law.name] = searched(data, law, theirs.penalty, widths)
            value = search.best_params_[f"kernelfeatures__params__{law.parameter}"]
            width = search.best_params_["kernelfeatures__params__width"]
            print(
                f"{name:<11}{law.name:<23}{value:<7g}{width:<7g}{search.best_score_:<29.4f}{theirs.parameter:<7g}"
                f"{theirs.width:<8g}{time.process_time() - start:.0f}",
                flush=True,
            )
        tuned = max(best, key=lambda law: best[law].best_score_)
        scores = tested(data, best[tuned].best_estimator_), tested(data, laplace_of(best["gamma"]))
        losses.append(scores[1] - scores[0])
        print(f"{name:<11}{MORE_GRIDS} grids, rows for testing: {tuned} {scores[0]:.4f}, Laplace {scores[1]:.4f}")
    sys.exit(1 if max(losses) > LIMIT and not options.quick else 0)


def part(name: str, folder: Path, count: int) -> DataSet:
    """Some random rows for training, and for testing at most 10,000, scaled by all rows for training."""
    data = load_data(name, folder)
    rng = np.random.default_rng(2)
    train, test = rng.permutation(len(data.X))[:count], rng.permutation(len(data.X_test))[:10_000]
    X, X_test = scaled(data.X[train], "[0, 1]", data.X), scaled(data.X_test[test], "[0, 1]", data.X)
    X, X_test = X.astype(np.float32), X_test.astype(np.float32)
    return data._replace(X=X, y=data.y[train], X_test=X_test, y_test=data.y_test[test])


def model(data: DataSet, law: Law, penalty: float) -> Pipeline:
    """Ridge regression, or its classifier, on random binning features with a column for every cell met in fit."""
    spec = f"param {law.parameter} = 2\nparam width = 1\npolya({law.name}({law.parameter}={law.parameter}), area=width)"
    features = ks.KernelFeatures(spec, n_features=GRIDS, method="binning", keys="exact", random_state=0)
    kind = Ridge if data.task == "regression" else RidgeClassifier
    return make_pipeline(features, kind(alpha=penalty, solver="sparse_cg", tol=1e-3, max_iter=100))


def searched(data: DataSet, law: Law, penalty: float, widths: tuple[float, ...]) -> GridSearchCV:
    """The search over the parameter of the law and the width."""
    grid = {f"kernelfeatures__params__{law.parameter}": law.values, "kernelfeatures__params__width": widths}
    return GridSearchCV(model(data, law, penalty), grid, cv=FOLDS).fit(data.X, target(data, data.y))


def laplace_of(search: GridSearchCV) -> Pipeline:
    """The model of the gamma law with shape 2 and the width that is best for it."""
    results = search.cv_results_
    scores = np.where(results["param_kernelfeatures__params__shape"] == 2, results["mean_test_score"], -np.inf)
    return search.estimator.set_params(**results["params"][int(np.argmax(scores))])


def tested(data: DataSet, pipeline: Pipeline) -> float:
    """The score on the rows for testing, with more grids."""
    pipeline.set_params(kernelfeatures__n_features=MORE_GRIDS)
    pipeline.fit(data.X, target(data, data.y))
    return float(pipeline.score(data.X_test, target(data, data.y_test)))


def target(data: DataSet, y: NDArray[np.float64]) -> NDArray[np.float64]:
    """The units of a regression are of no matter to its score, but to the accuracy of the solver."""
    return (y - data.y.mean()) / data.y.std() if data.task == "regression" else y


if __name__ == "__main__":
    main()
