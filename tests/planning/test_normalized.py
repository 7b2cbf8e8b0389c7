"""Features divided by their norm: labelled biased, with their asymptotic variance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.laws.fourier import normalized_variance, phase_variance
from kernelspec.maps.feature_map import draw_map
from kernelspec.testing.laboratory import assert_mean, z_threshold
from tests.maps.parts import there_and_back
from tests.thoroughness import sweep

X = np.array([[1.0, 0.0], [0.6, 0.8], [-0.28, 0.96], [0.8, -0.6]])


def test_the_variance_of_theorem_2_2() -> None:
    fmap = ks.compile("rbf_cosine(gamma=2)", dim=2, n_features=128, published=ks.Published(normalized=True))
    expected = normalized_variance(X @ X.T, 2) / 128
    np.testing.assert_allclose(fmap.predicted_variance(X), expected, atol=1e-16)
    plain = ks.compile("rbf_cosine(gamma=2)", dim=2, n_features=128, method="phase")
    np.testing.assert_allclose(plain.predicted_variance(X), phase_variance(X @ X.T, 2) / 128, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("text", sweep(["rbf_cosine(gamma=2)", "laplace()"], costly=["rbf_cosine(gamma=2)"]))
def test_measured_variance_and_unit_rows(text: str) -> None:
    plan = ks.compile(text, dim=2, n_features=400, published=ks.Published(normalized=True)).plan
    maps = [draw_map(replace(plan, seed=seed)) for seed in range(800)]
    np.testing.assert_allclose(np.linalg.norm(np.asarray(maps[0].transform(X)), axis=1), 1, rtol=1e-12)
    estimates = np.stack([fmap.approximate(X)[np.triu_indices(4, 1)] for fmap in maps])
    predicted = maps[0].predicted_variance(X)[np.triu_indices(4, 1)]
    ratio = estimates.var(axis=0, ddof=1) / predicted
    # the variance of 800 normal numbers has the relative standard error 5 %; terms of order 1/400 are far less
    assert np.abs(ratio - 1).max() <= z_threshold(6) * np.sqrt(2 / 799)
    assert not maps[0].unbiased
    assert "biased, of order 1/n" in maps[0].explain()


@pytest.mark.long
@pytest.mark.usefixtures("outside_the_ledger")
def test_the_bias_is_there() -> None:
    # of order 1/n: with few columns a test of the mean finds it
    plan = ks.compile("gaussian()", dim=2, n_features=4, published=ks.Published(normalized=True)).plan
    maps = (draw_map(replace(plan, seed=seed)) for seed in range(4000))
    estimates = np.stack([fmap.approximate(X)[np.triu_indices(4, 1)] for fmap in maps])
    with pytest.raises(AssertionError, match="z ="):
        assert_mean(estimates, ks.parse("gaussian()").gram(X)[np.triu_indices(4, 1)])


def test_refusals_and_round_trip() -> None:
    with pytest.raises(PlanError, match="not method='paired'"):
        ks.compile("gaussian()", dim=2, method="paired", published=ks.Published(normalized=True))
    for text in ("gaussian() + laplace()", "match()", "gaussian() - cauchy()", "gaussian() * match()[0]"):
        with pytest.raises(PlanError, match="normalized=True is for one kernel"):
            ks.compile(text, dim=2, published=ks.Published(normalized=True))
    plan = ks.compile("laplace()", dim=2, published=ks.Published(normalized=True)).plan
    assert there_and_back(plan) == plan
