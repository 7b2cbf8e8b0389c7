"""Estimates for pairs of rows without columns, against the samples one by one and against feature maps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.random.streams import Stream
from kernelspec.samples.inner_products import mean_products
from kernelspec.tables.rows import Rows
from tests.laws.compositional.test_base_products import values
from tests.laws.texts import law

X = np.random.default_rng(0).integers(1, 4, (6, 3)) * np.array([1.0, 1.0, -1.0])
COLUMNS, N = (0, 1, 2), 30

TEXTS = [
    "gaussian()",
    "minmax()",
    "linear()",
    "normalize(linear()) * gaussian()",
    "rbf_cosine(gamma=1) * match()[1]",
    "tilt(gaussian(), 0.1) * match()[0]",
    "shift(laplace(), 0.5)",
    "gaussian() - 0.5*match()[2]*normalize(linear())",
    "dual(relu, gaussian()) * tilt(laplace(), 0.2) * match()[1]",
    "full(relu, input=image(1, 3, 1))",
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_mean_of_all_samples(text: str) -> None:
    batches, y = law(text, 3).draw(Stream(1), N, COLUMNS), X[::-1].copy()
    total = sum(values(batch, Rows(X), Rows(y)).sum(axis=0) for batch in batches)
    found = mean_products(batches, Rows(X), Rows(y), N)
    np.testing.assert_allclose(found, np.diag(total).real / N, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("text", ["gaussian()", "minmax()", "normalize(linear()) * gaussian()"])
def test_the_estimate_of_the_map_with_these_samples(text: str) -> None:
    fmap = ks.compile(text, dim=3, n_features=64, method="paired")
    ((stratum, n),) = fmap.plan.parts
    batches = stratum.law.draw(Stream(fmap.plan.seed).child(0), n, stratum.positions)
    found = stratum.weight * mean_products(batches, Rows(X), Rows(X[::-1]), n)
    np.testing.assert_allclose(found, np.diag(fmap.approximate(X, X[::-1])), rtol=1e-10, atol=1e-12)


def test_sparse_rows_and_no_samples() -> None:
    batches = law("gaussian()", 3).draw(Stream(1), N, COLUMNS)
    dense = mean_products(batches, Rows(X), Rows(X[::-1]), N)
    sparse = mean_products(batches, Rows(csr_array(X)), Rows(csr_array(X[::-1])), N)
    np.testing.assert_allclose(sparse, dense, rtol=1e-12)
    assert np.array_equal(mean_products([], Rows(X), Rows(X), 4), np.zeros(6))
