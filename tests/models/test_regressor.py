"""KernelRegressor against formulas of other sources, brute force, and scikit-learn."""

from __future__ import annotations

import math
import pickle
import tracemalloc
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import null_space
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelspec as ks
from kernelspec.models import given, ridge
from kernelspec.models.saved import training_of
from kernelspec.models.state import State
from tests.thoroughness import sweep

pd = pytest.importorskip("pandas")

SPEC = "gaussian(scale=0.7)"
SOLVERS = [
    {"solver": "exact"},
    {"solver": "features", "n_features": 64},
    {"solver": "features", "method": "paired", "n_features": 128},
]


def wave(n: int, seed: int = 0, noise: float = 0.2) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    generator = np.random.default_rng(seed)
    rows = generator.uniform(-2, 2, (n, 1))
    return rows, 5 + np.sin(3 * rows[:, 0]) + noise * generator.standard_normal(n)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::kernelspec.DeadKernelWarning")  # the checks' tables are what they are
@parametrize_with_checks(
    [ks.KernelRegressor("gaussian(scale=2)"), ks.KernelRegressor("gaussian(scale=2)", solver="features", n_features=32)]
)
def test_contract_of_scikit_learn(estimator: ks.KernelRegressor, check: object) -> None:
    check(estimator)  # type: ignore[operator]


@pytest.mark.parametrize("solver", ["exact", "features", "state-space"])
def test_dir_and_notebooks_show_a_model(solver: Literal["exact", "features", "state-space"]) -> None:
    """scikit-learn reads every attribute for both, of a model that was fitted, and of one that was not."""
    model = ks.KernelRegressor("matern(nu=3/2)", solver=solver)
    for shown in (model, clone(model).fit(*wave(20))):
        assert "predict" in dir(shown)
        assert "KernelRegressor" in shown._repr_html_()


@pytest.mark.parametrize(("text", "solver"), [("matern(nu=3/2)", "exact"), ("matern(nu=3/2)", "state-space")])
def test_rows_that_are_all_alike_leave_errors_of_the_size_of_the_target(text: str, solver: Any) -> None:
    """The likelihood is flat in the amplitude then, so the error far away is a choice; y has deviation 1."""
    y = np.random.default_rng(3).standard_normal(40)
    model = ks.KernelRegressor(text, solver=solver).fit(np.ones((40, 1)), y)
    mean, std = model.predict([[1.0], [500.0]], return_std=True)
    np.testing.assert_allclose(mean[0], y.mean(), rtol=1e-12)
    np.testing.assert_allclose(std[0], y.std(ddof=1) * np.sqrt(1 + 1 / 40), rtol=1e-6)
    assert std[0] < std[1] < 3


@pytest.mark.parametrize(("n", "copies"), [(60, 1), (10, 3)])
def test_likelihood_is_that_of_contrasts(n: int, copies: int) -> None:
    """With the intercept integrated out: the density of contrasts Q'y, Q orthonormal and orthogonal to 1, over √n.

    Of all observations, though equal rows are merged.
    """
    rows, y = wave(n)
    rows, y = np.repeat(rows, copies, 0), np.repeat(y, copies) + np.random.default_rng(2).standard_normal(n * copies)
    model = ks.KernelRegressor(f"{SPEC} + 0.05*noise()").fit(rows, y)
    n = len(y)
    contrasts = null_space(np.ones((1, n)))
    covariance = contrasts.T @ (ks.parse(SPEC).gram(rows) + 0.05 * np.eye(n)) @ contrasts
    amplitude = float(contrasts.T @ y @ np.linalg.solve(covariance, contrasts.T @ y)) / (n - 1)
    density = multivariate_normal(np.zeros(n - 1), amplitude * covariance).logpdf(contrasts.T @ y)
    assert model.log_marginal_likelihood_value_ == pytest.approx(density - math.log(n) / 2, rel=1e-9)
    assert model.amplitude_ == pytest.approx(amplitude, rel=1e-9)
    assert model.noise_ == pytest.approx(0.05 * amplitude, rel=1e-9)


def test_noise_is_that_of_largest_likelihood() -> None:
    rows, y = wave(80)
    fitted = ks.KernelRegressor(SPEC).fit(rows, y)
    share = fitted.noise_ / fitted.amplitude_
    for factor in (0.5, 0.8, 1.25, 2):
        other = ks.KernelRegressor(f"{SPEC} + {share * factor:.17g}*noise()").fit(rows, y)
        assert other.log_marginal_likelihood_value_ < fitted.log_marginal_likelihood_value_


def test_predictions_are_those_of_scikit_learn() -> None:
    """A flat prior of the intercept is a constant kernel of large variance."""
    rows, y = wave(50)
    new = np.linspace(-4, 4, 23)[:, None]
    model = ks.KernelRegressor(f"{SPEC} + 0.05*noise()").fit(rows, y)
    amplitude = model.amplitude_
    kernel = ConstantKernel(amplitude, "fixed") * RBF(0.7, "fixed") + ConstantKernel(1e5, "fixed")
    other = GaussianProcessRegressor(kernel, alpha=0.05 * amplitude, optimizer=None).fit(rows, y)
    mean, covariance = model.predict(new, return_cov=True)
    expected, expected_covariance = other.predict(new, return_cov=True)
    np.testing.assert_allclose(mean, expected, atol=2e-5)
    np.testing.assert_allclose(covariance, expected_covariance + model.noise_ * np.eye(23), atol=2e-5)
    _, deviation = model.predict(new, return_std=True)
    np.testing.assert_allclose(np.square(deviation), np.diagonal(covariance), rtol=1e-9)


@pytest.mark.parametrize("n", [40, 12])
@pytest.mark.parametrize("options", SOLVERS[:2])
def test_weights_are_repetitions(options: dict[str, object], n: int) -> None:
    rows, y = wave(n)
    weights = np.random.default_rng(1).integers(0, 4, n)
    weighted = ks.KernelRegressor(SPEC, random_state=0, **options).fit(rows, y, sample_weight=weights)
    repeated = ks.KernelRegressor(SPEC, random_state=0, **options).fit(
        np.repeat(rows, weights, 0), np.repeat(y, weights)
    )
    new = np.linspace(-3, 3, 9)[:, None]
    for first, second in zip(
        weighted.predict(new, return_std=True), repeated.predict(new, return_std=True), strict=True
    ):
        np.testing.assert_allclose(first, second, rtol=1e-6)
    expected = repeated.log_marginal_likelihood_value_
    assert weighted.log_marginal_likelihood_value_ == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(weighted.predict_interval(new), repeated.predict_interval(new), rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 300])
@pytest.mark.parametrize(
    "spec",
    [
        "gaussian(scale=0.5)[standardize(x)]",
        "gaussian(scale=0.5)[rank(x)]",
        "gaussian(scale=median)[x, fill(z)]",
        "param s > 0\nexponential(scale=s)[standardize(log(x + 9)), fill(z)]",
    ],
)
def test_learned_numbers_count_weights(spec: str, n: int) -> None:
    """As of repeated rows, in another order, for the regressor, the classifier and tune."""
    generator = np.random.default_rng(3)
    x = generator.normal(size=n)
    z = np.where(generator.random(n) < 0.2, np.nan, generator.normal(size=n))
    rows, y = pd.DataFrame({"x": x, "z": z}), np.sin(2 * x) + 0.1 * generator.normal(size=n)
    weights = generator.integers(0, 4, n) + 3 * (x > 1)
    params = {"s": "median"} if "param" in spec else None
    copies = generator.permutation(np.repeat(np.arange(n), weights))
    given = [(rows, y, weights), (rows.iloc[copies], y[copies], None)]
    models = [ks.KernelRegressor(spec, params=params).fit(*own) for own in given]
    assert (
        str(models[0].spec_) == str(models[1].spec_) != str(ks.KernelRegressor(spec, params=params).fit(rows, y).spec_)
    )
    np.testing.assert_allclose(models[0].predict(rows), models[1].predict(rows), rtol=1e-6, atol=1e-9)
    if n == 40:
        tuned = [ks.tune(spec, X, target, sample_weight=own) for X, target, own in given]
        assert str(tuned[0].spec) == str(tuned[1].spec)
        labels = [(X, np.where(target > 0, "a", "b"), own) for X, target, own in given]
        classifiers = [ks.KernelClassifier(spec, params=params, random_state=0).fit(*own) for own in labels]
        assert str(classifiers[0].spec_) == str(classifiers[1].spec_) == str(models[0].spec_)


@pytest.mark.parametrize("n", [40, 24])
@pytest.mark.parametrize("options", SOLVERS[:2])
def test_left_out_errors_are_those_of_models_without_the_row(options: dict[str, object], n: int) -> None:
    """Of more than 32 rows, the amplitude is that of all."""
    rows, y = wave(n)
    rows[5], rows[6] = rows[4], rows[4]  # equal rows stay equal rows
    text = f"{SPEC} + 0.05*noise()"
    model = ks.KernelRegressor(text, random_state=0, **options).fit(rows, y)
    scores = []
    for left in range(n):
        kept = np.arange(n) != left
        other = ks.KernelRegressor(text, random_state=0, solver="exact").fit(rows[kept], y[kept])
        mean, deviation = other.predict(rows[[left]], return_std=True)
        scaled = deviation * (math.sqrt(model.amplitude_ / other.amplitude_) if n > 32 else 1)
        scores.append(float(abs(y[left] - mean[0]) / scaled[0]))
    mean, deviation = model.predict(rows, return_std=True)
    for place in (n // 2 + 1, n):  # the 13th of 24, as conformal prediction has it
        low, high = model.predict_interval(rows, coverage=(place - 0.5) / (n + 1))
        np.testing.assert_allclose((high - low) / 2 / deviation, np.sort(scores)[place - 1], rtol=1e-4)


@pytest.mark.parametrize("options", SOLVERS)
def test_far_from_the_data_the_variance_is_that_of_the_prior(options: dict[str, object]) -> None:
    rows, y = wave(200)
    model = ks.KernelRegressor(SPEC, random_state=0, **options).fit(rows, y)
    near = model.predict(rows, return_std=True)[1]
    far = model.predict(np.array([[30.0], [-90.0]]), return_std=True)[1]
    prior = model.amplitude_ + model.noise_
    assert (np.square(far) > 0.95 * prior).all()
    assert (np.square(far) < 2 * prior).all()  # the intercept is uncertain too
    assert np.square(near).mean() < 2 * model.noise_


@pytest.mark.slow
@pytest.mark.parametrize("options", sweep(SOLVERS, every=3))
def test_intervals_hold_new_observations(options: dict[str, object]) -> None:
    """Noise with heavy tails, where normal quantiles are wrong. Of 400 rows the quantile itself has the spread .011."""
    generator = np.random.default_rng(3)
    rows, y = wave(400, noise=0)
    y += 0.1 * generator.standard_t(2.5, 400)
    new, truth = wave(20_000, seed=4, noise=0)
    truth += 0.1 * generator.standard_t(2.5, 20_000)
    model = ks.KernelRegressor(SPEC, random_state=0, **options).fit(rows, y)
    for coverage in (0.5, 0.8, 0.95):
        low, high = model.predict_interval(new, coverage)
        held = float(np.mean((low <= truth) & (truth <= high)))
        spread = math.sqrt(coverage * (1 - coverage) / 400)
        assert abs(held - coverage) < 5 * spread


def test_intervals_of_few_rows_are_as_wide_as_those_of_normal_errors_of_unknown_size() -> None:
    """Student's t with 4 − 2 degrees of freedom has the 95 % quantile 2.920 [tables]; the normal law 1.645."""
    rows, y = wave(4)
    model = ks.KernelRegressor(SPEC).fit(rows, y)
    new = np.array([[0.1], [40.0]])
    low, high = model.predict_interval(new, coverage=0.9)
    assert ((high - low) / 2 >= 2.9199 * model.predict(new, return_std=True)[1]).all()


def test_batches_of_a_series_in_order_keep_the_noise() -> None:
    """Landmarks of the first batch leave the others: that is not noise, nor does it replace it.

    Each share of 300 rows in intervals of 90 % has the spread .017.
    """
    generator = np.random.default_rng(5)
    t = np.linspace(0, 3, 900)[:, None]
    y = np.sin(2 * t[:, 0]) + 0.1 * generator.standard_normal(900)
    model = ks.KernelRegressor("gaussian()", solver="features", n_features=64, random_state=0)
    for part in np.array_split(np.arange(900), 3):
        model.partial_fit(t[part], y[part])
    assert 0.08 < math.sqrt(model.noise_) < 0.12
    low, high = model.predict_interval(t, 0.9)
    assert (((low <= y) & (y <= high)).reshape(3, 300).mean(axis=1) > 0.83).all()


@pytest.mark.slow
@pytest.mark.parametrize("options", SOLVERS)
def test_intervals_of_ten_rows_hold_new_observations(options: dict[str, object]) -> None:
    """Noise is learned from ten rows drawn from the model, 100 times. A false alarm has a probability of 3e-5."""
    held = []
    for seed in range(100):
        generator = np.random.default_rng(seed)
        rows = generator.uniform(-3, 3, (40, 1))
        prior = ks.parse(SPEC)(rows, rows) + 0.01 * np.eye(40)
        y = generator.multivariate_normal(np.zeros(40), prior)
        low, high = (
            ks.KernelRegressor(SPEC, random_state=0, **options).fit(rows[:10], y[:10]).predict_interval(rows[10:], 0.9)
        )
        held.append(np.mean((low <= y[10:]) & (y[10:] <= high)))
    assert np.mean(held) > 0.9 - 4 * np.std(held) / 10


@pytest.mark.parametrize("options", SOLVERS)
def test_samples_have_the_posterior_moments(options: dict[str, object]) -> None:
    rows, y = wave(100)
    new = np.array([[-1.9], [-1.7], [0.3], [6.0]])
    model = ks.KernelRegressor(SPEC, random_state=0, **options).fit(rows, y)
    n = 20_000
    drawn = model.sample_y(new, n, random_state=1)
    mean, covariance = model.predict(new, return_cov=True)
    assert drawn.shape == (4, n)
    z = (drawn.mean(axis=1) - mean) / np.sqrt(np.diagonal(covariance) / n)
    assert np.abs(z).max() < 5.5
    spread = np.sqrt((np.square(covariance) + np.outer(np.diagonal(covariance), np.diagonal(covariance))) / n)
    assert (np.abs(np.cov(drawn) - covariance) < 5.5 * spread).all()
    assert not np.array_equal(drawn[:, 0], model.sample_y(new, 1, random_state=2)[:, 0])


def test_landmarks_of_all_rows_are_the_exact_solution() -> None:
    rows, y = wave(120)
    new = np.linspace(-3, 3, 31)[:, None]
    exact = ks.KernelRegressor("exponential(scale=0.7)", solver="exact").fit(rows, y)
    features = ks.KernelRegressor("exponential(scale=0.7)", solver="features", n_features=120).fit(rows, y)
    assert features.fmap_.n_columns == 120
    for first, second in zip(exact.predict(new, return_std=True), features.predict(new, return_std=True), strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-6)
    assert features.noise_ == pytest.approx(exact.noise_, rel=1e-6)


def test_more_columns_than_rows_are_solved_by_the_rows(tmp_path: Path) -> None:
    """As the exact process of their kernel, and after a file, too."""
    rows, y = wave(80)
    table = {"c": [f"{i % 40}" for i in range(80)], "x": rows[:, 0]}
    spec, new = "match()[c]*gaussian()[x]", {"c": ["3", "4"], "x": [0.1, 5.0]}
    options = {"solver": "features", "method": "paired", "n_features": 64, "random_state": 0}
    model = ks.KernelRegressor(f"{spec} + 0.1*noise()", **options).fit(table, y)
    assert model.fmap_.n_columns > 2500
    kernel, cross = model.fmap_.approximate(table), model.fmap_.approximate(new, table)
    inverse = np.linalg.inv(kernel + 0.1 * np.eye(80))
    mean = inverse.sum(axis=0) @ y / inverse.sum()
    np.testing.assert_allclose(model.predict(new), mean + cross @ inverse @ (y - mean), rtol=1e-9)
    with pytest.warns(ks.KeptRowsWarning):
        model.save(tmp_path / "model.npz")
    again = ks.load_model(tmp_path / "model.npz")
    for ask in ({"return_std": True}, {"return_cov": True}):
        for loaded, own in zip(again.predict(new, **ask), model.predict(new, **ask), strict=True):
            np.testing.assert_array_equal(loaded, own)
    classes = ks.KernelClassifier(spec, kind="least_squares", method="paired", n_features=64, random_state=0)
    assert classes.fit(table, y > 5).score(table, y > 5) > 0.9


def test_few_landmarks_tell_noise_from_what_they_leave() -> None:
    """Twelve landmarks of rough functions leave 12 % of k(x, x) on average, and nothing near landmarks.

    Eight functions drawn from the model. std² over squared errors is 0.88 ± 0.03 for the quarter of the rows nearest to
    landmarks and 1.56 ± 0.03 for all rows; 0.32 and 1.10 if the same mean is taken from all rows; 1.67 and 2.17 if that
    counts twice.
    """
    generator, ratios = np.random.default_rng(6), []
    for seed in range(8):
        rows = generator.uniform(-3, 3, (600, 1))
        root = np.linalg.cholesky(np.exp(-np.abs(rows - rows.T) / 2) + 1e-10 * np.eye(600))
        y = root @ generator.standard_normal(600) + 0.05 * generator.standard_normal(600)
        model = ks.KernelRegressor("exponential(scale=2)", solver="features", n_features=12, random_state=seed)
        mean, deviation = model.fit(rows, y).predict(rows, return_std=True)
        near = np.argsort(model.fmap_.residual(rows))
        ratios.append([np.mean(deviation[own] ** 2) / np.mean((y - mean)[own] ** 2) for own in (near[:150], near)])
    nearest, all_of_them = np.mean(ratios, axis=0)
    assert 0.7 < nearest < 1.2, ratios
    assert 1.0 < all_of_them < 1.8, ratios


def test_repeated_rows_tell_the_noise_beside_few_landmarks() -> None:
    """Ten targets for each of 60 rows, of variance 0.09: the estimate from 540 degrees of freedom is within 4 of its
    standard errors.
    """
    generator = np.random.default_rng(2)
    rows = np.repeat(generator.uniform(-3, 3, (60, 1)), 10, axis=0)
    y = np.sin(2 * rows[:, 0]) + 0.3 * generator.standard_normal(600)
    model = ks.KernelRegressor("exponential(scale=2)", solver="features", n_features=12, random_state=0).fit(rows, y)
    assert model.noise_ == pytest.approx(0.09, rel=4 * math.sqrt(2 / 540))


def test_several_targets_are_fitted_one_by_one() -> None:
    rows, y = wave(60)
    both = np.column_stack([y, -3 * y + np.random.default_rng(5).standard_normal(60)])
    model = ks.KernelRegressor(SPEC).fit(rows, both)
    mean, deviation = model.predict(rows, return_std=True)
    assert mean.shape == deviation.shape == (60, 2)
    for target in range(2):
        alone = ks.KernelRegressor(SPEC).fit(rows, both[:, target])
        np.testing.assert_allclose(mean[:, target], alone.predict(rows), rtol=1e-9)
        assert model.noise_[target] == pytest.approx(alone.noise_)
    assert model.sample_y(rows[:3], 4).shape == (3, 2, 4)
    assert model.predict(rows[:3], return_cov=True)[1].shape == (3, 3, 2)


def test_tables_are_read_by_name_and_parameters_searched() -> None:
    rows, y = wave(120)
    frame = pd.DataFrame({"other": np.arange(120.0), "t": rows[:, 0]})
    model = ks.KernelRegressor("param s = 2\ngaussian(scale=s)[t]", random_state=0)
    search = GridSearchCV(model, {"params__s": [0.02, 0.7, 30.0]}, cv=3).fit(frame, y)
    assert search.best_params_ == {"params__s": 0.7}
    best = search.best_estimator_
    expected = best.predict(frame)
    np.testing.assert_array_equal(best.predict(frame[["t", "other"]]), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(best)).predict(frame), expected)
    assert clone(model).get_params() == model.get_params()
    assert str(best.spec_) == "param s = 0.7\ngaussian(scale=s)[t]"
    with pytest.raises(ks.KernelspecError, match="by name"):
        best.predict(frame.to_numpy())


def test_categories_are_part_of_a_model() -> None:
    generator = np.random.default_rng(6)
    frame = pd.DataFrame({"city": generator.choice(["a", "b", "c"], 200), "x": generator.uniform(-2, 2, 200)})
    y = frame["city"].map({"a": 0.0, "b": 3.0, "c": -1.0}) + np.sin(frame["x"]) + 0.01 * generator.standard_normal(200)
    for options in ({"solver": "exact"}, {"solver": "features", "n_features": 100}):
        model = ks.KernelRegressor("match()[city]*gaussian()[x]", random_state=0, **options).fit(frame[:150], y[:150])
        assert model.score(frame[150:], y[150:]) > 0.99


@pytest.mark.parametrize(
    ("spec", "y", "options", "message"),
    [
        (SPEC, [1, 2, np.nan], {}, "NaN or infinite in row 2"),
        (SPEC, ["a", "b", "c"], {}, "KernelClassifier"),
        (SPEC, [1, 2], {}, "3 rows and y has 2"),
        (SPEC, [1, 2, 3], {"solver": "best"}, "solver"),
        ("laplace() - 2*gaussian()", [1, 2, 3], {}, "indefinite"),
        ("shift(gaussian(), by=1)", [1, 2, 3], {}, "asymmetric"),
        ("noise()", [1, 2, 3], {}, "noise"),
        (SPEC, [1, 2, 3], {"solver": "features", "n_features": 2.5}, "n_features must be 'auto' or a whole number"),
        (SPEC, [1, 2, 3], {"solver": "exact", "n_features": "many"}, "n_features must be 'auto' or a whole number"),
        ("gaussian() - 2*noise()", [1, 2, 3], {}, "variance of the observation noise"),
    ],
)
def test_what_cannot_be_fitted(spec: str, y: list[object], options: dict[str, object], message: str) -> None:
    with pytest.raises(ks.KernelspecError, match=message):
        ks.KernelRegressor(spec, **options).fit(np.arange(3.0)[:, None], y)  # type: ignore[arg-type]


def test_what_cannot_be_predicted() -> None:
    rows, y = wave(20)
    model = ks.KernelRegressor(SPEC).fit(rows, y)
    with pytest.raises(ks.KernelspecError, match="exclude each other"):
        model.predict(rows, return_std=True, return_cov=True)
    with pytest.raises(ks.KernelspecError, match="coverage"):
        model.predict_interval(rows, coverage=95)
    with pytest.raises(ks.KernelspecError, match="coverage"):
        model.predict_interval(rows, coverage="most")  # type: ignore[arg-type]
    with pytest.raises(ks.KernelspecError, match="n_samples must be a whole number"):
        model.sample_y(rows, n_samples=-1)
    with pytest.raises(ks.KernelspecError, match="2 features"):
        model.predict(np.zeros((2, 2)))


@pytest.mark.parametrize("solver", ["exact", "state-space", "features"])
def test_targets_may_lie_far_from_zero(solver: Literal["exact", "state-space", "features"]) -> None:
    rows, y = wave(60)
    new = np.array([[0.3], [9.0]])
    near, far = (
        ks.KernelRegressor("matern(nu=3/2)", solver=solver, random_state=0).fit(rows, y + offset)
        for offset in (0.0, 1e9)
    )
    for found, expected in zip(far.predict(new, return_std=True), near.predict(new, return_std=True), strict=True):
        np.testing.assert_allclose(found - (1e9 if found[0] > 1e8 else 0), expected, atol=1e-5)
    assert far.noise_ == pytest.approx(near.noise_, rel=1e-4)


@pytest.mark.parametrize("solver", ["exact", "features"])
def test_weights_that_are_shares_are_refused(solver: Literal["exact", "features"]) -> None:
    rows, y = wave(60)
    with pytest.raises(ks.DataError, match="adds up to 1: a model needs two rows"):
        ks.KernelRegressor(SPEC, solver=solver).fit(rows, y, sample_weight=np.full(60, 1 / 60))
    with pytest.raises(ks.DataError, match="adds up to 1: a model needs two rows"):
        ks.KernelClassifier(SPEC).fit(rows, y > 5, sample_weight=np.full(60, 1 / 60))


@pytest.mark.parametrize("value", [0.0, 7.0, 1e9 / 3])
@pytest.mark.parametrize("solver", ["exact", "state-space", "features"])
def test_a_constant_target_is_predicted(solver: Literal["exact", "state-space", "features"], value: float) -> None:
    spec = "matern(nu=3/2)" if solver == "state-space" else SPEC
    model = ks.KernelRegressor(spec, solver=solver).fit(wave(20)[0], np.full(20, value))
    mean, deviation = model.predict(np.array([[0.0], [50.0]]), return_std=True)
    np.testing.assert_allclose(mean, value, rtol=1e-9)
    assert np.isfinite(model.log_marginal_likelihood_value_)
    assert (deviation < 1e-5).all()


BATCHES = [slice(0, 100), slice(100, 101), slice(101, 180), slice(180, 300)]


@pytest.mark.parametrize("spec", ["gaussian()[0] - gaussian()[0]", "linear()[1]", "linear()[1] + 0.1*noise()"])
def test_the_zero_kernel_leaves_the_mean_and_noise(spec: str) -> None:
    rows, y = wave(50)
    rows = np.hstack([rows, np.zeros_like(rows)])
    mean, deviation = ks.KernelRegressor(spec).fit(rows, y).predict(rows[:2], return_std=True)
    np.testing.assert_allclose(mean, y.mean(), rtol=1e-12)
    np.testing.assert_allclose(deviation, y.std(ddof=1) * np.sqrt(1 + 1 / 50), rtol=1e-9)


@pytest.mark.parametrize("method", ["nystrom", "paired"])
def test_batches_are_one_pass(method: str) -> None:
    """Predictions of several batches, of two, and by the normal equations on the features of all rows."""
    rows, y = wave(300, seed=4)
    y = 1e4 + y
    options = {"solver": "features", "n_features": 40, "method": method, "random_state": 0}
    models = [ks.KernelRegressor(SPEC, **options) for _ in range(2)]
    for part in BATCHES:
        models[0].partial_fit(rows[part], y[part])
    for part in (BATCHES[0], slice(100, 300)):
        models[1].partial_fit(rows[part], y[part])
    new = np.linspace(-3, 3, 50)[:, None]
    many, two = (model.predict(new) for model in models)
    spread = np.ptp(two)
    assert np.abs(many - two).max() < 1e-9 * spread
    model = models[0]
    assert "the first 100 rows" in model.solver_reason_
    assert training_of(model).n_rows == 300
    features, of_new = model.fmap_.transform(rows), model.fmap_.transform(new)
    own = model._fitted.posterior.fit.noises[0]
    centred = features - features.mean(axis=0)
    solved = np.linalg.solve(centred.T @ centred + own * np.eye(features.shape[1]), centred.T @ (y - y.mean()))
    expected = y.mean() + (of_new - features.mean(axis=0)) @ solved
    assert np.abs(many - expected).max() < 1e-7 * spread
    for first, second in zip(models[0].predict_interval(new), models[1].predict_interval(new), strict=True):
        assert np.abs(first - second).max() < 0.3 * np.abs(models[1].predict_interval(new)[1] - two).max()


def test_one_batch_is_fit() -> None:
    rows, y = wave(80)
    options = {"solver": "features", "n_features": 30, "random_state": 0}
    batch, whole = ks.KernelRegressor(SPEC, **options), ks.KernelRegressor(SPEC, **options)
    np.testing.assert_array_equal(batch.partial_fit(rows, y).predict(rows), whole.fit(rows, y).predict(rows))
    whole.partial_fit(rows[:5], y[:5])  # fit goes on, too
    assert training_of(whole).n_rows == 85


def test_what_cannot_be_fitted_further(tmp_path: Path) -> None:
    rows, y = wave(80)
    for solver in ("exact", "auto"):
        assert not hasattr(ks.KernelRegressor(SPEC, solver=solver), "partial_fit")
    with pytest.raises(ks.PlanError, match="loaded, or solved exactly"):
        ks.KernelRegressor(SPEC).fit(rows, y).set_params(solver="features").partial_fit(rows, y)
    model = ks.KernelRegressor(SPEC, solver="features").partial_fit(rows, y)
    with pytest.raises(ks.DataError, match="targets"):
        model.partial_fit(rows, np.column_stack([y, y]))
    with pytest.warns(ks.KeptRowsWarning):
        model.save(tmp_path / "m.npz")
    with pytest.raises(ks.PlanError, match="loaded"):
        ks.load_model(tmp_path / "m.npz").partial_fit(rows, y)


CUTS = [[], [1, 7, 250, 251], list(range(10, 400, 10))]


@pytest.mark.slow
@pytest.mark.parametrize("as_frame", [True, False])
@pytest.mark.parametrize("method", ["nystrom", "paired"])
def test_a_table_in_blocks_is_one_table(method: str, as_frame: bool) -> None:
    """The same model however it is cut; held-out rows are predicted without them, and are learned from in the end."""
    rows, y = wave(400, seed=4)
    rows = np.column_stack([rows, rows[::-1]])
    weights = np.random.default_rng(1).integers(1, 4, 400).astype(float)
    X = pd.DataFrame(rows, columns=["a", "b"]) if as_frame else rows
    spec = "gaussian()[standardize(a)]" if as_frame else "gaussian()[0]"
    options = {"solver": "features", "n_features": 40, "method": method, "random_state": 0}
    models = []
    for cuts in CUTS:
        parts = [slice(i, j) for i, j in zip([0, *cuts], [*cuts, 400], strict=True)]
        blocks = [(X[part], y[part], weights[part]) for part in parts]
        models.append(ks.KernelRegressor(spec, **options).fit_blocks(blocks, n_held_out=50))
    whole = ks.KernelRegressor(spec, **options).fit(X, y, weights)
    first = models[0]
    spread, fit = np.ptp(first.predict(X)), first._fitted.posterior.fit
    rounding = np.finfo(float).eps * fit.eigenvalues.max() / fit.noises.min()  # that of sums times the condition
    for model in models[1:]:
        assert np.abs(model.predict(X) - first.predict(X)).max() < max(1e-9, rounding) * spread
        assert model.held_out_.value == pytest.approx(first.held_out_.value, abs=1e-9)
    assert np.abs(whole.predict(X) - first.predict(X)).max() < 0.05 * spread  # other landmarks
    assert first.held_out_.n_rows == 50
    assert first.held_out_.value > 0.9
    assert first.describe().to_dict()["n_rows"] == 400
    assert "400 random rows" not in first.solver_reason_
    assert "350 random rows" in first.solver_reason_
    low, high = first.predict_interval(X)
    assert np.average((low <= y) & (y <= high), weights=weights) > 0.9


def test_what_cannot_be_fitted_in_blocks() -> None:
    rows, y = wave(80)
    model = ks.KernelRegressor(SPEC, solver="features")
    assert not hasattr(ks.KernelRegressor(SPEC), "fit_blocks")
    with pytest.raises(ks.PlanError, match="an iterator is used up by the first pass"):
        model.fit_blocks(iter([(rows, y)]))
    with pytest.raises(ks.DataError, match="the blocks have no rows"):
        model.fit_blocks([])
    for wrong in (-5, 2.5, None):
        with pytest.raises(ks.PlanError, match="n_held_out must be a whole number"):
            model.fit_blocks([(rows, y)], n_held_out=wrong)  # type: ignore[arg-type]
    with pytest.raises(ks.PlanError, match="give a list of pairs"):
        model.fit_blocks(5)  # type: ignore[arg-type]
    with pytest.raises(ks.DataError, match=r"a block must be a pair \(X, y\)"):
        model.fit_blocks([rows])  # type: ignore[list-item]
    with pytest.raises(ks.DataError, match="a block has 80 rows and 79 targets"):
        model.fit_blocks([(rows, y[1:])])
    with pytest.raises(ks.DataError, match="the first block has 1 columns, and another has 2"):
        model.fit_blocks([(rows, y), (np.column_stack([rows, rows]), y)])
    frame = pd.DataFrame({"a": y})
    with pytest.raises(ks.DataError, match="names must be the same in all blocks; 'a' is not"):
        model.fit_blocks([(frame, y), (frame.rename(columns={"a": "b"}), y)])
    with pytest.raises(ks.DataError, match=r"the first block is a pandas\.DataFrame, and another a numpy\.ndarray"):
        model.fit_blocks([(frame, y), (rows, y)])
    with pytest.raises(ks.DataError, match="another number of targets"):
        model.fit_blocks([(rows, y), (rows, np.column_stack([y, y]))])


def test_a_fit_in_blocks_that_fails_leaves_the_model_as_it_was() -> None:
    rows, y = wave(80)
    model = ks.KernelRegressor(SPEC, solver="features", n_features=20).fit_blocks([(rows, y)])
    before = model.predict(rows)

    class Failing(list):  # type: ignore[type-arg]
        """Fails at the end of the second pass."""

        passes = 0

        def __iter__(self) -> Any:
            self.passes += 1
            yield rows, 2 * y
            if self.passes == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.fit_blocks(Failing())
    np.testing.assert_array_equal(model.predict(rows), before)
    assert model.describe().to_dict()["n_rows"] == 80


def test_rows_of_weight_zero_do_not_count_wherever_they_stand() -> None:
    rows, y = wave(90)
    weights = np.concatenate([np.zeros(30), np.ones(60)])
    options = {"solver": "features", "n_features": 20, "random_state": 0}
    cut, whole = (
        ks.KernelRegressor(SPEC, **options).fit_blocks([(rows[own], y[own], weights[own]) for own in parts])
        for parts in ([slice(0, 30), slice(30, 90)], [slice(0, 90)])
    )
    np.testing.assert_allclose(cut.predict(rows), whole.predict(rows), atol=1e-9)
    assert cut.describe().to_dict()["n_rows"] == 60


@pytest.mark.parametrize("solver", ["exact", "features"])
def test_intervals_are_finite_where_all_other_targets_are_equal(solver: str) -> None:
    """Without the last row all targets are equal: the amplitude is then that of rounding errors."""
    model = ks.KernelRegressor("gaussian()", solver=solver, random_state=0).fit(
        [[0.0], [1.0], [2.0], [3.0]], [0, 0, 0, 1]
    )
    low, high = model.predict_interval([[1.5]], 0.9)
    assert 1 < high[0] - low[0] < 30


@pytest.mark.parametrize("options", SOLVERS[:2])
def test_an_observation_of_fractional_weight_is_left_out_as_a_whole(options: dict[str, object]) -> None:
    """Removing one occurrence of a tenth of an observation would leave less than nothing of it."""
    rows, y = wave(60, noise=0.1)
    weights = np.tile([0.1, 1.9], 30)
    model = ks.KernelRegressor(f"{SPEC} + 0.01*noise()", random_state=0, **options).fit(rows, y, sample_weight=weights)
    low, high = model.predict_interval(rows)
    assert np.median(high - low) < 1


def test_held_out_scores_of_several_targets_are_averaged() -> None:
    rows, y = wave(400)
    both = np.column_stack([y, np.cos(y)])
    found = []
    for targets in (y, y[:, None], np.cos(y), both):
        model = ks.KernelRegressor(SPEC, solver="features", n_features=40, random_state=0)
        held = model.fit_blocks([(rows, targets)], n_held_out=80).held_out_
        assert held is not None
        found.append(held.value)
    assert found[0] == found[1]
    assert found[3] == pytest.approx((found[0] + found[2]) / 2, abs=0.02)


@pytest.mark.parametrize("noise", ["", " + 0.01*noise()"])
@pytest.mark.parametrize("solver", ["exact", "features"])
def test_a_large_term_does_not_hide_the_others(solver: Literal["exact", "features"], noise: str) -> None:
    generator = np.random.default_rng(0)
    year = np.arange(1900.0, 2021)
    y = 0.02 * (year - 1900) + np.sin(year / 6) + 0.1 * generator.standard_normal(len(year))
    table = {"year": year}
    # the same up to the intercept, and a little of the prior
    far, near = (
        ks.KernelRegressor(f"linear()[{column}] + gaussian(scale=5)[year]{noise}", solver=solver).fit(table, y)
        for column in ("year", "year - 1960")
    )
    assert far.log_marginal_likelihood_value_ == pytest.approx(near.log_marginal_likelihood_value_, abs=0.01)
    assert far.noise_ == pytest.approx(near.noise_, rel=0.02)
    ahead = {"year": np.array([2021.0, 2030.0])}
    for one, other in zip(far.predict(ahead, return_std=True), near.predict(ahead, return_std=True), strict=True):
        np.testing.assert_allclose(one, other, rtol=0.01)


@pytest.mark.parametrize(
    ("text", "offset", "shown"),
    [
        ("polynomial(degree=2)[t]", 2012.0, "[t - 2012]"),
        ("linear()[t] + gaussian(scale=5)[t]", 5.7e6, "[t - 5.7e+06]"),
        ("linear()[t]", 1e8, "[t - 1e+08]"),
    ],
)
def test_terms_lost_in_inner_products_are_announced(text: str, offset: float, shown: str) -> None:
    t = np.repeat(np.arange(-12.0, 13), 4)
    table = {"t": t + offset}
    y = 2 * (t / 12) ** 2 + t / 12 + 0.05 * np.random.default_rng(0).standard_normal(len(t))
    with pytest.warns(ks.RoundingWarning, match="column 't' is far from 0") as caught:
        ks.KernelRegressor(text).fit(table, y)
    assert shown in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        near = ks.KernelRegressor(text.replace("[t]", f"[t - {offset:.0f}]")).fit(table, y)
    if text != "linear()[t]":
        assert near.noise_ == pytest.approx(0.05**2, rel=0.4)


@pytest.mark.parametrize("solver", ["exact", "state-space", "features"])
def test_a_noise_of_zero_is_given(solver: Any) -> None:
    rows, y = wave(60)
    least, zero, free, fitted = (
        ks.KernelRegressor(text, solver=solver).fit(rows, y).noise_
        for text in (
            "matern(nu=1/2) + 1e-12*noise()",
            "matern(nu=1/2) + 0*noise()",
            "param v = 0 in [0, 1]\nmatern(nu=1/2) + v*noise()",
            "matern(nu=1/2)",
        )
    )
    assert least == pytest.approx(zero, rel=1e-4)
    assert free == pytest.approx(zero, rel=1e-4)
    assert fitted > 1e3 * zero
    unused = ks.KernelRegressor("let n = noise()\nmatern(nu=1/2)", solver=solver).fit(rows, y).noise_
    assert unused == pytest.approx(fitted, rel=1e-4)
    used = ks.KernelRegressor("let n = noise()\nmatern(nu=1/2) + 0*n", solver=solver).fit(rows, y).noise_
    assert used == pytest.approx(zero, rel=1e-4)


@pytest.mark.parametrize(
    "cells",
    [
        pd.Series(["u", None] * 20, dtype="string"),
        pd.Series([True, None] * 20, dtype="boolean"),
        pd.Series(["u", pd.NA] * 20, dtype=object),
    ],
    ids=["string", "boolean", "object"],
)
def test_missing_cells_of_every_type_are_a_category(cells: Any) -> None:
    x = np.linspace(0, 4, 40)
    y, codes = np.sin(x) + np.tile([0.0, 1.0], 20), np.tile([0, 1], 20)
    found = [
        ks.KernelRegressor("gaussian()[x]*match()[g]").fit(pd.DataFrame({"x": x, "g": own}), y).noise_
        for own in (cells, codes)
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-6)


def test_two_values_in_a_few_rows_may_equal_the_target() -> None:
    table = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [0, 1, 1, 0]})
    model = ks.KernelClassifier("match()[b] + gaussian()[a]", kind="least_squares")
    assert (model.partial_fit(table, table["b"]).predict(table) == table["b"]).all()
    whole = pd.concat([table] * 5, ignore_index=True)
    with pytest.raises(ks.DataError, match="column 'b' equals the target"):
        ks.KernelClassifier("match()[b] + gaussian()[a]").fit(whole, whole["b"])


@pytest.mark.parametrize("constant", [0.15, 1e6])
@pytest.mark.parametrize("solver", ["exact", "state-space"])
def test_a_constant_beside_the_intercept_changes_nothing(
    solver: Literal["exact", "state-space"], constant: float
) -> None:
    rows, y = wave(400)
    found = [
        ks.KernelRegressor(f"matern(nu=3/2){more}", solver=solver).fit(rows, y)
        for more in ("", f" + {constant}*constant()")
    ]
    plain, other = (own.log_marginal_likelihood_value_ for own in found)
    assert other == pytest.approx(plain, abs=0.01)
    assert found[1].noise_ == pytest.approx(found[0].noise_, rel=0.01)


@pytest.mark.parametrize("weight", [0.5, 1.5, 3.0, 20.0])
def test_intervals_of_counts_do_not_shrink_under_equal_weights(weight: float) -> None:
    generator = np.random.default_rng(0)

    def counts(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rows = generator.uniform(0, 10, (n, 1))
        return rows, generator.poisson(2 + np.sin(3 * rows[:, 0])).astype(float)

    (rows, y), (new, drawn) = counts(300), counts(4_000)
    model = ks.KernelRegressor("gaussian(0.2)").fit(rows, y, sample_weight=np.full(len(y), weight))
    low, high = model.predict_interval(new, 0.9)
    assert 0.86 < np.mean((low <= drawn) & (drawn <= high)) < 0.95  # .677 when copies were left out one by one


def test_more_landmarks_are_taken_where_they_pay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(given, "_LANDMARKS", 64)
    monkeypatch.setattr(given, "_MORE_LANDMARKS", 96)
    generator = np.random.default_rng(0)
    X = generator.uniform(-2, 2, (600, 3))
    smooth, options = np.sin(3 * X).sum(axis=1), {"solver": "features", "random_state": 0}
    noise = generator.standard_normal(600)
    columns = [
        ks.KernelRegressor("gaussian(scale=0.7)", **options).fit(X, y).fmap_.n_columns
        for y in (smooth + 0.1 * noise, smooth + 30 * noise)
    ]
    assert columns == [96, 64]
    classes = ks.KernelClassifier("gaussian(scale=0.7)", random_state=0).fit(X, smooth > 0)
    with pytest.warns(ks.KeptRowsWarning):
        classes.save(tmp_path / "classes.npz")
    assert classes.fmap_.n_columns == ks.load_model(tmp_path / "classes.npz").n_features == 96
    asked = ks.KernelRegressor("gaussian(scale=0.7)", n_features=64, **options).fit(X, smooth + 0.1 * noise)
    in_batches = ks.KernelRegressor("gaussian(scale=0.7)", **options).partial_fit(X, smooth + 0.1 * noise)
    assert asked.fmap_.n_columns == in_batches.fmap_.n_columns == 64


def test_the_first_half_of_the_landmarks_is_a_map_of_half_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(1)
    X = generator.uniform(-2, 2, (500, 2))
    y = (np.sin(4 * X).sum(axis=1) + 0.1 * generator.standard_normal(500))[:, None]
    noises, scores = np.geomspace(1e-4, 1e4, 401), []
    for n in (32, 64):  # landmarks are chosen one after the other, so the first 32 are the same
        fmap = ks.compile("gaussian(scale=0.7)", data=X, n_features=n, method="nystrom")
        state = State.empty(fmap, 1).update(X, y)
        Z, rest = fmap.transform(X), y[:, 0] - y.mean()
        Z = Z - Z.mean(axis=0)
        values, U = np.linalg.eigh(Z @ Z.T)
        turned = U.T @ rest
        hats = [np.append(values / (values + own), 1.0) for own in noises]
        errors = [np.square(turned * own / (values + own)).sum() for own in noises]
        scores.append(min(len(y) * e / (len(y) - hat.sum()) ** 2 for e, hat in zip(errors, hats, strict=True)))
    gain = 1 - scores[1] / scores[0]
    assert gain > 0.04
    for share, pays in ((gain * 0.999, True), (gain * 1.001, False)):
        monkeypatch.setattr(ridge, "_PAYS", share)
        assert ridge.landmarks_pay(state, ridge.RidgePath.of(state)) == pays


@pytest.mark.filterwarnings("ignore::kernelspec.compilation.DeadKernelWarning")
@pytest.mark.parametrize("solver", ["exact", "features", "state-space"])
def test_a_weak_function_of_many_rows_is_not_overfitted(solver: Literal["exact", "features", "state-space"]) -> None:
    generator = np.random.default_rng(100)
    place = np.repeat(np.arange(100.0), 120)[:, None]
    y = 0.03 * generator.standard_normal(100)[place[:, 0].astype(int)] + generator.standard_normal(len(place))
    fitted = ks.KernelRegressor("laplace(scale=0.1)", solver=solver, random_state=0).fit(place, y)
    assert fitted.noise_ / fitted.amplitude_ > 200
    for noise in (300, 1000, 3000, 10_000):
        other = ks.KernelRegressor(f"laplace(scale=0.1) + {noise}*noise()", solver=solver, random_state=0).fit(place, y)
        assert fitted.log_marginal_likelihood_value_ > other.log_marginal_likelihood_value_ - 1e-4


@pytest.mark.long
def test_predictions_of_many_rows_take_memory_for_some() -> None:
    X, y = wave(1000)
    fitted = ks.KernelRegressor(SPEC, solver="exact").fit(X, y)
    many = np.linspace(-3, 3, 60_000)[:, None]
    tracemalloc.start()
    mean, deviation = fitted.predict(many, return_std=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 1000 * 60_000 / 2
    few = fitted.predict(many[::1000], return_std=True)
    np.testing.assert_allclose(mean[::1000], few[0], rtol=1e-12)
    np.testing.assert_allclose(deviation[::1000], few[1], rtol=1e-9)


@pytest.mark.parametrize("given", [np.random.default_rng(0), 1.5, "a"], ids=["a Generator", "a fraction", "text"])
def test_what_is_no_random_state_is_named(given: Any) -> None:
    rows, y = np.arange(20.0)[:, None], np.sin(np.arange(20.0))
    for own in (
        ks.KernelFeatures("gaussian()", random_state=given),
        ks.KernelRegressor("gaussian()", solver="features", random_state=given),
        ks.KernelClassifier("gaussian()", random_state=given),
    ):
        with pytest.raises(ks.PlanError, match="random_state must be None, a seed from 0 to"):
            own.fit(rows, y > 0)
    with pytest.raises(ks.PlanError, match="random_state must be None, a seed from 0 to"):
        ks.KernelRegressor("gaussian()").fit(rows, y).sample_y(rows, random_state=given)


def test_vectors_of_parameters_may_be_arrays() -> None:
    rows = np.random.default_rng(0).normal(size=(30, 2))
    y, spec = np.sin(rows[:, 0]), "param s[d] = 1\nparam t = 1\nstretch(gaussian(t), s)"
    expected = ks.KernelRegressor(spec, params={"s": [1, 3]}).fit(rows, y).predict(rows)  # type: ignore[dict-item]
    own = ks.KernelRegressor(spec, params={"s": np.array([1, 3])})  # type: ignore[dict-item]
    assert np.array_equal(own.fit(rows, y).predict(rows), expected)
    own.set_params(params__t="median").fit(rows, y)
    assert own.spec_.params["t"] != 1
    assert ks.KernelFeatures(spec, params={"s": np.array([1, 3])}).fit(rows).params_["s"] == (1, 3)  # type: ignore[dict-item]


def test_names_that_are_no_list_are_refused() -> None:
    frame = pd.DataFrame({"code": ["1", "2"] * 10})
    with pytest.raises(ks.DataError, match="text must be a list of columns, such as \\['code'\\], not 'code'"):
        ks.KernelRegressor("match()[code]", text="code").fit(frame, np.arange(20.0))  # type: ignore[arg-type]
    with pytest.raises(ks.DataError, match="column names must be a list of strings, such as"):
        ks.KernelRegressor("gaussian()", feature_names="ab").fit(np.ones((3, 2)), [1, 2, 3])  # type: ignore[arg-type]


@pytest.mark.parametrize("model", [ks.KernelRegressor(SPEC), ks.KernelClassifier(SPEC)])
def test_masked_targets_and_weights_are_refused(model: Any) -> None:
    X, y = np.arange(20.0)[:, None], np.arange(20) % 3
    with pytest.raises(ks.DataError, match="masked in row 2"):
        model.fit(X, np.ma.masked_equal(y, 2))
    with pytest.raises(ks.DataError, match="masked in row 7"):
        model.fit(X, y, np.ma.masked_array(np.ones(20), np.arange(20) == 7))
    fitted = model.fit(X, np.ma.masked_equal(y, -9999))
    with pytest.raises(ks.DataError, match="masked in row 2"):
        fitted.score(X, np.ma.masked_equal(y, 2))
