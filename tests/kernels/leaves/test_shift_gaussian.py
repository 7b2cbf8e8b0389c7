"""The shifted Gaussian kernel."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.measures.measure import measure_of
from tests.kernels.asymmetric import direction, exact, make


@pytest.mark.parametrize("dim", [1, 2, 3, 7])
def test_values_and_diagonal(dim: int) -> None:
    kernel = make("shift", dim)
    lags = np.random.default_rng(dim).standard_normal((20, dim)) * np.geomspace(1e-6, 30, 20)[:, None]
    found = measure_of(kernel).characteristic_function(lags)
    np.testing.assert_allclose(found, exact(kernel, lags), rtol=1e-11, atol=1e-300)
    assert kernel.diagonal() == pytest.approx(exact(kernel, np.zeros((1, dim)))[0], rel=1e-14)
    assert kernel.total_variation() == kernel.magnitude() == 1


def test_a_shift_of_it_is_one() -> None:
    kernel = make("shift", 2)
    twice = kernel.shifted((1.0, -1.0))  # type: ignore[attr-defined]
    assert twice.by == (direction(2)[0] + 1, direction(2)[1] - 1)


def test_it_is_a_gaussian_of_moved_rows() -> None:
    X = np.random.default_rng(0).standard_normal((6, 2))
    found = ks.parse("shift_gaussian(scale=2, by=[1, -2])").gram(X)
    np.testing.assert_allclose(found, ks.parse("gaussian(scale=2)").gram(X + np.array([1, -2]), X), rtol=1e-13)
