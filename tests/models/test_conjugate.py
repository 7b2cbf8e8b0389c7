"""Regression on more columns than a scatter matrix can have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import kernelspec as ks
from kernelspec.models import conjugate, state


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """2,000 columns count as too many."""
    monkeypatch.setattr(state, "_MOST_COLUMNS", 2_000)


def table(n: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of shares, two targets, one far from zero, and weights."""
    generator = np.random.default_rng(0)
    rows = generator.gamma(1.0, size=(n, 4))
    y = np.column_stack([rows[:, 0] > rows[:, 1], 1000 + np.minimum(rows[:, 2], rows[:, 3])])
    return rows, y + 0.2 * generator.standard_normal((n, 2)), generator.integers(1, 4, n).astype(float)


def sampled(spec: str, n_features: int = 12) -> ks.KernelRegressor:
    """A model on 256 columns for each of the features."""
    return ks.KernelRegressor(spec, solver="features", method="auto", n_features=n_features, random_state=0)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("keeps", [True, False])
def test_conjugate_gradients_are_the_direct_solution(monkeypatch: pytest.MonkeyPatch, keeps: bool) -> None:
    if not keeps:
        monkeypatch.setattr(conjugate, "_MOST_KEPT", 10_000)
    rows, y, weights = table()
    model = sampled("minmax() + 0.5*noise()").fit(rows, y, weights)
    assert model.fmap_ is not None
    assert model.fmap_.n_columns >= 3_000
    for text in (
        "conjugate gradients",
        "1e-12",
        "steps",
        "the noise of the spec",
        "kept" if keeps else "computed again",
    ):
        assert text in model.solver_reason_
    features = model.fmap_.transform(rows)
    direct = Ridge(alpha=0.5, solver="cholesky").fit(features.toarray(), y, weights)
    np.testing.assert_allclose(model.predict(rows), direct.predict(features.toarray()), atol=1e-8 * y[:, 0].std())
    centred = features.toarray() - weights @ features.toarray() / weights.sum()
    targets = y - weights @ y / weights.sum()
    inverse = np.linalg.inv(centred @ centred.T + 0.5 * np.diag(1 / weights))
    quadratic = np.einsum("it,ij,jt->t", targets, inverse, targets)
    np.testing.assert_allclose(model.amplitude_, quadratic / (weights.sum() - 1), rtol=1e-8)


@pytest.mark.usefixtures("narrow")
def test_the_noise_is_that_of_least_error_on_rows_held_out_and_the_rest_is_refused_by_name(tmp_path: Path) -> None:
    rows, y, _ = table()
    model = sampled("minmax()").fit(rows, y[:, 1])
    ratio = model.noise_ / model.amplitude_
    assert "11 noises" in model.solver_reason_
    assert "60 rows held out" in model.solver_reason_
    features = model.fmap_.transform(rows).toarray()
    direct = Ridge(alpha=ratio, solver="cholesky").fit(features, y[:, 1])
    np.testing.assert_allclose(model.predict(rows), direct.predict(features), atol=1e-8)
    known = sampled("minmax()").fit(rows[:200], y[:200, 1])
    error = np.mean(np.square(known.predict(rows[200:]) - y[200:, 1]))
    assert error < 0.7 * np.var(y[200:, 1])
    for ask in (
        lambda: model.predict(rows, return_std=True),
        lambda: model.predict(rows, return_cov=True),
        lambda: model.predict_interval(rows),
        lambda: model.sample_y(rows),
        lambda: model.log_marginal_likelihood_value_,
    ):
        with pytest.raises(ks.PlanError, match="conjugate gradients, without it"):
            ask()
    with pytest.raises(ks.PlanError, match="solved exactly or by conjugate gradients"):
        model.partial_fit(rows, y[:, 1])
    with pytest.raises(ks.PlanError, match="by conjugate gradients"):
        ks.State.of(model.fmap_, rows)
    model.save(tmp_path / "model.npz")
    loaded = ks.load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.predict(rows), model.predict(rows))
    assert "log_likelihood" not in str(loaded.describe())


@pytest.mark.long
def test_more_than_twenty_thousand_columns_are_fitted() -> None:
    rows, y, _ = table()
    model = sampled("minmax()", 100).fit(rows, y[:, 0])
    assert model.fmap_ is not None
    assert model.fmap_.n_columns > 20_000
    features = model.fmap_.transform(rows).toarray()
    direct = Ridge(model.noise_ / model.amplitude_).fit(features, y[:, 0])
    np.testing.assert_allclose(model.predict(rows), direct.predict(features), atol=1e-8)
