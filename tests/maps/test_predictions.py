"""Predictions hold: variance pair by pair, and the error of the whole matrix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.maps import feature_map as predictions
from kernelspec.maps.draw import draw_map
from kernelspec.planning.methods import Method
from kernelspec.testing.laboratory import assert_mean
from tests.maps.example_maps import BOTH, METHODS, X, compiled


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("hashed", [False, True])
def test_predicted_error_is_the_root_mean_square_over_maps(method: Method, hashed: bool, thorough: bool) -> None:
    # budget 1e-6 for each combination: the mean of ‖K̂ − K‖²_F over many maps against its prediction
    exact = ks.parse(BOTH).gram(X[:6])
    errors, plan = [], compiled(BOTH, 24, method=method).plan
    for seed in range(4000 if thorough else 200):
        feature_map = draw_map(replace(plan, seed=seed))
        estimate = feature_map.approximate(X[:6])
        if hashed:
            features = feature_map.transform(X[:6])
            estimate = (features @ features.conj().T).toarray().real  # type: ignore[union-attr]
        errors.append(np.square(estimate - exact).sum())
    predicted = (feature_map.predicted_error(X[:6], hashed=hashed) * np.linalg.norm(exact)) ** 2
    assert_mean(np.array(errors), [predicted])


def test_predicted_error_follows_from_the_predicted_variance() -> None:
    feature_map = compiled(BOTH)
    exact = ks.parse(BOTH).gram(X, X[:9])
    variance = feature_map.predicted_variance(X, X[:9])
    assert variance.shape == (30, 9)
    expected = np.sqrt(variance.sum()) / np.linalg.norm(exact)
    assert feature_map.predicted_error(X, X[:9]) == pytest.approx(expected, rel=1e-12)
    assert (variance >= feature_map.predicted_variance(X, X[:9], hashed=False)).all()


def test_predictions_go_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    feature_map = compiled(BOTH)
    variance, error = feature_map.predicted_variance(X), feature_map.predicted_error(X)
    monkeypatch.setattr(predictions, "_SIDE_BY_SIDE", 7)
    assert np.allclose(feature_map.predicted_variance(X), variance, rtol=1e-14)
    assert feature_map.predicted_error(X) == pytest.approx(error, rel=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["dual(step, gaussian()[0], max_degree=3)", "2*laplace()[0]*dual(relu, dual(exp(c=1), match()[1], max_degree=1))"],
)
def test_predicted_error_counts_what_is_cut(text: str) -> None:
    """Budget 1e-6: the bias is most of the error of the first, and a part of that of the second."""
    rows = np.column_stack([X[:6, 0], np.arange(6) % 3])
    exact = ks.parse(text).gram(rows)
    first = ks.compile(text, n_features=100, data=rows)
    maps = [first, *(draw_map(replace(first.plan, seed=seed)) for seed in range(1, 400))]
    errors = [np.square(one.approximate(rows) - exact).sum() for one in maps]
    predicted = maps[0].predicted_error(rows, hashed=False)
    assert_mean(np.array(errors), [(predicted * np.linalg.norm(exact)) ** 2])
    assert maps[0].plan.chosen.error == pytest.approx(maps[0].predicted_error(rows, hashed=True), rel=1e-9)
    assert predicted**2 > 1.2 * maps[0].predicted_variance(rows, hashed=False).sum() / np.square(exact).sum()
