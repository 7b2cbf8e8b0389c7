"""The filter and smoother against the exact solution by matrices."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import expm

import kernelspec as ks
from kernelspec.errors import KernelspecError
from kernelspec.models.given import Observations, Table
from kernelspec.models.posterior import fit_exact
from kernelspec.models.state_space import fit_state_space, space_of

SPECS = (
    "matern(nu=3/2, scale=2)[time]*cosine(3)[time] + exponential(scale=5)[time] + 0.1*constant()",
    "matern(nu=5/2, scale=20)[time]",
    "0.5*periodic(7)[time]*exponential(scale=30)[time] + 2*matern(nu=1/2, scale=0.1)[time]",
)


@pytest.mark.slow
@pytest.mark.parametrize("text", SPECS)
def test_it_is_the_exact_gaussian_process(text: str) -> None:
    generator = np.random.default_rng(0)
    n = 300
    time = generator.uniform(0, 50, n)
    time[10] = time[11]  # equal rows
    X = np.stack([generator.normal(size=n), time], axis=1)
    y = np.stack([np.sin(time), 0.1 * time + np.cos(time)], axis=1) + 0.2 * generator.normal(size=(n, 2))
    weights = generator.integers(1, 4, n).astype(float)
    read = Table.of(X, ("x", "time"), missing="refuse").under(ks.parse(f"{text} + 0.1*noise()"))
    observations = Observations.of(read.rows, y, weights)
    exact = fit_exact(read, observations)
    filtered = fit_state_space(read, space_of(read), observations)
    rows = read.layout.read(np.stack([np.zeros(60), generator.uniform(-20, 80, 60)], axis=1))
    close = {"rtol": 1e-8, "atol": 1e-8}
    np.testing.assert_allclose(filtered.log_likelihoods, exact.log_likelihoods, **close)
    np.testing.assert_allclose(filtered.amplitudes, exact.amplitudes, **close)
    np.testing.assert_allclose(filtered.mean(rows), exact.mean(rows), **close)
    np.testing.assert_allclose(filtered.variance(rows), exact.variance(rows), **close)
    np.testing.assert_allclose(filtered.covariance(rows, 1), exact.covariance(rows, 1), **close)
    left, right = (each.leave_one_out(observations) for each in (filtered, exact))
    np.testing.assert_allclose(left.errors, right.errors, **close)
    np.testing.assert_allclose(left.deviations, right.deviations, **close)


@pytest.mark.parametrize("is_saved", [False, True], ids=["fitted", "loaded"])
def test_a_regressor_forecasts_a_long_series(tmp_path: Path, is_saved: bool) -> None:
    generator = np.random.default_rng(1)
    data = pd.DataFrame({"time": np.sort(generator.uniform(0, 300, 5000)), "other": 0.0})
    y = np.sin(data["time"]) + 0.3 * generator.normal(size=5000)
    model = ks.KernelRegressor("matern(nu=5/2, scale=3)[time]").fit(data, y)
    assert (model.solver_, model.fmap_) == ("state-space", None)
    assert "3 states" in model.solver_reason_
    if is_saved:
        with pytest.warns(ks.KeptRowsWarning, match="5,000 rows"):
            model.save(tmp_path / "m.npz")
        before, model = model, ks.load_model(tmp_path / "m.npz")
        assert (model.predict(data) == before.predict(data)).all()
    assert abs(model.noise_ - 0.09) < 0.02
    new = pd.DataFrame({"time": [1.0, 100.0, 1e6], "other": 1.0})
    mean, deviation = model.predict(new, return_std=True)
    assert np.abs(mean[:2] - np.sin([1.0, 100.0])).max() < 0.3
    assert deviation[2] == pytest.approx(np.sqrt(model.amplitude_ + model.noise_), rel=0.1)
    assert model.sample_y(new, 3).shape == (3, 3)


@pytest.mark.parametrize("spec", ["gaussian()[a]*gaussian()[b]", "linear()[a]", "sinc()[a]"])
def test_a_solver_that_cannot_be_had(spec: str) -> None:
    data = pd.DataFrame({"a": np.arange(20.0), "b": 1.0})
    with pytest.raises(KernelspecError, match=r"state space|spectral measure"):
        ks.KernelRegressor(spec, solver="state-space").fit(data, np.arange(20.0) ** 2)


def test_what_is_not_proved_is_not_filtered() -> None:
    """The filter would take a density that is negative somewhere for another kernel."""
    time = np.linspace(0, 30, 2_100)[:, None]
    unproved = "exponential() + cosine(2) - 0.001*matern(nu=7/2)*cosine(1)*matern(nu=5/2)"
    with pytest.raises(KernelspecError, match="what the landmarks leave"):  # so auto has gone on to features
        ks.KernelRegressor(unproved, n_features=32).fit(time, np.sin(time[:, 0]))
    with pytest.raises(KernelspecError, match="is not proved positive definite"):
        ks.KernelRegressor(unproved, solver="state-space").fit(time, np.sin(time[:, 0]))


@pytest.mark.parametrize("spec", ["exponential() - 0.1*matern(nu=5/2)", "product(t -> (1 - t + t**2/2)*exp(-t))"])
def test_what_any_rule_proves_is_filtered(spec: str) -> None:
    """The signs of the densities prove it, not its parts."""
    time = np.sort(np.random.default_rng(0).uniform(0, 20, 40))[:, None]
    assert ks.analyze(spec, dim=1).verdict.positive_definite == "proved"
    found = [
        ks.KernelRegressor(f"{spec} + 0.1*noise()", solver=solver).fit(time, np.sin(time[:, 0]))
        for solver in ("state-space", "exact")
    ]
    new = np.linspace(-1, 25, 7)[:, None]
    np.testing.assert_allclose(
        found[0].predict(new, return_std=True), found[1].predict(new, return_std=True), rtol=1e-8
    )
    long = np.linspace(0, 300, 2_100)[:, None]
    assert ks.KernelRegressor(spec).fit(long, np.sin(long[:, 0])).solver_ == "state-space"


def test_an_approximation_says_so() -> None:
    time = np.arange(50.0)[:, None]
    with pytest.warns(ks.RoundingWarning, match="within 3e-05, but the noise is"):
        model = ks.KernelRegressor("gaussian(scale=3)", solver="state-space").fit(time, np.sin(time[:, 0]))
    assert model.solver_reason_ == "as asked for; the kernel within 3e-05"
    exact = ks.KernelRegressor("gaussian(scale=3)", solver="exact").fit(time, np.sin(time[:, 0]))
    np.testing.assert_allclose(model.predict(time), exact.predict(time), atol=0.02)


@pytest.mark.parametrize("noise", [1e-2, 1e-4])
@pytest.mark.parametrize("spec", ["gaussian(scale=2)", "matern(3/2)*gaussian(scale=3)", "matern(nu=1)", "matern(5/2)"])
def test_covariances_are_those_of_the_states(spec: str, noise: float) -> None:
    """Of the kernel H e^{Fτ} P H' that SciPy's exponentials of its matrices give, by elimination."""
    time = np.sort(np.random.default_rng(2).uniform(0, 20, 60))
    at = np.linspace(-1, 21, 12)
    model = ks.KernelRegressor(f"{spec} + {noise}*noise()", solver="state-space")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ks.RoundingWarning)
        model.fit(time[:, None], np.sin(time))
    covariance = model.predict(at[:, None], return_cov=True)[1]
    states = ks.analyze(spec, dim=1).state_space

    def kernel(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        spans = np.abs(np.subtract.outer(x, y))
        values = [float((states.H @ expm(states.F * span) @ states.P @ states.H.T)[0, 0]) for span in spans.ravel()]
        return np.reshape(values, spans.shape)

    A, K = kernel(time, time) + noise * np.eye(len(time)), kernel(at, time)
    inverse, ones = np.linalg.inv(A), np.ones(len(time))
    missed = 1 - K @ inverse @ ones
    expected = kernel(at, at) + noise * np.eye(len(at)) - K @ inverse @ K.T
    expected += np.outer(missed, missed) / (ones @ inverse @ ones)
    close = {"rtol": 1e-5, "atol": 1e-8 * model.amplitude_}
    np.testing.assert_allclose(covariance, model.amplitude_ * expected, **close)
    np.testing.assert_allclose(np.diag(covariance), model.predict(at[:, None], return_std=True)[1] ** 2, rtol=1e-7)


def test_before_the_first_row_little_noise_leaves_the_variance_right() -> None:
    generator = np.random.default_rng(1)
    time = np.sort(generator.uniform(0, 1, 600))[:, None]
    before = np.array([[-0.5], [-0.2], [-0.1], [-0.02]])
    spec = "1e6*constant() + matern(nu=3/2, scale=1) + 0.001*noise()"
    found = [
        ks.KernelRegressor(spec, solver=solver).fit(time, np.sin(6 * time[:, 0])).predict(before, return_std=True)
        for solver in ("state-space", "exact")
    ]
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-3)  # .00885 for .0618 by the smoother
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-3)
