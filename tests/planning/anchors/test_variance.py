"""Predicted variance and bias of maps with anchors."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.planning.landmarks.pilot import anchored_bias, anchored_variance

X = np.random.default_rng(0).standard_normal((200, 3))
Y = np.random.default_rng(1).standard_normal((20, 3))


def test_anchors_alone_do_not_vary_and_their_bias_is_known() -> None:
    fmap = ks.compile("laplace(scale=3)", data=X, n_features=64, method="nystrom")
    plan, rows = fmap.plan, fmap.plan.layout.read(Y)
    assert plan.anchors is not None
    pairs = NumericPairs(rows, rows)
    assert not anchored_variance(plan.parts, plan.anchors, pairs).any()
    error = fmap.approximate(Y) - ks.parse("laplace(scale=3)").gram(Y)
    np.testing.assert_allclose(anchored_bias(plan.strata, plan.anchors, pairs), error, atol=1e-9)
    assert fmap.predicted_error(Y) == pytest.approx(np.linalg.norm(error) / np.linalg.norm(error - fmap.approximate(Y)))


@pytest.mark.slow
def test_pairs_one_by_one_are_those_of_the_grid() -> None:
    plan = ks.compile("laplace(scale=3)", data=X, n_features=64, method="anchored").plan
    rows = plan.layout.read(Y)
    assert plan.anchors is not None
    grid = anchored_variance(plan.parts, plan.anchors, NumericPairs(rows, rows))
    single = anchored_variance(plan.parts, plan.anchors, NumericPairs(rows, rows, grid=False))
    np.testing.assert_allclose(single, np.diagonal(grid), atol=1e-12)
