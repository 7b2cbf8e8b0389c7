"""Normalising."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks

X = np.random.default_rng(5).normal(size=(5, 2))
LAGS = X[:, None, :] - X[None, :, :]


def test_divides_by_the_size() -> None:
    expected = (3 * np.exp(-(LAGS**2).sum(-1) / 2) - np.exp(-np.abs(LAGS).sum(-1))) / 2
    np.testing.assert_allclose(
        ks.parse("normalize(3*gaussian() - laplace())").gram(X), expected, rtol=1e-12, atol=1e-15
    )


@pytest.mark.slow
def test_is_one_at_every_row() -> None:
    gram = ks.parse("normalize(0.2*cauchy()**2*match() + 5*laplace())").gram(X)
    np.testing.assert_allclose(np.diag(gram), 1, rtol=1e-14)


@pytest.mark.parametrize("inner", ["gaussian() - laplace()", "gaussian() - 2*laplace()"])
def test_refuses_a_kernel_that_is_not_positive_on_the_diagonal(inner: str) -> None:
    with pytest.raises(ks.KernelspecError, match="it must be positive"):
        ks.parse(f"normalize({inner})")
