"""Polya kernels sampled by binning."""

from __future__ import annotations

import numpy as np
import pytest
from kernelspec.laws.binned import Binned

import kernelspec as ks
from kernelspec.measures.measure_of import measure_of
from kernelspec.testing.assertions import assert_unbiased

X = np.array([[0.0, 0.0, 0.0], [0.4, -0.3, 0.0], [1.1, 0.6, 1.0], [-0.7, 1.0, 1.0], [0.2, -1.5, 2.0]])


def binned(text: str, dim: int = 3) -> Binned:
    kernel = ks.parse(text).kernel(ks.parse("gaussian()").columns(dim))
    found = kernel.alternatives()["binning"]
    assert isinstance(found, Binned)
    return found


@pytest.mark.parametrize("text", ["laplace(scale=2)", "triangle(width=3)", "polya(nakagami(2))"])
def test_the_same_kernel(text: str) -> None:
    node, kernel = binned(text), ks.parse(text).kernel(ks.parse("gaussian()").columns(3))
    from kernelspec.notation.pairs import NumericPairs
    from kernelspec.tables.rows import Rows

    pairs = NumericPairs(Rows(X), Rows(X))
    k = kernel.value(pairs)
    assert np.array_equal(node.value(pairs), k)
    moments = node.moments(pairs)
    assert np.array_equal(moments.paired(), k)
    assert np.array_equal(moments.phase(), k)
    assert np.array_equal(node.moments(pairs.with_keys_agreeing()).a, np.ones_like(k))
    assert node.verdict() == kernel.verdict()
    assert node.is_stationary
    assert not node.is_fourier
    assert node.diagonal() == node.magnitude() == 1
    assert measure_of(node) == measure_of(kernel)
    assert str(node) == str(kernel)


def test_no_polya_kernel_no_binning() -> None:
    for text in ("gaussian()", "cauchy()", "exponential()", "sinc()"):
        assert "binning" not in ks.parse(text).kernel(ks.parse("gaussian()").columns(2)).alternatives()


TEXTS = [
    "laplace(scale=2)",
    "triangle(width=4)[0] * laplace(scale=3)[1, 2]",
    "polya(gamma(0.5, 6)) + 0.5 * gaussian()",
    "polya(weibull(2, 3))[0] * gaussian(scale=2)[1] * match()[2]",
    "stretch(laplace(), [1, 2, 4])",
    "stretch(polya(uniform(1, 5)), [[1, 0, 0.5], [0, 2, 0]])",
    "laplace(scale=3) ** 2 - 0.5 * triangle(5)",
    "(laplace(scale=3) + triangle(5)) * cosine(1)[0]",
]


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_keys_are_unbiased_with_the_variance_predicted(text: str) -> None:
    assert_unbiased(text, X, method="binning", n_features=24, n_maps=300)


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS[:4])
def test_hashed_features_are_unbiased_with_the_variance_predicted(text: str) -> None:
    assert_unbiased(text, X, method="binning", n_features=16, n_maps=300, hashed=True)
