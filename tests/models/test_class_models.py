"""Tests of `models/class_models.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import kernelspec as ks
from kernelspec.models import state
from kernelspec.models.class_models import Directions, Logistic, logistic_path

N, D = 200, 12
_KINDS: tuple[Literal["least_squares", "logistic"], ...] = ("least_squares", "logistic")


def problem() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features whose scatter has eigenvalues from 1 to 1e-8, far from 0, classes and weights."""
    generator = np.random.default_rng(0)
    turned = generator.standard_normal((N, D)) * np.logspace(0, -4, D)
    features = 3 + turned @ np.linalg.qr(generator.standard_normal((D, D)))[0]
    scores = np.column_stack([turned[:, 0], 30 * turned[:, 1], 100 * turned[:, 3]])
    codes = np.argmax(scores + generator.gumbel(size=(N, 3)), axis=1)
    return features, codes, generator.integers(1, 4, N).astype(float)


def objective(model: Logistic, features: np.ndarray, codes: np.ndarray, weights: np.ndarray, penalty: float) -> float:
    """Σ w loss + ‖W‖²/2C."""
    own = np.log(model.probabilities(features)[np.arange(N), codes])
    return float(np.square(model.coefficients).sum() / (2 * penalty) - weights @ own)


def directions(features: np.ndarray, weights: np.ndarray, whole: bool) -> Directions:
    if not whole:
        return Directions.of_columns(features, weights)
    mean = weights @ features / weights.sum()
    scatter = (features - mean).T @ (weights[:, None] * (features - mean))
    values, vectors = np.linalg.eigh(scatter)
    return Directions(mean, values, vectors)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("sparse", [True, False])
def test_solutions_are_those_of_newton_steps(whole: bool, sparse: bool) -> None:
    features, codes, weights = problem()
    penalties = (1.0, 1e3, 1e6)
    own: Any = csr_array(features) if sparse else features
    known = directions(own if not whole else features, weights, whole)
    tolerance = 1e-9 if whole else 1e-12
    found = logistic_path(own, codes, weights, known, 3, penalties, tolerance=tolerance)
    for penalty, model in zip(penalties, found, strict=True):
        other = LogisticRegression(C=penalty, solver="newton-cg", tol=1e-10, max_iter=10_000)
        other.fit(features, codes, sample_weight=weights)
        expected = Logistic(other.coef_.T, other.intercept_)
        least, reached = (objective(m, features, codes, weights, penalty) for m in (expected, model))
        assert reached - least < (1e-5 if whole or penalty < 1e3 else 0.02) * weights.sum()
        if whole:
            np.testing.assert_allclose(model.probabilities(features), expected.probabilities(features), atol=3e-3)


def test_a_solution_starts_from_another() -> None:
    features, codes, weights = problem()
    known = directions(features, weights, whole=True)
    first = next(logistic_path(features, codes, weights, known, 3, (1e4,), tolerance=1e-10))
    again = next(logistic_path(features, codes, weights, known, 3, (1e4,), tolerance=1e-3, start=first))
    np.testing.assert_allclose(again.probabilities(features), first.probabilities(features), atol=1e-4)


def test_rows_held_out_are_unknown_to_the_models_that_predict_them() -> None:
    """Labels of 2,000 rows by chance, every row twice: no prediction is better than ½; 1e-6 for a false alarm."""
    generator = np.random.default_rng(0)
    rows, classes = generator.standard_normal((2_000, 3)), generator.integers(0, 2, 2_000)
    model = ks.KernelClassifier("gaussian(scale=0.3)", n_features=300, random_state=0)
    model.fit(np.repeat(rows, 2, axis=0), np.repeat(classes, 2))
    for loss in model.losses_.values():
        assert loss > np.log(2) - 4.9 * 0.3 / np.sqrt(2_000)


def digits(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of shares of which the largest of three is the class."""
    rows = np.random.default_rng(1).gamma(1.0, size=(n, 4))
    return rows, np.array(["a", "b", "c"])[np.argmax(rows[:, :3], axis=1)]


def test_too_many_columns_are_left_to_logistic_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, classes = digits(400)
    options: dict[str, Any] = {"n_features": 4, "method": "auto", "random_state": 0}
    narrow = ks.KernelClassifier("minmax()", kind="logistic", **options).fit(rows[:300], classes[:300])
    monkeypatch.setattr(state, "_MOST_COLUMNS", 1_000)
    model = ks.KernelClassifier("minmax()", **options).fit(rows[:300], classes[:300])
    assert model.fmap_.n_columns > 1_000
    assert model.kind_ == "logistic"
    assert list(model.losses_) == ["logistic"]
    np.testing.assert_allclose(model.losses_["logistic"], narrow.losses_["logistic"], rtol=0.05)
    np.testing.assert_allclose(model.predict_proba(rows), narrow.predict_proba(rows), atol=0.05)
    assert np.mean(model.predict(rows[300:]) == classes[300:]) > 0.7
    for ask in (
        lambda: ks.KernelClassifier("minmax()", kind="least_squares", **options).fit(rows, classes),
        lambda: ks.KernelClassifier("minmax()", kind="least_squares", **options).fit_blocks([(rows, classes)]),
    ):
        with pytest.raises(ks.PlanError, match=r"kind='logistic'"):
            ask()


@pytest.mark.long
def test_more_than_twenty_thousand_columns_of_text_are_classified() -> None:
    """Words of 21,000, of which those of a topic occur five times as often as others of their frequency."""
    generator = np.random.default_rng(0)
    n_rows, n_words = 600, 21_000
    topic = generator.integers(0, 3, n_rows)
    common = generator.zipf(1.3, (n_rows, 30)) % n_words
    own = 1000 * (topic[:, None] + 1) + generator.integers(0, 100, (n_rows, 10))
    words = np.hstack([common, own])
    counts = csr_array((np.ones(words.size), (np.repeat(np.arange(n_rows), 40), words.ravel())), (n_rows, n_words))
    model = ks.KernelClassifier("linear()", method="auto", n_features=n_words, random_state=0)
    model.fit(counts[:400], topic[:400])
    assert model.fmap_.n_columns == n_words
    assert np.mean(model.predict(counts[400:]) == topic[400:]) > 0.95


@pytest.mark.parametrize("kernel", ["gaussian(scale=2)", "gaussian(scale=2) + 1e6*constant()"])
def test_a_rare_class_far_from_the_others_is_learned(kernel: str) -> None:
    """20 of 4,000 rows: the loss of the prior is .03, and a step that lowers it by 1e-4 is far from the last."""
    generator = np.random.default_rng(0)
    rows, codes = generator.standard_normal((2, 4_000, 2)), np.arange(4_000) < 20
    rows[:, :20] = 8 + 0.3 * rows[:, :20]
    model = ks.KernelClassifier(kernel, kind="logistic", n_features=64, random_state=0).fit(rows[0], codes)
    own = model.predict_proba(rows[1])[np.arange(4_000), codes.astype(int)]
    assert -np.log(own).mean() < 5e-4


def test_logistic_regression_does_not_depend_on_where_the_origin_is() -> None:
    generator = np.random.default_rng(1)
    rows = generator.standard_normal((800, 2))
    codes = rows[:, 0] + 0.3 * generator.standard_normal(800) > 0
    near, far = (
        ks.KernelClassifier("linear()", kind="logistic", random_state=0).fit(rows + shift, codes) for shift in (0, 1e4)
    )
    assert near.losses_["logistic"] < 0.25
    np.testing.assert_allclose(far.predict_proba(rows + 1e4), near.predict_proba(rows), atol=0.03)


@pytest.mark.parametrize("weight", [1.01, 1.5, 3.0])
def test_equal_weights_do_not_make_probabilities_sure(weight: float) -> None:
    generator = np.random.default_rng(0)
    rows = generator.uniform(-2, 2, (150, 2))
    labels = (generator.uniform(size=150) < 1 / (1 + np.exp(-3 * np.sin(2 * rows[:, 0]) - rows[:, 1]))).astype(int)
    model = ks.KernelClassifier("gaussian(0.5)", kind="least_squares", random_state=0)
    plain = model.fit(rows, labels).losses_["least_squares"]
    weighed = model.fit(rows, labels, sample_weight=np.full(150, weight)).losses_["least_squares"]
    assert weighed == pytest.approx(plain, rel=0.05)  # 13.4 for .46 when copies were left out one by one


def test_weights_of_classes_are_weights_of_their_rows() -> None:
    generator = np.random.default_rng(0)
    rows = generator.uniform(-2, 2, (150, 2))
    labels = (rows[:, 0] + generator.standard_normal(150) > 0).astype(int)
    by_class = ks.KernelClassifier("gaussian(0.5)", kind="least_squares", random_state=0, class_weight={0: 1, 1: 3})
    by_row = ks.KernelClassifier("gaussian(0.5)", kind="least_squares", random_state=0)
    weights = np.where(labels == 1, 3.0, 1.0)
    found = by_row.fit(rows, labels, sample_weight=weights).predict_proba(rows)
    np.testing.assert_allclose(by_class.fit(rows, labels).predict_proba(rows), found, rtol=1e-12)


def test_classes_that_categories_determine_are_sure() -> None:
    generator = np.random.default_rng(0)
    names = np.array([f"c{i}" for i in range(20)])
    codes = generator.integers(20, size=400)
    table = {"name": names[codes]}
    model = ks.KernelClassifier("match()[name]", kind="least_squares", random_state=0).fit(table, codes % 2)
    chosen = model.predict_proba(table)[np.arange(400), codes % 2]
    assert chosen.min() > 0.9


@pytest.mark.parametrize("kind", ["least_squares", "logistic"])
def test_a_large_term_does_not_hide_the_classes_of_others(kind: str) -> None:
    generator = np.random.default_rng(0)
    day = generator.uniform(18_000, 19_000, (2, 600))
    labels = np.sin(day / 30) + 0.3 * generator.standard_normal((2, 600)) > 0
    model = ks.KernelClassifier("linear()[day] + gaussian(scale=30)[day]", kind=kind, random_state=0)
    model.fit({"day": day[0]}, labels[0])
    assert model.score({"day": day[1]}, labels[1]) > 0.83  # .58 when noise was relative to the largest term


def test_models_are_compared_where_few_rows_have_all_classes() -> None:
    generator = np.random.default_rng(0)
    place = generator.integers(0, 200, 20_000)
    p = 1 / (1 + np.exp(-0.06 * generator.standard_normal(200)))
    classes = generator.random(20_000) < p[place]
    table = pd.DataFrame({"c": place.astype(str)})
    for kind in ("auto", "logistic"):
        model = ks.KernelClassifier("match()[c]", kind=kind, random_state=0).fit(table, classes)  # type: ignore[arg-type]
        q = model.predict_proba(pd.DataFrame({"c": np.arange(200).astype(str)}))[:, 1]
        excess = np.mean(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)))
        assert excess < 2 * np.mean(p * np.log(2 * p) + (1 - p) * np.log(2 * (1 - p)))  # of a constant
        assert set(model.losses_) == ({"logistic"} if kind == "logistic" else {"least_squares", "logistic", "mean"})


def test_several_types_of_text_are_classes() -> None:
    labels = np.array(["a", np.str_("b")] * 10, dtype=object)
    model = ks.KernelClassifier("gaussian()").fit(np.arange(20.0)[:, None] % 2, labels)
    assert model.classes_.tolist() == ["a", "b"]


@pytest.mark.long
def test_the_mean_of_both_models_is_a_logistic_model(tmp_path: Path) -> None:
    generator = np.random.default_rng(4)
    X = generator.standard_normal((900, 3))
    labels = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * generator.logistic(size=900) > 0
    both = [ks.KernelClassifier("gaussian()", kind=own, random_state=0).fit(X, labels) for own in _KINDS]
    model = ks.KernelClassifier("gaussian()", random_state=0).fit(X, labels)
    assert model.kind_ == "mean" == min(model.losses_, key=lambda own: model.losses_[own])
    expected = np.sqrt(np.prod([own.predict_proba(X) for own in both], axis=0))
    found = model.predict_proba(X)
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True), atol=1e-3)
    with pytest.warns(ks.KeptRowsWarning):
        model.save(tmp_path / "mean.npz")
    loaded = ks.load_model(tmp_path / "mean.npz")
    assert loaded.kind_ == "mean"
    np.testing.assert_array_equal(loaded.predict_proba(X), found)
    assert clone(loaded).set_params(random_state=0).fit(X, labels).kind_ == "mean"


def test_classes_on_few_categories_do_not_depend_on_the_order_of_rows() -> None:
    generator = np.random.default_rng(0)
    A = np.stack([generator.integers(0, 4, 1000), generator.integers(0, 3, 1000)], axis=1).astype(float)
    y, order = generator.random(1000) < np.where(A[:, 0] == 0, 0.8, 0.3), generator.permutation(1000)
    model = ks.KernelClassifier("match()[0] + match()[1]", kind="logistic", random_state=0)
    found = [clone(model).fit(A[own], y[own]).predict_proba(A) for own in (np.arange(1000), order)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-12)
