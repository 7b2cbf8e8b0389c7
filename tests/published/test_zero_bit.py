"""Min-max keys without t*: labelled biased, with the amount measured."""

from __future__ import annotations

import re

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.testing.laboratory import assert_mean

X = np.random.default_rng(0).standard_normal((12, 6))


@pytest.mark.parametrize("method", ["gcws", "poisson"])
def test_keys_agree_more_often_than_the_kernel(method: str) -> None:
    fmap = ks.compile("minmax()", dim=6, n_features=4096, method=method, published=ks.Published(zero_bit=True), data=X)  # type: ignore[arg-type]
    keys, upper = fmap.keys(X), np.triu_indices(len(X), 1)
    agree = (keys[upper[0]] == keys[upper[1]]).T.astype(float)
    exact = ks.parse("minmax()").gram(X)[upper]
    with pytest.raises(AssertionError, match="z ="):
        assert_mean(agree, exact)
    assert (agree.mean(axis=0) - exact).mean() > 0.01
    assert not fmap.unbiased
    assert "biased upwards, by 0." in fmap.explain()


def test_the_bias_that_is_told_is_that_of_the_samples() -> None:
    fmap = ks.compile("minmax()", dim=6, n_features=1024, published=ks.Published(zero_bit=True), data=X)
    told = re.search(r"by ([\d.e-]+) on average", fmap.plan.bias)
    assert told is not None
    whole = ks.compile("minmax()", dim=6, n_features=1024, data=X)
    off = ~np.eye(len(X), dtype=bool)
    measured = (fmap.approximate(X) - whole.approximate(X))[off].mean()
    assert float(told[1]) == pytest.approx(measured, rel=0.25)  # 64 random pairs of rows of the same twelve
