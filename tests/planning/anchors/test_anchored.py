"""Candidates with anchors: predicted errors against those of many maps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.maps.draw import draw_map
from kernelspec.maps.feature_map import FeatureMap

GENERATOR = np.random.default_rng(3)
POOL, NEW = GENERATOR.standard_normal((3000, 4)), GENERATOR.standard_normal((600, 4))
MAPS = 48


def measured(fmap: FeatureMap, rows: np.ndarray) -> tuple[float, float]:
    """Relative error on rows that were not seen at planning, root mean square over maps, and its standard error."""
    exact = ks.parse(fmap.plan.text).gram(rows)
    maps = (draw_map(replace(fmap.plan, seed=seed)) for seed in range(MAPS))
    squares = np.array([np.square(one.approximate(rows) - exact).sum() for one in maps])
    error = float(np.sqrt(np.mean(squares)) / np.linalg.norm(exact))
    return error, error * float(squares.std(ddof=1) / squares.mean() / np.sqrt(MAPS)) / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "draws", [*(pytest.param(draws, marks=pytest.mark.long) for draws in ("independent", "sobol")), "auto"]
)
@pytest.mark.parametrize("text", ["gaussian(scale=2)", "matern(nu=3/2, scale=3)[0:3] + 0.3*linear()"])
def test_the_error_is_predicted(text: str, draws: str) -> None:
    """Within 10 %, besides five standard errors of what 48 maps make of it."""
    fmap = ks.compile(text, data=POOL, n_features=96, method="anchored", draws=draws)
    error, deviation = measured(fmap, NEW)
    for predicted in (fmap.plan.chosen.error, fmap.predicted_error(NEW)):
        assert abs(predicted - error) <= 0.1 * error + 5 * deviation


@pytest.mark.slow
def test_the_budget_is_kept() -> None:
    for n in (8, 33, 64):
        fmap = ks.compile("laplace(scale=3) + gaussian()", data=POOL, n_features=n, method="anchored")
        assert fmap.plan.chosen.anchors + 2 * sum(fmap.plan.chosen.counts) <= n
        assert fmap.n_columns <= n


def test_nystrom_has_the_error_that_was_measured() -> None:
    fmap = ks.compile("gaussian(scale=2)", data=POOL, n_features=64, method="nystrom")
    exact = ks.parse("gaussian(scale=2)").gram(NEW)
    assert fmap.plan.chosen.error == pytest.approx(
        np.linalg.norm(fmap.approximate(NEW) - exact) / np.linalg.norm(exact), rel=0.2
    )
