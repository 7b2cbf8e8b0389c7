"""Averages."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks

X = np.random.default_rng(5).normal(size=(5, 2))
LAGS = X[:, None, :] - X[None, :, :]


def test_is_the_average_of_the_values() -> None:
    expected = (np.exp(-(LAGS**2).sum(-1) / 2) + np.exp(-np.abs(LAGS).sum(-1)) * 2) / 3
    np.testing.assert_allclose(ks.parse("mean(gaussian(), laplace(), laplace())").gram(X), expected, rtol=1e-13)


def test_weights_are_exact() -> None:
    assert str(ks.analyze("mean(gaussian(), gaussian(), laplace())", dim=1).k0) == "1"


@pytest.mark.parametrize("text", ["mean()", "mean(k=gaussian())"])
def test_takes_kernels_by_position(text: str) -> None:
    with pytest.raises(ks.KernelspecError, match=r"mean\(\) takes kernels, one or more"):
        ks.parse(text)
