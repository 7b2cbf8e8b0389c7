"""The bound that needs no statistics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec.errors import PlanError
from tests.thoroughness import examples

X = np.random.default_rng(0).standard_normal((200, 3))
KERNELS = [
    "gaussian()",
    "laplace(scale=2)",
    "linear()",
    "gaussian()[0]*laplace()[1] + linear()",
    "rational_quadratic(alpha=2)",
]


@pytest.mark.slow
@settings(max_examples=examples(20), derandomize=True, database=None)
@given(st.sampled_from(KERNELS), st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 10.0]), st.integers(4, 60))
def test_the_error_of_anchors_alone_is_within_the_bound(text: str, seed: int, spread: float, n: int) -> None:
    generator = np.random.default_rng(seed)
    pool = generator.standard_normal((60, 3))
    pool[30:] = pool[:30] if seed % 2 else pool[30:]  # duplicates
    rows = np.vstack([pool[:5], spread * generator.standard_normal((15, 3))])
    fmap = ks.compile(text, data=pool, n_features=n, method="nystrom")
    exact = ks.parse(text).gram(rows)
    r = fmap.residual(rows) + 1e-12 * np.diagonal(exact).max()
    error = np.abs(fmap.approximate(rows) - exact)
    assert (error <= np.sqrt(np.multiply.outer(r, r)) + 1e-12 * np.abs(exact).max()).all()


def test_nothing_is_left_of_the_anchors() -> None:
    fmap = ks.compile("linear()", data=X, n_features=8, method="nystrom")
    assert fmap.residual(X).max() < 1e-9


@pytest.mark.slow
def test_maps_that_have_no_bound() -> None:
    with pytest.raises(PlanError, match="the map has no anchors"):
        ks.compile("gaussian()", dim=3).residual(X)
    with pytest.raises(PlanError, match="a difference or asymmetric"):
        ks.compile("gaussian() - 0.4*laplace()", data=X, n_features=40, method="anchored").residual(X)
