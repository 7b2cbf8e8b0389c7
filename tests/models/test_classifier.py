"""KernelClassifier: classes, probabilities, and which of its two models is kept."""

from __future__ import annotations

import datetime as dt
import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelspec as ks
from kernelspec.models.saved import held_out_score, training_of

pd = pytest.importorskip("pandas")


def rings(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Three rings that overlap: the best possible accuracy is about .9."""
    generator = np.random.default_rng(seed)
    code = generator.integers(0, 3, n)
    radius, angle = 1 + code + 0.3 * generator.standard_normal(n), generator.uniform(0, 2 * np.pi, n)
    frame = pd.DataFrame({"x": radius * np.cos(angle), "y": radius * np.sin(angle)})
    return frame, np.array(["inner", "middle", "outer"])[code]


def posterior(frame: pd.DataFrame) -> np.ndarray:
    """The true probabilities, with the density 1/r of a uniform angle the same for all rings."""
    radius = np.hypot(frame["x"], frame["y"]).to_numpy()[:, None]
    densities = np.exp(-np.square(radius - np.array([1.0, 2.0, 3.0])) / (2 * 0.3**2))
    return densities / densities.sum(axis=1, keepdims=True)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::kernelspec.DeadKernelWarning")  # the checks' tables are what they are
@parametrize_with_checks(
    [
        ks.KernelClassifier("gaussian(scale=2)", n_features=32),
        ks.KernelClassifier("gaussian(scale=2)", kind="logistic", n_features=32),
        ks.KernelClassifier("gaussian(scale=2)", kind="least_squares", n_features=32),
    ]
)
def test_contract_of_scikit_learn(estimator: ks.KernelClassifier, check: object) -> None:
    check(estimator)  # type: ignore[operator]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["auto", "least_squares", "logistic"])
def test_probabilities_are_calibrated(kind: str) -> None:
    """Log loss within .03 of the least that there is, on 4,000 new rows; frequencies match in ten bins."""
    frame, y = rings(2_000, 0)
    new, truth = rings(4_000, 1)
    model = ks.KernelClassifier("gaussian(scale=0.8)", kind=kind, n_features=256, random_state=0).fit(frame, y)
    found = model.predict_proba(new)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    assert log_loss(truth, found, labels=model.classes_) < log_loss(truth, posterior(new), labels=model.classes_) + 0.03
    for code, name in enumerate(model.classes_):
        bins = np.digitize(found[:, code], np.linspace(0.1, 0.9, 9))
        for place in range(10):
            own = bins == place
            if own.sum() > 100:
                expected, spread = found[own, code].mean(), np.sqrt(0.25 / own.sum())
                assert abs(np.mean(truth[own] == name) - expected) < 4 * spread + 0.03
    assert model.score(new, truth) > 0.87
    assert model.kind_ == min(model.losses_, key=model.losses_.get)
    assert set(model.losses_) == ({"least_squares", "logistic", "mean"} if kind == "auto" else {kind})


def test_few_rows_do_not_make_a_model_certain() -> None:
    """Over 24 tables of 30 rows, held-out log loss is less than that of knowing nothing, ln 2, and never far above."""
    found = []
    for seed in range(24):
        generator = np.random.default_rng(seed)
        rows = generator.normal(size=(530, 2))
        y = generator.random(530) < 1 / (1 + np.exp(-2 * np.sin(1.5 * rows[:, 0])))
        model = ks.KernelClassifier("gaussian()", random_state=seed).fit(rows[:30], y[:30])
        found.append(log_loss(y[30:], model.predict_proba(rows[30:]), labels=[False, True]))
    assert np.mean(found) < np.log(2)
    assert max(found) < 1.5 * np.log(2)


@pytest.mark.parametrize("kind", ["least_squares", "logistic"])
def test_the_kernel_needs_no_factor(kind: str) -> None:
    frame, y = rings(200, 3)
    new, _ = rings(50, 4)
    found = [
        ks.KernelClassifier(f"{factor}*gaussian(scale=0.8)", kind=kind, random_state=0).fit(frame, y).predict_proba(new)
        for factor in ("0.0001", "1", "10000")
    ]
    np.testing.assert_allclose(found[0], found[1], atol=0.02)
    np.testing.assert_allclose(found[2], found[1], atol=0.02)


def test_few_rows_of_a_class() -> None:
    frame, y = rings(40, 3)
    y[3] = "rare"
    model = ks.KernelClassifier("gaussian(scale=0.8)", random_state=0).fit(frame, y)
    assert model.losses_ == {}
    assert "rare" in model.classes_
    assert np.isfinite(model.predict_proba(frame)).all()


@pytest.mark.slow
def test_class_weights_move_the_probabilities() -> None:
    frame, y = rings(1_000, 4)
    kept = (y != "outer") | (np.arange(1_000) % 20 == 0)
    frame, y = frame[kept], y[kept]
    new, truth = rings(2_000, 5)
    plain = ks.KernelClassifier("gaussian(scale=0.8)", n_features=128, random_state=0).fit(frame, y)
    balanced = ks.KernelClassifier("gaussian(scale=0.8)", n_features=128, random_state=0, class_weight="balanced").fit(
        frame, y
    )
    recall = [float(np.mean(m.predict(new)[truth == "outer"] == "outer")) for m in (plain, balanced)]
    assert recall[1] > recall[0]


@pytest.mark.parametrize(
    ("spec", "y", "options", "message"),
    [
        ("gaussian()", ["a", "a", "a"], {}, "one class"),
        ("gaussian()", [0, 1, np.nan], {}, "NaN"),
        ("gaussian()", ["a", None, "b"], {}, "y is missing in row 1"),
        ("gaussian()", [0.5, 1.5, 2.5], {}, "Unknown label type"),
        ("gaussian()", np.arange(3).astype("M8[D]"), {}, "y holds dates"),
        ("gaussian()", [0, 1], {}, "3 rows and y has 2"),
        ("gaussian()", [0, 1, 0], {"kind": "tree"}, "kind"),
        ("shift(gaussian(), by=1)", [0, 1, 0], {"method": "auto"}, "asymmetric"),
    ],
)
def test_what_cannot_be_fitted(spec: str, y: list[object], options: dict[str, object], message: str) -> None:
    with pytest.raises(ks.KernelspecError, match=message):
        ks.KernelClassifier(spec, **options).fit(np.arange(3.0)[:, None], y)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ("balance", "class_weight must be 'balanced'"),
        ([1, 2], "class_weight must be 'balanced'"),
        ({"c": 1}, "class_weight names 'c', but the classes are"),
        ({"a": -1}, "at least 0, not -1 for 'a'"),
        ({"a": float("nan")}, "at least 0, not nan for 'a'"),
        ({"a": "2"}, "at least 0, not '2' for 'a'"),
        ({"a": 1e300}, r"at most 1e\+15 and at least 0, not 1e\+300 for 'a'"),
    ],
)
def test_a_wrong_class_weight_is_named(weight: Any, message: str) -> None:
    rows = np.array([[0.0], [1.0], [2.0], [3.0]])
    with pytest.raises(ks.PlanError, match=message):
        ks.KernelClassifier("gaussian()", class_weight=weight).fit(rows, ["a", "b", "b", "a"])


def test_no_rows_are_one_class_at_most() -> None:
    with pytest.raises(ks.DataError, match="one class only"):
        ks.KernelClassifier("gaussian()").fit(np.zeros((0, 2)), [])


def test_the_class_that_weights_leave_is_named() -> None:
    rows = np.arange(4.0)[:, None]
    with pytest.raises(ks.DataError, match=r"one class only, \['b'\]"):
        ks.KernelClassifier("gaussian()").fit(rows, ["a", "b", "b", "a"], sample_weight=[0, 1, 1, 0])


def test_batches_are_one_pass() -> None:
    """The second batch may lack classes; coefficients are those of all rows, however they are cut."""
    generator = np.random.default_rng(3)
    rows = generator.normal(size=(300, 2))
    y = np.array(["a", "b", "c"])[(rows[:, 0] > 0).astype(int) + (rows[:, 1] > 0.5)]
    order = np.argsort(y[100:]) + 100
    models = [ks.KernelClassifier("gaussian()", kind="least_squares", n_features=60, random_state=0) for _ in range(2)]
    for model in models:
        model.partial_fit(rows[:100], y[:100], classes=["c", "b", "a"])
    for part in np.array_split(order, 5):
        models[0].partial_fit(rows[part], y[part])
    models[1].partial_fit(rows[100:], y[100:])
    found, expected = (model.predict_proba(rows) for model in models)
    assert np.abs(found - expected).max() < 1e-9
    assert models[0].score(rows, y) > 0.9
    assert training_of(models[0]).n_rows == 300
    with pytest.raises(ks.DataError, match="y has the class 'd'"):
        models[0].partial_fit(rows[:2], ["a", "d"])
    with pytest.raises(ks.DataError, match="y has the class 1, "):  # which is not "1"
        ks.KernelClassifier("gaussian()", kind="least_squares").partial_fit(rows[:2], [1, 1], classes=["1", "a"])
    assert not hasattr(ks.KernelClassifier("gaussian()", kind="logistic"), "partial_fit")


def test_classes_in_blocks_are_those_of_all_blocks() -> None:
    generator = np.random.default_rng(0)
    rows = generator.standard_normal((300, 2))
    y = np.where(rows[:, 0] > 0.5, "c", np.where(rows[:, 1] > 0, "b", "a"))
    order = np.argsort(y)  # the first block has one class
    options = {"kind": "least_squares", "n_features": 60, "random_state": 0}
    models = [
        ks.KernelClassifier("gaussian()", **options).fit_blocks(
            [(rows[part], y[part]) for part in np.split(order, cuts)], n_held_out=40
        )
        for cuts in ([], [50, 60, 200])
    ]
    assert models[0].classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(models[0].predict_proba(rows), models[1].predict_proba(rows), atol=1e-9)
    assert models[0].score(rows, y) > 0.9
    assert models[0].held_out_.value == pytest.approx(models[1].held_out_.value)
    assert not hasattr(ks.KernelClassifier("gaussian()"), "fit_blocks")


@pytest.mark.slow
@pytest.mark.parametrize("labels", [[0.0, 1.0], [False, True], [3, 7], ["a", "b"]])
def test_every_type_of_class_in_blocks(labels: list[object]) -> None:
    rows = np.random.default_rng(0).standard_normal((80, 2))
    y = np.array(labels)[(rows[:, 0] > 0).astype(int)]
    model = ks.KernelClassifier("gaussian()", kind="least_squares", n_features=30)
    model.fit_blocks([(rows[:40], y[:40]), (rows[40:], y[40:])])
    assert model.classes_.tolist() == labels
    assert model.score(rows, y) > 0.9


def test_balanced_classes_need_all_rows() -> None:
    rows = np.random.default_rng(0).standard_normal((80, 2))
    model = ks.KernelClassifier("gaussian()", kind="least_squares", class_weight="balanced")
    for fit in (lambda: model.fit_blocks([(rows, rows[:, 0] > 0)]), lambda: model.partial_fit(rows, rows[:, 0] > 0)):
        with pytest.raises(ks.PlanError, match="needs the counts of all rows"):
            fit()
    missing = np.array(["a", None] * 40, dtype=object)
    with pytest.raises(ks.DataError, match="y is missing in row 1"):
        ks.KernelClassifier("gaussian()", kind="least_squares").fit_blocks([(rows, missing)])


def few(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows x and classes of probability 1/(1 + e^{−3x}), at least one of each."""
    generator = np.random.default_rng(seed)
    x = np.append(generator.uniform(-2, 2, n - 2), [-1.0, 1.0])
    return x[:, None], np.append(generator.uniform(size=n - 2) < 1 / (1 + np.exp(-3 * x[:-2])), [False, True])


@pytest.mark.parametrize("n", [10, 20])
def test_few_rows_do_not_make_sure(n: int) -> None:
    """Averaged over ten tables, the expected log loss is below that of a coin, log 2; of probabilities of 1e-80, it is
    above 1.
    """
    x = np.linspace(-2, 2, 400)[:, None]
    share = 1 / (1 + np.exp(-3 * x[:, 0]))
    costs = []
    for seed in range(10):
        model = ks.KernelClassifier("gaussian()", random_state=0).fit(*few(n, 100 * n + seed))
        logs = model.predict_log_proba(x)
        costs.append(-np.mean((1 - share) * logs[:, 0] + share * logs[:, 1]))
    assert np.mean(costs) < 0.6


def test_the_losses_compared_are_held_out() -> None:
    """Against cross-validation from outside, which has other folds: z below 4 over ten tables."""
    apart = []
    for seed in range(10):
        x, y = few(30, seed)
        own = ks.KernelClassifier("gaussian()", kind="least_squares", random_state=0)
        told = own.fit(x, y).losses_["least_squares"]
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        apart.append(told + cross_val_score(own, x, y, cv=folds, scoring="neg_log_loss").mean())
    assert abs(np.mean(apart)) < 4 * np.std(apart, ddof=1) / np.sqrt(len(apart))


def test_balanced_classes_count_weights() -> None:
    """Rows of weight 0 are as good as absent, and a whole weight is a repetition."""
    frame, y = rings(90, 3)
    weights = np.random.default_rng(0).integers(0, 4, 90).astype(float)
    repeated = np.repeat(np.arange(90), weights.astype(int))
    own = ks.KernelClassifier("gaussian()", kind="least_squares", class_weight="balanced", random_state=0)
    found = own.fit(frame, y, sample_weight=weights).predict_proba(frame)
    expected = own.fit(frame.iloc[repeated], y[repeated]).predict_proba(frame)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("y", "dtype"),
    [
        (np.array([10**19 + 1, 10**19 + 2] * 10, dtype=np.uint64), np.uint64),
        (np.array([True, False] * 10, dtype=object), bool),
        (np.array([Decimal(3), 4] * 10, dtype=object), np.float64),
    ],
    ids=["beyond int64", "objects that are truth values", "objects that are numbers"],
)
def test_types_of_classes(y: np.ndarray, dtype: type, tmp_path: Path) -> None:
    rows = pd.DataFrame({"x": np.arange(20.0)})
    model = ks.KernelClassifier("gaussian()[x]").fit(rows, y)
    assert model.classes_.dtype == dtype
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ks.KeptRowsWarning)
        model.save(tmp_path / "model.npz")
    loaded = ks.load_model(tmp_path / "model.npz")
    assert loaded.classes_.tolist() == sorted(set(y.tolist()))
    share = np.mean([own == other for own, other in zip(model.predict(rows).tolist(), y.tolist(), strict=True)])
    assert [own.score(rows, y) for own in (model, loaded)] == [share, share]


def test_classes_of_numpy_text_are_scored_and_added() -> None:
    rows = np.arange(40.0)[:, None]
    y = np.where(np.arange(40) < 20, "low", "high").astype(np.dtypes.StringDType())  # type: ignore[attr-defined]
    model = ks.KernelClassifier("gaussian(scale=9)", kind="least_squares", random_state=0)
    model.partial_fit(rows[::2], y[::2])
    assert model.partial_fit(rows[1::2], y[1::2]).score(rows, y) > 0.9


OBJECTS: dict[str, tuple[Any, str]] = {
    "intervals": (pd.cut(np.arange(10.0), 2), "y holds Interval: classes must be text or numbers, all of one type"),
    "periods": (pd.period_range("2020", periods=10), "y holds Period: classes must be text or numbers"),
    "complex": (
        np.arange(10) % 2 + 1j,
        "^Complex data not supported: classes are text, whole numbers, or true and false$",
    ),
    "ragged": ([[1], [1, 2]] * 5, "one class or number for each row, not lists of several lengths"),
    "mixed": (np.array(["1", 1] * 5, dtype=object), "classes must be text or numbers"),
    "bytes": (np.array([b"1", b"2"] * 5), "classes must be text or numbers"),
    "large": (np.array([2**70, 2**70 + 1] * 5), "y holds whole numbers beyond 64 bits: give such classes as text"),
    "bool and int": (np.array([True, 0] * 5, dtype=object), "y holds bool and int: classes must be text or numbers"),
    "dates": (
        np.array([dt.date(2024, 1, 1), dt.date(2024, 1, 2)] * 5),
        "y holds date: classes must be text or numbers",
    ),
}


@pytest.mark.parametrize(("y", "message"), OBJECTS.values(), ids=OBJECTS)
def test_classes_of_other_types_are_named(y: Any, message: str) -> None:
    with pytest.raises(ks.DataError, match=message):
        ks.KernelClassifier("gaussian()").fit(np.arange(10.0)[:, None], y)
    with pytest.raises(ks.DataError, match=message):
        ks.tune("param s = 1\ngaussian(s)", np.arange(10.0)[:, None], y, task="classes")


def test_least_squares_leaves_a_row_out_with_its_whole_class_weight() -> None:
    """With a fifth of its weight left, a rare row would vouch for itself; log 2 knows nothing, and .52 is reached."""
    generator = np.random.default_rng(1)

    def drawn(n: int) -> tuple[np.ndarray, np.ndarray]:
        rows = generator.uniform(-2, 2, (n, 2))
        odds = 2 * np.sin(2 * rows[:, 0]) + rows[:, 1] - 3
        return rows, (generator.random(n) < 1 / (1 + np.exp(-odds))).astype(int)

    (rows, y), (new, truth) = drawn(300), drawn(4000)
    model = ks.KernelClassifier(
        "gaussian(scale=0.5)", kind="least_squares", class_weight="balanced", n_features=300, random_state=0
    ).fit(rows, y)
    weights = (0.5 / np.bincount(y))[truth]
    losses = -np.log(model.predict_proba(new)[np.arange(4000), truth])
    assert weights @ losses / weights.sum() < 0.6


def test_a_class_of_one_row_is_learned_from() -> None:
    """Whichever row it is: the score holds out others."""
    rows = np.random.default_rng(0).standard_normal((60, 1))
    for row in range(0, 60, 7):
        y = np.where(np.arange(60) == row, "yes", "no")
        found = held_out_score(ks.KernelClassifier("gaussian()", kind="least_squares"), rows, y)
        assert found is not None
        assert found.n_rows == 12


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
def test_the_held_out_score_does_not_depend_on_the_shape_or_type_of_the_classes() -> None:
    generator = np.random.default_rng(0)
    y = generator.integers(0, 2, 400)
    rows = y[:, None] + 0.4 * generator.standard_normal((400, 1))
    found = []
    for classes in (y, y[:, None], y.astype(object)):
        model = ks.KernelClassifier("gaussian()", kind="least_squares", n_features=20, random_state=0)
        found.append(model.fit_blocks([(rows, classes)], n_held_out=80).held_out_)
    assert found[0] == found[1] == found[2]
