"""tune: gradients by differences, known optima, and what a user gets back."""

from __future__ import annotations

import math
import re
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

import kernelspec as ks
from kernelspec.cli import main
from kernelspec.errors import PlanError
from kernelspec.models import tuning

pd = pytest.importorskip("pandas")

ARD = "param a = 2\nparam b = 2\nparam c = 2\nstretch(gaussian(), [a, b, c])"


def table(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    rows = generator.uniform(-2, 2, (n, 3))
    return rows, np.sin(2 * rows[:, 0]) + 0.3 * rows[:, 1] ** 2 + 0.1 * generator.standard_normal(n)


def check_slopes(problem: tuning.Problem, place: np.ndarray, tolerance: float = 1e-5) -> None:
    """The gradient against central differences."""
    _, slope = problem.loss(place)
    steps = 1e-5 * np.eye(len(place))
    differences = [(problem.value(place + step) - problem.value(place - step)) / 2e-5 for step in steps]
    assert slope == pytest.approx(differences, rel=tolerance, abs=tolerance)


@pytest.mark.parametrize("by", ["likelihood", "loo", "cv"])
@pytest.mark.parametrize("targets", [1, 3])
def test_gradients_are_differences(by: tuning.By, targets: int) -> None:
    rows, y = table(60)
    rows[40:] = rows[:20]  # merged rows
    y = np.column_stack([y, *(np.random.default_rng(1).standard_normal((60, 1)) for _ in range(targets - 1))])
    weights = np.random.default_rng(2).uniform(0.5, 2, 60)
    _, (problem,) = tuning.problems_of(ARD + " + c*exponential(scale=b)", rows, y, by, (), {}, weights, rows=(60,))
    check_slopes(problem, np.array([math.log(0.05), 0.3, -0.2, 0.5]))


@pytest.mark.parametrize("by", ["loo", "cv"])
def test_errors_of_rows_left_out_are_those_of_models_without_them(by: tuning.By) -> None:
    rows, y = table(25)
    _, (problem,) = tuning.problems_of("gaussian(scale=1.5)", rows, y, by, rows=(25,))
    loss, _ = problem.loss(np.array([math.log(0.05)]))
    errors = np.empty(25)
    for part in np.array_split(np.random.default_rng(0).permutation(25), 25 if by == "loo" else 5):
        left = np.isin(problem.observations.place, part)
        model = ks.KernelRegressor("gaussian(scale=1.5) + 0.05*noise()").fit(rows[~left], y[~left])
        errors[left] = y[left] - model.predict(rows[left])
    assert loss == pytest.approx(25 / 2 * math.log(np.mean(np.square(errors))), rel=1e-9)


@pytest.mark.slow
def test_cross_validation_finds_the_scales_that_predict() -> None:
    rows, y = table(300)
    tuned = ks.tune(ARD, rows, y, by="cv")
    assert "-cross-validation error on 300 rows" in str(tuned)
    assert tuned.score > tuned.score_before
    new, of_new = table(300, seed=1)
    before, after = (ks.KernelRegressor(own).fit(rows, y).score(new, of_new) for own in (ARD, tuned.spec))
    assert after > before
    assert -tuned.score == pytest.approx(math.sqrt(1 - after), rel=0.15)


@pytest.mark.slow
def test_likelihood_is_that_of_the_model() -> None:
    rows, y = table(80)
    tuned = ks.tune(ARD, rows, y)
    model = ks.KernelRegressor(tuned.spec).fit(rows, y)
    assert model.log_marginal_likelihood_value_ == pytest.approx(tuned.score, abs=0.05)
    assert tuned.score > tuned.score_before
    assert tuned.score > tuned.linear_score


@pytest.mark.filterwarnings("ignore:lbfgs failed to converge")  # one of its restarts, in old versions
def test_values_are_those_that_scikit_learn_finds() -> None:
    """Without the prior (a single parameter has none), the likelihood has one optimum here; ours has an intercept."""
    rows, y = table(120)
    tuned = ks.tune("param s = 1\ngaussian(scale=s)", rows, y)
    kernel = ConstantKernel() * RBF(1.0) + ConstantKernel(1e4, "fixed") + WhiteKernel()
    other = GaussianProcessRegressor(kernel, n_restarts_optimizer=2, random_state=0).fit(rows, y)
    scale = other.kernel_.k1.k1.k2.length_scale
    assert tuned.changes[0].after == pytest.approx(scale, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("leaf", ["exponential", "gaussian"])
def test_copies_do_not_make_the_likelihood_unbounded(leaf: str) -> None:
    """A kernel that is nearly the identity explains copies without noise: with them counted it is found."""
    rows, y = table(150)
    y = y + 0.5 * np.random.default_rng(4).standard_normal(150)
    spec = f"param s = 1\n{leaf}(scale=s)"
    once, copied = (ks.tune(spec, np.repeat(rows, n, 0), np.repeat(y, n)) for n in (1, 5))
    assert copied.spec.params["s"] == pytest.approx(once.spec.params["s"], rel=0.02)
    assert copied.noise == pytest.approx(5 * once.noise, rel=0.05)
    some = np.concatenate([np.arange(150), np.repeat(np.arange(30), 6)])
    partly = ks.tune(spec, rows[some], y[some])
    assert 0.5 < partly.spec.params["s"] / once.spec.params["s"] < 2  # type: ignore[operator]
    assert partly.noise > 0.2 * once.noise


def test_an_infinite_bound_does_not_keep_the_start() -> None:
    rows = np.linspace(0, 10, 40)[:, None]
    y = np.sin(rows[:, 0] / 3)
    found = [
        ks.tune("param s = 1\ngaussian(scale=s)", rows, y, bounds={"s": (0.1, high)}).spec.params["s"]
        for high in (math.inf, 1e5)
    ]
    assert found[0] == found[1] > 3


@pytest.mark.slow
def test_ctrl_c_keeps_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, y = table(300)
    full = ks.tune(ARD, rows, y)
    calls = 0
    before = tuning.Search.try_place

    def interrupted(search: tuning.Search, place: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal calls
        calls += 1
        if calls == after:
            raise KeyboardInterrupt
        return before(search, place)

    monkeypatch.setattr(tuning.Search, "try_place", interrupted)
    for after in (1, 30, 10**6):
        calls = 0
        tuned = ks.tune(ARD, rows, y)
        assert tuned.is_interrupted == (after < 10**6)
        assert tuned.score_before <= tuned.score <= full.score + 1e-6
        assert ("interrupted" in str(tuned)) == tuned.is_interrupted
        if after == 30:
            assert tuned.score > tuned.score_before


def test_targets_may_lie_far_from_zero() -> None:
    rows = np.random.default_rng(0).uniform(-2, 2, (60, 1))
    y = np.sin(3 * rows[:, 0])
    near, far = (ks.tune("param s = 1\ngaussian(scale=s)", rows, y + offset) for offset in (0.0, 1e8))
    assert far.spec.params["s"] == pytest.approx(near.spec.params["s"], rel=1e-2)


@pytest.mark.slow
def test_irrelevant_columns_get_long_scales() -> None:
    rows, y = table(300)
    tuned = ks.tune(ARD, rows, y)
    values = {change.name: change.after for change in tuned.changes}
    assert values["c"] > 5 * values["a"]
    assert str(tuned.spec).count("param") == 3
    assert ks.parse(str(tuned.spec)) == ks.parse(str(tuned.spec))
    assert "log likelihood" in str(tuned)
    new, truth = table(500, seed=9)
    scores = [ks.KernelRegressor(spec).fit(rows, y).score(new, truth) for spec in (ARD, tuned.spec)]
    assert scores[1] > scores[0]


def test_fixed_and_bounded_parameters() -> None:
    rows, y = table(100)
    spec = ks.parse(ARD, params={"b": 0.9})
    tuned = ks.tune(spec, rows, y, fixed=["a"], bounds={"b": (0.5, 1.0)})
    values = tuned.spec.params
    assert values["a"] == 2
    assert values["b"] == 1
    assert [change.name for change in tuned.changes if change.at_bound] == ["b"]


def test_parameters_without_a_value_start_at_the_median() -> None:
    rows, y = table(100)
    frame = pd.DataFrame(rows, columns=["x", "y", "z"])
    tuned = ks.tune("param s > 0\nparam w > 0\ngaussian(scale=s)[x, y] + w*laplace(scale=3)[z]", frame, y, by="median")
    assert tuned.spec.params["w"] == 1
    assert 1 < tuned.spec.params["s"] < 4
    assert all(change.before == change.after for change in tuned.changes)


def test_a_length_without_one_median_is_kept_with_a_warning() -> None:
    rows, y = table(100)
    with pytest.warns(UserWarning, match=r"keeps s = 1.0: 's' scales kernels with different median distances"):
        tuned = ks.tune("param s = 1\nparam w = 2\nw*gaussian(scale=s) + laplace(scale=s)", rows, y, by="median")
    assert dict(tuned.spec.params) == {"s": 1, "w": 2}


def test_medians_are_compared_with_the_values_of_the_spec() -> None:
    rows, y = table(100)
    spec = ks.parse("param s = 1\ngaussian(s)")
    tuned = ks.tune(spec, rows, y, by="median")
    (change,) = tuned.changes
    assert (change.before, tuned.spec.params["s"]) == (1, pytest.approx(change.after, rel=1e-3))
    assert tuned.score_before == pytest.approx(ks.tune(spec, rows, y, fixed=["s"]).score, rel=1e-3)
    assert "log likelihood" in str(tuned)
    assert change.gain == pytest.approx(tuned.score - tuned.score_before, abs=0.02)  # each with the best noise


@pytest.mark.slow
def test_classes_are_tuned_by_leave_one_out() -> None:
    rows, y = table(200)
    names = np.where(y > 0.4, "high", "low")
    tuned = ks.tune(ARD, rows, names)
    assert tuned.by == "loo"
    assert tuned.score > tuned.score_before
    values = {change.name: change.after for change in tuned.changes}
    assert values["c"] > 2 * values["a"]


@pytest.mark.long
def test_the_result_is_the_same_every_time() -> None:
    rows, y = table(900)
    first, second = (ks.tune("param s = 1\ngaussian(scale=s)", rows, y) for _ in range(2))
    assert first == second
    assert first.n_rows == 800


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "guess"}, "by must be"),
        ({"fixed": ["q"]}, "fixed names 'q'"),
        ({"bounds": {"q": (1, 2)}}, "'q'"),
        ({"fixed": "scale"}, "fixed names 'scale'"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"sample_weight": np.full(20, 0.05)}, "sample_weight counts"),
        ({"bounds": {"a": (3, 4)}}, "bounds"),
        ({"bounds": [("a", (1, 4))]}, "bounds must be a mapping from names to"),
        ({"bounds": {"a": np.array([3, 4])}}, "parameter 'a' is 2, outside its bounds 3 and 4"),
        ({"bounds": {"a": np.array([1, 2, 3])}}, "the bounds of 'a' must be"),
        ({"sample_weight": np.full(20, 1e16)}, r"must be from 0 to 1e\+15"),
        ({"columns": "abc"}, "column names must be a list"),
    ],
)
def test_what_cannot_be_tuned(options: dict[str, object], message: str) -> None:
    rows, y = table(20)
    with pytest.raises(ks.KernelspecError, match=message):
        ks.tune(ARD, rows, y, **options)  # type: ignore[arg-type]


def test_a_kernel_that_is_not_positive_definite_is_refused_before_and_after_the_search() -> None:
    """exp(−t²/2) − w exp(−t²/8) has the density φ(ω) − 2w φ(2ω), at 0 negative for w > ½."""
    rows = np.random.default_rng(0).normal(size=(40, 1))
    y = np.sin(rows[:, 0])
    with pytest.raises(PlanError, match=r"w = 0\.53\d*, give a kernel that is not positive definite"):
        ks.tune("param w = 0.3\ngaussian() - w*gaussian(2)", rows, y)
    with pytest.raises(PlanError, match="indefinite"):
        ks.KernelRegressor("gaussian() - 0.51*gaussian(2)").fit(rows, y)
    batches = pa.table({"t": rows[:, 0]}).to_reader()  # which can be read once
    assert ks.tune("param s = 1\ngaussian(scale=s)[t]", batches, y).spec.params["s"] > 0
    tuned = ks.tune("param w = 0.3 in [0.01, 0.5]\ngaussian() - w*gaussian(2)", rows, y)
    assert tuned.spec.params["w"] == 0.5
    assert ks.KernelRegressor(tuned.spec).fit(rows, y).predict(rows).shape == (40,)


@pytest.mark.parametrize("by", ["likelihood", "loo", "cv"])
def test_gradients_by_a_weight_of_many_terms_are_differences(by: tuning.By) -> None:
    """t is the weight of five terms, whose equal categories are counted in one pass, at the top and below a power."""
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.integers(0, 3, (80, 5)).astype(str), columns=list("abcde"))
    frame = frame.assign(x=generator.standard_normal(80))
    lines = ["param s = 1.3", "param t = 0.7", "param w = 1.1"]
    lines.append(f"let M = mean({', '.join(f'match()[{name}]' for name in 'abcde')})")
    text = "\n".join([*lines, "s*gaussian(scale=w)[x]*M**2 + t*M + t*match()[a]"])
    _, (problem,) = tuning.problems_of(text, frame, generator.standard_normal((80, 1)), by, rows=(80,))
    check_slopes(problem, np.array([math.log(0.3), *(own.coordinate for own in problem.parameters)]), 1e-6)


@pytest.mark.parametrize(
    "text", ["gaussian(s) + 0.5*noise()", "2*gaussian(s) + v**2*noise()", "s*gaussian(s) + v*noise()"]
)
def test_noise_of_the_spec_is_the_noise(text: str) -> None:
    """The likelihoods printed are those of models with the spec before and after, and the slopes their differences."""
    rows, y = table(50)
    text = f"param s = 1.5\n{'param v = 0.4' if 'v' in text else ''}\n{text}"
    tuned = ks.tune(text, rows, y)
    for spec, score, rounding in ((text, tuned.score_before, 1e-9), (tuned.spec, tuned.score, 1e-4)):  # four digits
        model = ks.KernelRegressor(spec, solver="exact").fit(rows, y)
        assert model.log_marginal_likelihood_value_ == pytest.approx(score, rel=rounding)
    assert tuned.score > tuned.score_before + 1
    problem = tuning.problems_of(text, rows, y, "auto")[1][0]
    check_slopes(problem, np.concatenate([[0.0], [own.coordinate + 0.1 for own in problem.parameters]]))


@pytest.mark.long
def test_a_parameter_without_a_derivative_is_tuned() -> None:
    rows, y = table(80)
    tuned = ks.tune("param n = 0.7\nparam s = 1\nmatern(nu=n, scale=s)", rows, y)
    grid = [ks.tune(f"param s = {tuned.spec.params['s']}\nmatern(nu={n}, scale=s)", rows, y).score for n in (0.7, 1, 8)]
    assert tuned.score > max(grid) - 1e-3
    assert tuned.score > tuned.score_before + 1


def test_numbers_are_classes_if_the_task_says_so() -> None:
    rows, y = table(120)
    labels = np.digitize(y, [0, 1])
    found = ks.tune("param s = 1\ngaussian(scale=s)", rows, labels, task="classes")
    expected = ks.tune("param s = 1\ngaussian(scale=s)", rows, labels.astype(str))
    assert (found.by, found.spec, found.score) == ("loo", expected.spec, expected.score)
    with pytest.raises(ks.PlanError, match="task must be"):
        ks.tune("param s = 1\ngaussian(scale=s)", rows, labels, task="class")  # type: ignore[arg-type]


@pytest.mark.parametrize("moment", [0, 1, 3, 4])
def test_ctrl_c_after_the_search_keeps_its_values(monkeypatch: pytest.MonkeyPatch, moment: int) -> None:
    """While the loss, a gain, and the score before are computed."""
    rows, y = table(80)
    whole = ks.tune(ARD, rows, y)
    described, value, calls = tuning.Problem.described, tuning.Problem.value, count()

    def interrupted(*arguments: Any, **options: Any) -> Any:
        def once(self: tuning.Problem, place: Any) -> float:
            if next(calls) == moment:
                raise KeyboardInterrupt
            return value(self, place)

        monkeypatch.setattr(tuning.Problem, "value", once)
        return described(*arguments, **options)

    monkeypatch.setattr(tuning.Problem, "described", interrupted)
    found = ks.tune(ARD, rows, y)
    assert found.is_interrupted
    assert (found.spec, found.score, found.score_before) == (whole.spec, whole.score, whole.score_before)
    assert all(math.isnan(own.gain) for own in found.changes)


@pytest.mark.filterwarnings("ignore:by='median' keeps")
@pytest.mark.parametrize("by", ["likelihood", "loo", "cv", "median"])
def test_constant_targets_and_equal_rows_are_refused(by: tuning.By) -> None:
    spec, (rows, y) = "param s = 1\ngaussian(s)", table(20)
    with pytest.raises(ks.DataError, match="the target is constant: it is 3 in all rows"):
        ks.tune(spec, rows, np.full(20, 3.0), by=by)
    with pytest.raises(ks.DataError, match="all rows are equal in the columns that the spec reads"):
        ks.tune(spec, np.ones((20, 2)), y, by=by)
    if by == "likelihood":
        with pytest.raises(ks.DataError, match="the target 1 is constant: it is 2 in all rows"):
            ks.tune(spec, rows, np.column_stack([y, np.full(20, 2)]))


@pytest.mark.long
def test_a_rare_class_is_among_the_rows_used() -> None:
    rows = np.linspace(0, 1, 2000)[:, None]
    y = np.where(np.abs(np.arange(2000) - 700) < 6, "b", "a")
    tuned = ks.tune("param s = 1\ngaussian(s)", rows, y, seed=1)
    assert tuned.spec.params["s"] < 0.1
    assert "2 classes" in ks.suggest(pd.DataFrame({"x": rows[:, 0], "y": y == "b"}).astype({"y": str}), "y")
    ks.tune("param s = 1\ngaussian(s)", rows, np.where(np.arange(2000) == 7, "b", "a"))


def test_copies_and_weights_do_not_change_the_likelihood() -> None:
    generator = np.random.default_rng(1)
    rows = np.linspace(0, 10, 100)[:, None]
    y = np.sin(rows[:, 0]) + 0.3 * generator.standard_normal(100)
    spec = "param s = 1\nmatern(nu=3/2, scale=s)"
    plain = ks.tune(spec, rows, y).score
    for weight in (0.5, 2.0):
        assert ks.tune(spec, rows, y, sample_weight=np.full(100, weight)).score == pytest.approx(plain, abs=1e-4)
    assert ks.tune(spec, np.tile(rows, (2, 1)), np.tile(y, 2)).score == pytest.approx(plain, abs=1e-4)


@pytest.mark.parametrize("noise", ["", " + 0.01*noise()"])
def test_a_large_term_does_not_hide_the_scale_of_others(noise: str) -> None:
    generator = np.random.default_rng(0)
    year = np.arange(1900.0, 2021)
    y = 0.02 * (year - 1900) + np.sin(year / 6) + 0.1 * generator.standard_normal(121)
    far, near = (
        ks.tune(f"param s = 5\nlinear()[{column}] + gaussian(scale=s)[year]{noise}", {"year": year}, y)
        for column in ("year", "year - 1960")
    )
    assert far.score == pytest.approx(near.score, abs=0.01)  # -71.3 for 72.3 when noise was relative to the largest
    assert far.spec.params["s"] == pytest.approx(near.spec.params["s"], rel=0.01)


def test_a_weak_function_is_not_tuned_to_a_constant() -> None:
    generator = np.random.default_rng(0)
    x = generator.uniform(-3, 3, (800, 1))
    y = 0.2 * np.sin(1.5 * x[:, 0]) + generator.standard_normal(800)
    tuned = ks.tune("param s = 1\ngaussian(scale=s)", x, y)
    assert tuned.spec.params["s"] < 3
    assert tuned.noise > 10


@pytest.mark.parametrize("by", ["auto", "cv"])
@pytest.mark.parametrize("estimator", [ks.KernelRegressor, ks.KernelClassifier])
def test_models_tune_themselves(estimator: Any, by: Any) -> None:
    rows, y = table(300 if by == "auto" else 60)
    y = y if estimator is ks.KernelRegressor else np.digitize(y, [0.4])
    task: Any = "auto" if estimator is ks.KernelRegressor else "classes"
    weights = np.random.default_rng(1).integers(1, 3, len(y))
    tuned = ks.tune(ARD, rows, y, by=by, sample_weight=weights, seed=3, task=task).spec
    expected = estimator(tuned, random_state=3).fit(rows, y, weights)
    found = estimator(ARD, tune=by, random_state=3).fit(rows, y, weights)
    assert found.spec_ == expected.spec_ != ks.parse(ARD)
    assert np.array_equal(found.predict(rows), expected.predict(rows))
    with pytest.raises(PlanError, match="tune must be None"):
        estimator(ARD, tune="grid").fit(rows, y)


@pytest.mark.parametrize("kind", ["numbers", "classes", "several"])
def test_a_column_that_equals_the_target_is_refused(kind: str) -> None:
    rows, y = table(60)
    frame = pd.DataFrame(rows, columns=["a", "b", "c"]).assign(copy=y)
    target: Any = y
    if kind == "classes":
        target = frame["copy"] = np.where(y > 0, "high", "low")
    if kind == "several":
        target = np.stack([y**2, y], axis=1)
    leaky = "gaussian()[a] + match()[copy]" if kind == "classes" else "gaussian()[a, copy]"
    model: Any = ks.KernelClassifier if kind == "classes" else ks.KernelRegressor
    for ask in (model(leaky).fit, lambda X, y: ks.tune(leaky, X, y)):
        with pytest.raises(ks.DataError, match="column 'copy' equals the target in all rows: drop it"):
            ask(frame, target)
    model("gaussian()[a, b]").fit(frame, target)  # the spec does not read it
    if kind == "numbers":
        assert "copy (equal to the target)" in " ".join(ks.suggest(frame.assign(y=y), "y").replace("#", " ").split())


def test_models_in_blocks_tune_themselves_on_the_first_rows() -> None:
    rows, y = table(400)
    blocks = [(rows[:250], y[:250]), (rows[250:], y[250:])]
    model = ks.KernelRegressor(ARD, tune="likelihood", solver="features", n_features=60, random_state=0)
    assert model.fit_blocks(blocks).spec_ != ks.parse(ARD)
    assert model.score(rows, y) > 0.95


def test_targets_of_another_shape_are_refused_with_a_reason() -> None:
    frame = pd.DataFrame({"a": np.arange(5.0)})
    for y in (3.0, [], [1.0, 2.0]):
        for ask in (ks.KernelRegressor("gaussian()").fit, lambda X, y: ks.tune("gaussian()", X, y)):
            with pytest.raises(ks.DataError):
                ask(frame, y)


@pytest.mark.parametrize(
    ("written", "value"), [("-1", -1.0), ("-2/4", -0.5), ("1/10", 0.1), ("-1 in [-3, -1/2]", -1.0)]
)
def test_numbers_written_as_formulas_are_where_tuning_starts(written: str, value: float) -> None:
    x = np.linspace(0, 10, 40)[:, None]
    y = np.sin(x[:, 0])
    found = ks.tune(f"param s = {written}\ngaussian(scale=exp(s))", x, y)
    plain = ks.tune(f"param s = {value}\ngaussian(scale=exp(s))", x, y)
    assert found.changes[0].before == value
    assert found.score_before == plain.score_before


@pytest.mark.filterwarnings("ignore:by='median' keeps")
@pytest.mark.parametrize("by", ["likelihood", "loo", "cv", "median"])
def test_a_parameter_that_follows_another_keeps_its_formula(by: ks.By) -> None:
    x = np.linspace(0, 10, 40)[:, None]
    spec = "param a = 1\nparam b = 2*a\nparam c\ngaussian(scale=a) + gaussian(scale=b) + laplace(scale=c)"
    found = ks.tune(spec, x, np.sin(x[:, 0]), by=by).spec
    assert "param b = 2*a" in str(found)
    assert found.params["c"] is not None


def test_an_estimator_and_the_command_start_where_the_spec_says(tmp_path: Path) -> None:
    x = np.linspace(0, 10, 40)
    table = pd.DataFrame({"x": x, "y": np.sin(x)})
    table.to_csv(tmp_path / "t.csv", index=False)
    spec = "param a = 1/2\nparam b = 2*a\ngaussian(scale=a)[x] + gaussian(scale=b)[x]"
    run = CliRunner().invoke(main, ["tune", "-e", spec, str(tmp_path / "t.csv"), "--target", "y"])
    assert run.exit_code == 0, run.output
    assert "param b = 2*a" in run.output
    assert re.search(r"^a +0\.5 ", run.output, re.MULTILINE)
    model = ks.KernelRegressor(spec, tune="auto").fit(table[["x"]], table["y"])
    assert "param b = 2*a" in str(model.spec_)
    assert str(model.spec_) == str(ks.tune(spec, table[["x"]], table["y"]).spec)


@pytest.mark.parametrize("start", [0.5, 1.1, 3.7])
@pytest.mark.parametrize(
    ("text", "true"),
    [
        ("param p = {}\nparam w = 1\nparam a = 1\nperiodic(period=p, scale=w)[t] + a*linear()[t]", 7.3),
        ("param b = {}\nparam w = 50\n0.1*exponential() + cosine(by=2*pi*b)[t]*gaussian(scale=w)[t]", 1 / 7.3),
    ],
)
def test_a_period_is_found_from_a_bad_start(text: str, true: float, start: float) -> None:
    generator = np.random.default_rng(3)
    t = np.sort(generator.uniform(0, 100, 120))
    y = np.sin(2 * np.pi * t / 7.3) + 0.02 * t + 0.3 * generator.standard_normal(120)
    spec = ks.tune(text.format(start * true), pd.DataFrame({"t": t}), y).spec
    assert spec.params[text.split()[1]] == pytest.approx(true, rel=0.02)  # half a width of the peak: 7.3 / (2 * 100)


def test_both_of_two_periods_are_found() -> None:
    generator = np.random.default_rng(3)
    t = np.sort(generator.uniform(0, 100, 120))
    y = np.sin(2 * np.pi * t / 7.3) + np.sin(2 * np.pi * t / 31) + 0.3 * generator.standard_normal(120)
    text = "param p = 10\nparam q = 20\nperiodic(period=p) + periodic(period=q)"
    found = ks.tune(text, t[:, None], y).spec.params
    ratios = [
        max(period, near) / min(period, near) for period, near in zip(sorted(found.values()), (7.3, 31), strict=True)
    ]
    assert all(abs(ratio - round(ratio)) < 0.04 for ratio in ratios)  # a multiple of a period is one, too
