"""KernelRegressor against formulas of other sources, brute force, and scikit-learn."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

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
from kernelspec.models.saved import training_of
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


@pytest.mark.filterwarnings("ignore::kernelspec.DeadKernelWarning")  # the checks' tables are what they are
@parametrize_with_checks(
    [ks.KernelRegressor("gaussian(scale=2)"), ks.KernelRegressor("gaussian(scale=2)", solver="features", n_features=32)]
)
def test_contract_of_scikit_learn(estimator: ks.KernelRegressor, check: object) -> None:
    check(estimator)  # type: ignore[operator]


def test_likelihood_is_that_of_contrasts() -> None:
    """With the intercept integrated out: the density of contrasts Q'y, Q orthonormal and orthogonal to 1, over √n."""
    rows, y = wave(60)
    model = ks.KernelRegressor(f"{SPEC} + 0.05*noise()").fit(rows, y)
    contrasts = null_space(np.ones((1, 60)))
    covariance = contrasts.T @ (ks.parse(SPEC).gram(rows) + 0.05 * np.eye(60)) @ contrasts
    amplitude = float(contrasts.T @ y @ np.linalg.solve(covariance, contrasts.T @ y)) / 59
    expected = multivariate_normal(np.zeros(59), amplitude * covariance).logpdf(contrasts.T @ y) - math.log(60) / 2
    assert model.log_marginal_likelihood_value_ == pytest.approx(expected, rel=1e-9)
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


@pytest.mark.parametrize("options", SOLVERS[:2])
def test_weights_are_repetitions(options: dict[str, object]) -> None:
    rows, y = wave(40)
    weights = np.random.default_rng(1).integers(0, 4, 40)
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


def test_equal_rows_have_the_likelihood_of_all_observations() -> None:
    """Merged rows: the determinant and the quadratic form of the matrix of all 30 observations."""
    rows, y = wave(10)
    rows, y = np.repeat(rows, 3, 0), np.repeat(y, 3) + np.random.default_rng(2).standard_normal(30)
    model = ks.KernelRegressor(f"{SPEC} + 0.3*noise()").fit(rows, y)
    covariance = ks.parse(SPEC).gram(rows) + 0.3 * np.eye(30)
    contrasts = null_space(np.ones((1, 30)))
    turned = contrasts.T @ covariance @ contrasts
    amplitude = float(contrasts.T @ y @ np.linalg.solve(turned, contrasts.T @ y)) / 29
    expected = multivariate_normal(np.zeros(29), amplitude * turned).logpdf(contrasts.T @ y) - math.log(30) / 2
    assert model.log_marginal_likelihood_value_ == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("options", SOLVERS[:2])
def test_left_out_errors_are_those_of_models_without_the_row(options: dict[str, object]) -> None:
    rows, y = wave(24)
    rows[5], rows[6] = rows[4], rows[4]  # equal rows stay equal rows
    text = f"{SPEC} + 0.05*noise()"
    model = ks.KernelRegressor(text, random_state=0, **options).fit(rows, y)
    scores = []
    for left in range(24):
        kept = np.arange(24) != left
        other = ks.KernelRegressor(text, random_state=0, solver="exact").fit(rows[kept], y[kept])
        mean, deviation = other.predict(rows[[left]], return_std=True)
        scaled = deviation * math.sqrt(model.amplitude_ / other.amplitude_)
        scores.append(float(abs(y[left] - mean[0]) / scaled[0]))
    mean, deviation = model.predict(rows, return_std=True)
    low, high = model.predict_interval(rows, coverage=23.5 / 25)
    np.testing.assert_allclose((high - low) / 2 / deviation, np.sort(scores)[-1], rtol=1e-4)
    low, high = model.predict_interval(rows, coverage=12.4 / 25)  # the 13th of 24, as conformal prediction has it
    np.testing.assert_allclose((high - low) / 2 / deviation, np.sort(scores)[12], rtol=1e-4)


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


def test_few_landmarks_do_not_count_what_they_leave_as_noise_twice() -> None:
    """Twelve landmarks of a rough function: τ holds the noise and what they leave; std of y has each once."""
    rows, y = wave(600, noise=0.05)
    model = ks.KernelRegressor("exponential(scale=2)", solver="features", n_features=12, random_state=0).fit(rows, y)
    _, deviation = model.predict(rows, return_std=True)
    errors = y - model.predict(rows)
    assert 0.8 < float(np.mean(np.square(deviation)) / np.mean(np.square(errors))) < 1.6


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
    with pytest.raises(ks.KernelspecError, match="2 features"):
        model.predict(np.zeros((2, 2)))


def test_a_constant_target_is_predicted() -> None:
    model = ks.KernelRegressor(SPEC).fit(wave(20)[0], np.full(20, 7.0))
    mean, deviation = model.predict(np.array([[0.0], [50.0]]), return_std=True)
    np.testing.assert_allclose(mean, 7.0, rtol=1e-9)
    assert (deviation < 1e-5).all()


BATCHES = [slice(0, 100), slice(100, 101), slice(101, 180), slice(180, 300)]


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
