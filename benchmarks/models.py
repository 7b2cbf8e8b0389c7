"""Tables to predictions: `suggest`, `tune` and `fit` with defaults, beside boosting, SVMs and random features.

Every set of `--data-dir` with a target, in random splits: three quarters of the rows for training, at most 14,000, and
up to 10,000 of the others for testing. Nothing is chosen on test rows. Rivals choose theirs on training rows:

- `boosting`: scikit-learn's HistGradientBoosting with defaults; `boosting tuned`: the best of eight settings on a held-
  out fifth, with early stopping;
- `svm raw`, `svm log`: SVC or SVR on standardised columns, or on signed logarithms of skewed ones: 16 cells and three
  folds on 3,000 rows, then fitted to at most 10,000;
- `rbf sampler`, `nystroem`: 1,024 columns of scikit-learn and ridge regression, scale and penalty on a held-out fifth.

`series` is the likelihood of a million irregular times under a state space, and on 2,000 of them beside the exact one.
For regression, `ours` also has the coverage of 95 % intervals, and `gap` that in the outer tenth along the first
principal component, with up to 3,000 rows of the inner part, beside the exact Gaussian process of the same spec.

Each cell (set, split, rival) is a line of `--cells` with the commit that made it, so a run that was ended goes on where
it was, and several processes may write; `results/models.md` is printed from all of them. CPU seconds are those of one
process: set OMP_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import RidgeClassifierCV, RidgeCV
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

import kernelspec as ks
from benchmarks.provenance import commit, made_by
from benchmarks.timing import cpu_time
from kernelspec.models.given import Observations, Table
from kernelspec.models.state_space import fit_state_space

__all__ = ["main"]

Numbers = NDArray[np.float64]

REGRESSION = ("california_housing", "census_house_16H", "census_house_8L", "cpu_act")
CATEGORIES = ("car", "dna")
_TRAINED_ON, _TESTED_ON, _SVM_ROWS, _SVM_TUNED_ON, _GAP_ROWS = 14_000, 10_000, 10_000, 3_000, 3_000
_FEATURES = 1_024
_PENALTIES = np.geomspace(1e-4, 1e3, 15)
_OURS = ("ours", "gap", "series")
_RESULTS = Path(__file__).parent / "results" / "models.md"


@dataclass(frozen=True)
class Split:
    """Training and test rows as a data frame, whose categories are text; classes are text, too."""

    name: str
    seed: int
    train: pd.DataFrame
    y_train: NDArray[Any]
    test: pd.DataFrame
    y_test: NDArray[Any]

    @property
    def is_regression(self) -> bool:
        return self.name in REGRESSION

    @property
    def has_categories(self) -> bool:
        return self.name in CATEGORIES

    def inputs(self) -> tuple[Numbers, Numbers]:
        """Numbers for the rivals: indicators of categories, other columns as they are."""
        if not self.has_categories:
            return self.train.to_numpy(float), self.test.to_numpy(float)
        encoder = OneHotEncoder(sparse_output=False, handle_unknown="ignore").fit(self.train)
        return encoder.transform(self.train), encoder.transform(self.test)


def split_of(folder: Path, name: str, seed: int) -> Split:
    """A random split of a set."""
    with np.load(folder / f"{name}.npz", allow_pickle=False) as file:
        found = {key: file[key] for key in file.files}
    X = found["X"].reshape(len(found["X"]), -1)
    names = [str(own) for own in found.get("feature_names", [])] or [f"x{i}" for i in range(X.shape[1])]
    frame = pd.DataFrame(X.astype(float), columns=names)
    if name in CATEGORIES:
        frame = frame.astype(int).astype(str)
    y = found["y"].astype(float) if name in REGRESSION else found["y"].astype(int).astype(str)
    order = np.random.default_rng(seed).permutation(len(X))
    n_train = min(_TRAINED_ON, 3 * len(X) // 4)
    train, test = order[:n_train], order[n_train : n_train + _TESTED_ON]
    return Split(name, seed, frame.iloc[train], y[train], frame.iloc[test], y[test])


def ours(split: Split) -> dict[str, Any]:
    """The public door with defaults."""
    began = cpu_time()
    data = split.train.assign(target=split.y_train)
    text = ks.suggest(data, target="target")
    suggested = cpu_time()
    spec = ks.tune(text, split.train, split.y_train).spec
    tuned = cpu_time()
    model = (ks.KernelRegressor if split.is_regression else ks.KernelClassifier)(spec, random_state=0)
    model.fit(split.train, split.y_train)
    fitted = cpu_time()
    found: dict[str, Any] = {"score": float(model.score(split.test, split.y_test))}
    if split.is_regression:
        found["coverage"] = _coverage(model, split.test, split.y_test)
        found["solver"] = model.solver_
    else:
        found["log_loss"] = _log_loss(split, model.predict_proba(split.test), model.classes_)
        found["kind"] = model.kind_
    parts = {"suggest": suggested - began, "tune": tuned - suggested, "fit": fitted - tuned}
    return found | {"seconds": fitted - began, "parts": parts}


def _coverage(model: Any, X: pd.DataFrame, y: NDArray[Any]) -> float:
    low, high = model.predict_interval(X, 0.95)
    return float(np.mean((low <= y) & (y <= high)))


def _log_loss(split: Split, probabilities: Numbers, classes: NDArray[Any]) -> float:
    """Mean −log p of the class of test rows, at most 27.6: a class without training rows has the probability 0."""
    column = np.searchsorted(classes, split.y_test) % len(classes)
    found = np.where(classes[column] == split.y_test, probabilities[np.arange(len(column)), column], 0.0)
    return float(-np.mean(np.log(np.maximum(found, 1e-12))))


def _boosting(split: Split, **settings: Any) -> Any:
    kind = HistGradientBoostingRegressor if split.is_regression else HistGradientBoostingClassifier
    if not split.is_regression and min(np.unique(split.y_train, return_counts=True)[1]) < 3:
        settings["early_stopping"] = False  # which splits every class
    return kind(random_state=0, categorical_features="from_dtype", **settings)


def _frames(split: Split) -> tuple[pd.DataFrame, pd.DataFrame]:
    if not split.has_categories:
        return split.train, split.test
    kinds = {name: pd.CategoricalDtype(sorted(set(split.train[name]) | set(split.test[name]))) for name in split.train}
    return split.train.astype(kinds), split.test.astype(kinds)


def boosting(split: Split) -> dict[str, Any]:
    """HistGradientBoosting with defaults."""
    return _boosted(split, [{}])


def boosting_tuned(split: Split) -> dict[str, Any]:
    """The best of eight settings on a held-out fifth."""
    generator = np.random.default_rng(split.seed)
    settings = [
        {
            "learning_rate": float(np.exp(generator.uniform(np.log(0.03), np.log(0.3)))),
            "max_leaf_nodes": int(generator.choice([7, 15, 31, 63])),
            "min_samples_leaf": int(generator.choice([5, 10, 20, 40])),
            "l2_regularization": float(generator.choice([0.0, 0.1, 1.0, 10.0])),
            "max_iter": 500,
            "early_stopping": True,
            "validation_fraction": 0.15,
        }
        for _ in range(7)
    ]
    return _boosted(split, [{}, *settings])


def _boosted(split: Split, settings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    began = cpu_time()
    train, test = _frames(split)
    chosen = settings[0]
    if len(settings) > 1:
        kept, held = _held_out(split)
        scores = []
        for own in settings:
            model = _boosting(split, **own).fit(train.iloc[kept], split.y_train[kept])
            scores.append(model.score(train.iloc[held], split.y_train[held]))
        chosen = settings[int(np.argmax(scores))]
    model = _boosting(split, **chosen).fit(train, split.y_train)
    seconds = cpu_time() - began
    found = {"score": float(model.score(test, split.y_test)), "seconds": seconds, "settings": chosen}
    if not split.is_regression:
        found["log_loss"] = _log_loss(split, model.predict_proba(test), model.classes_)
    return found


def _held_out(split: Split) -> list[NDArray[np.intp]]:
    strata = None
    if not split.is_regression and min(np.unique(split.y_train, return_counts=True)[1]) > 1:
        strata = split.y_train
    found: list[NDArray[np.intp]] = train_test_split(
        np.arange(len(split.y_train)), test_size=0.2, random_state=split.seed, stratify=strata
    )
    return found


def _signed_logarithms(train: Numbers) -> FunctionTransformer:
    """Signed logarithms of columns of skewness above 1, in units of their median size."""
    spread = train.std(axis=0)
    centred = (train - train.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    skewed = np.abs(np.mean(centred**3, axis=0)) > 1
    units = np.array([np.median(np.abs(own[own != 0])) if own.any() else 1.0 for own in train.T])

    def taken(X: Numbers) -> Numbers:
        return np.where(skewed, np.sign(X) * np.log1p(np.abs(X) / units), X)

    return FunctionTransformer(taken)


def _svm(split: Split, logarithms: bool) -> dict[str, Any]:
    began = cpu_time()
    train, test = split.inputs()
    generator = np.random.default_rng(split.seed)
    some = generator.permutation(len(train))[:_SVM_ROWS]
    X, y = train[some], split.y_train[some]
    center, spread = (y.mean(), y.std()) if split.is_regression else (0.0, 1.0)
    if split.is_regression:
        y = (y - center) / spread
    steps: list[Any] = [_signed_logarithms(train)] if logarithms else []
    machine = SVR(cache_size=1000) if split.is_regression else SVC(cache_size=1000)
    model = make_pipeline(*steps, StandardScaler(), machine)
    name, width = type(machine).__name__.lower(), train.shape[1]
    grid = {f"{name}__C": [0.3, 3, 30, 300], f"{name}__gamma": [own / width for own in (0.04, 0.2, 1.0, 5.0)]}
    search = GridSearchCV(model, grid, cv=3, refit=False)
    search.fit(X[:_SVM_TUNED_ON], y[:_SVM_TUNED_ON])
    model.set_params(**search.best_params_).fit(X, y)
    seconds = cpu_time() - began
    predicted = model.predict(test)
    score = r2_score(split.y_test, predicted * spread + center) if split.is_regression else None
    score = accuracy_score(split.y_test, predicted) if score is None else score
    return {"score": float(score), "seconds": seconds, "settings": search.best_params_}


def _random_features(split: Split, sampler: Callable[..., Any]) -> dict[str, Any]:
    began = cpu_time()
    train, test = split.inputs()
    kept, held = _held_out(split)
    width, y = train.shape[1], split.y_train

    def model(gamma: float) -> Any:
        ridge = (RidgeCV if split.is_regression else RidgeClassifierCV)(alphas=_PENALTIES)
        n = min(_FEATURES, len(kept)) if sampler is Nystroem else _FEATURES
        return make_pipeline(StandardScaler(), sampler(gamma=gamma, n_components=n, random_state=split.seed), ridge)

    gammas = [own / width for own in (0.02, 0.06, 0.2, 0.6, 2.0)]
    scores = [model(gamma).fit(train[kept], y[kept]).score(train[held], y[held]) for gamma in gammas]
    best = model(gammas[int(np.argmax(scores))]).fit(train, y)
    return {"seconds": cpu_time() - began, "score": float(best.score(test, split.y_test))}


def gap(split: Split) -> dict[str, Any]:
    """The coverage in the outer tenth along the first principal component: features, and the exact process."""
    if not split.is_regression:
        return {}
    began = cpu_time()
    spread = split.train.std().replace(0, 1)
    scaled = (split.train - split.train.mean()) / spread
    place = scaled.to_numpy() @ np.linalg.svd(scaled, full_matrices=False)[2][0]
    outer = np.abs(place - np.median(place)) > np.quantile(np.abs(place - np.median(place)), 0.9)
    inner = np.flatnonzero(~outer)[:_GAP_ROWS]
    X, y = split.train.iloc[inner], split.y_train[inner]
    spec = ks.tune(ks.suggest(X.assign(target=y), target="target"), X, y).spec
    found = {}
    for solver in ("features", "exact"):
        model = ks.KernelRegressor(spec, solver=solver, random_state=0).fit(X, y)
        found[solver] = _coverage(model, split.train[outer], split.y_train[outer])
    return found | {"seconds": cpu_time() - began}


def series(seed: int) -> dict[str, Any]:
    """The likelihood of a million irregular times, and its difference from that by matrices on 2,000 of them."""
    generator = np.random.default_rng(seed)
    times = np.cumsum(generator.exponential(0.2, 1_000_000))
    y = np.sin(times) + np.cos(0.37 * times) + 0.3 * generator.normal(size=len(times))
    spec = "matern(nu=3/2)*cosine(1) + exponential() + 0.1*noise()"
    few = [
        ks.KernelRegressor(spec, solver=solver).fit(times[:2_000, None], y[:2_000])
        for solver in ("state-space", "exact")
    ]
    values = [own.log_marginal_likelihood_value_ for own in few]
    read = Table.of(times[:, None], None, missing="refuse").under(ks.parse(spec))
    observations = Observations.of(read.rows, y[:, None], np.ones(len(y)))
    path = fit_state_space(read, observations).path
    began = cpu_time()
    path.deviance(np.array([0.1]))
    likelihood = cpu_time() - began
    began = cpu_time()
    ks.KernelRegressor(spec, solver="state-space").fit(times[:, None], y)
    return {"likelihood": likelihood, "seconds": cpu_time() - began, "difference": abs(values[0] / values[1] - 1)}


RIVALS: dict[str, Callable[[Split], dict[str, Any]]] = {
    "ours": ours,
    "boosting": boosting,
    "boosting tuned": boosting_tuned,
    "svm raw": lambda split: _svm(split, logarithms=False),
    "svm log": lambda split: _svm(split, logarithms=True),
    "rbf sampler": lambda split: _random_features(split, RBFSampler),
    "nystroem": lambda split: _random_features(split, Nystroem),
    "gap": gap,
}


Cells = dict[tuple[str, str], list[dict[str, Any]]]


def cells_in(path: Path) -> Cells:
    """The cells by set and rival, one for each split that is done."""
    found: Cells = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        cell = json.loads(line)
        found.setdefault((cell["set"], cell["rival"]), []).append(cell)
    return found


def _is_done(cells: Cells, name: str, rival: str, seed: int) -> bool:
    return any(cell["split"] == seed for cell in cells.get((name, rival), ()))


def _mean(cells: Sequence[dict[str, Any]], key: str) -> float:
    values = [cell[key] for cell in cells if key in cell]
    return float(np.mean(values)) if values else float("nan")


def _shown(cells: Sequence[dict[str, Any]], key: str, digits: int = 3) -> str:
    values = [cell[key] for cell in cells if key in cell]
    if not values:
        return "–"
    spread = f" ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else ""
    return f"{np.mean(values):.{digits}f}{spread}"


def _difference(ours: Sequence[dict[str, Any]], theirs: Sequence[dict[str, Any]], key: str = "score") -> float:
    """The mean difference, in hundredths, over the splits that both have; NaN without any."""
    other = {cell["split"]: cell[key] for cell in theirs}
    found = [cell[key] - other[cell["split"]] for cell in ours if cell["split"] in other]
    return 100 * float(np.mean(found)) if found else float("nan")


def report(cells: Cells) -> str:
    """The tables."""
    names = sorted(name for name, rival in cells if rival == "ours")
    rivals = [rival for rival in RIVALS if rival != "gap" and any(own == rival for _, own in cells)]
    lines = ["## R² or accuracy", "", f"| set | splits | {' | '.join(rivals)} |", f"|{'---|' * (len(rivals) + 2)}"]
    for name in names:
        own = [_shown(cells.get((name, rival), []), "score") for rival in rivals]
        lines.append(f"| {name} | {len(cells.get((name, 'ours'), []))} | {' | '.join(own)} |")
    lines += [
        "",
        "## Against each rival, points",
        "",
        "| rival | sets | mean | least | ours above |",
        "|---|---|---|---|---|",
    ]
    for rival in rivals[1:]:
        found = {name: _difference(cells.get((name, "ours"), []), cells.get((name, rival), [])) for name in names}
        found = {name: points for name, points in found.items() if np.isfinite(points)}
        if found:
            worst = min(found, key=lambda name: found[name])
            above = sum(own > 0 for own in found.values())
            mean = f"{np.mean(list(found.values())):+.2f}"
            lines.append(f"| {rival} | {len(found)} | {mean} | {found[worst]:+.2f} ({worst}) | {above} |")
    lines += ["", "## Log loss", "", "| set | ours | boosting | boosting tuned | ours − boosting, same splits |"]
    lines.append("|---|---|---|---|---|")
    apart = {}
    for name in names:
        if name not in REGRESSION:
            own = [_shown(cells.get((name, rival), []), "log_loss") for rival in ("ours", "boosting", "boosting tuned")]
            apart[name] = (
                _difference(cells.get((name, "ours"), []), cells.get((name, "boosting"), []), "log_loss") / 100
            )
            lines.append(f"| {name} | {' | '.join(own)} | {apart[name]:+.4f} |")
    lines += ["", f"Below boosting's on {sum(own < 0 for own in apart.values())} of {len(apart)} sets."]
    lines += ["", "## Coverage of 95 % intervals", ""]
    lines += ["| set | held-out rows | gap, features | gap, exact |", "|---|---|---|---|"]
    for name in names:
        if name in REGRESSION:
            gaps = [_shown(cells.get((name, "gap"), []), key) for key in ("features", "exact")]
            lines.append(f"| {name} | {_shown(cells.get((name, 'ours'), []), 'coverage')} | {' | '.join(gaps)} |")
    lines += ["", "## CPU seconds", "", "| set | suggest + tune + fit | " + " | ".join(rivals[1:]) + " |"]
    lines.append(f"|{'---|' * (len(rivals) + 1)}")
    for name in names:
        parts = [cell["parts"] for cell in cells.get((name, "ours"), [])]
        means = [f"{np.mean([part[key] for part in parts]):.1f}" for key in ("suggest", "tune", "fit") if parts]
        others = [f"{_mean(cells.get((name, rival), []), 'seconds'):.1f}" for rival in rivals[1:]]
        lines.append(f"| {name} | {' + '.join(means) or '–'} | {' | '.join(others)} |")
    if ("series", "series") in cells:
        timed = cells["series", "series"]
        lines += ["", "## A series of a million irregular times", ""]
        fit, difference = _shown(timed, "seconds", 1), max(cell["difference"] for cell in timed)
        lines.append(
            "`matern(nu=3/2)*cosine(1) + exponential() + 0.1*noise()`, 5 states: likelihood in "
            f"{_shown(timed, 'likelihood', 1)} s CPU, fit with leave-one-out errors in {fit} s. On 2,000 of them the "
            f"likelihood differs from the exact one by {difference:.1g}, relatively."
        )
    return "\n".join([*lines, ""])


def _heading(cells: Cells) -> str:
    made = made_by(" ".join(["python -m benchmarks.models", *sys.argv[1:]]))
    commits = sorted({cell["commit"] for (_, rival), own in cells.items() if rival in _OURS for cell in own})
    return (
        f"# From a table to predictions\n\n{made} Cells of ours: commits {', '.join(commits)}. One thread. "
        "Means over splits ± their standard deviation. What each rival does is written at the head of "
        "`benchmarks/models.py`; the rows are at most 14,000 for training.\n\n"
    )


def main() -> None:
    """Fill the cells that are asked for and not there yet, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--cells", type=Path, default=_RESULTS.with_suffix(".jsonl"), help="one line for each cell")
    parser.add_argument("--sets", help="names, with commas  [default: all]")
    parser.add_argument("--splits", default="0,1,2,3,4", help="seeds of the splits, with commas")
    parser.add_argument("--rivals", default=",".join([*RIVALS, "series"]), help=", ".join(RIVALS))
    parser.add_argument("--results", type=Path, default=_RESULTS)
    given = parser.parse_args()
    sets = given.sets.split(",") if given.sets else sorted(path.stem for path in given.data_dir.glob("*.npz"))
    warnings.simplefilter("ignore")
    rivals = given.rivals.split(",")
    for seed in map(int, given.splits.split(",")):
        asked = [(name, rival) for name in sets for rival in rivals if rival != "series"]
        for name, rival in [*asked, *([("series", "series")] if "series" in rivals else [])]:
            if _is_done(cells_in(given.cells), name, rival, seed) or (rival == "gap" and name not in REGRESSION):
                continue
            found = series(seed) if rival == "series" else RIVALS[rival](split_of(given.data_dir, name, seed))
            made = {"commit": commit(), "date": f"{datetime.now(UTC):%Y-%m-%d}"}
            with given.cells.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"set": name, "split": seed, "rival": rival, **made, **found}) + "\n")
            print(f"{name} {seed} {rival}: {found}", flush=True)
    cells = cells_in(given.cells)
    given.results.write_text(_heading(cells) + report(cells), encoding="utf-8")


if __name__ == "__main__":
    main()
