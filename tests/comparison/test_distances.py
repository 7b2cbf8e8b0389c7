"""Kernels of the distance, against scikit-learn's."""

from __future__ import annotations

import numpy as np
from sklearn.gaussian_process.kernels import RBF, Matern

from kernelspec.exchange.audit import exponential, gaussian, matern_three_halves

X, Y = np.random.default_rng(0).gamma(2, size=(5, 3)), np.random.default_rng(1).gamma(2, size=(4, 3))


def test_kernels_are_those_of_scikit_learn() -> None:
    np.testing.assert_allclose(gaussian(X, Y), RBF()(X, Y))
    np.testing.assert_allclose(gaussian(X, Y, gamma=2.0), RBF(length_scale=0.5)(X, Y))
    np.testing.assert_allclose(exponential(X, Y), Matern(nu=0.5)(X, Y))
    np.testing.assert_allclose(matern_three_halves(X, Y, rate=np.sqrt(3)), Matern(nu=1.5)(X, Y))
