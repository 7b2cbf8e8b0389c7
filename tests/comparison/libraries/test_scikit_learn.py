"""scikit-learn's samplers: the kernels are its own, and what is biased is seen."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from kernelspec.exchange.audit import audit
from kernelspec.exchange.library_samplers import SCIKIT_LEARN as SAMPLERS


def test_kernels_are_those_of_scikit_learn() -> None:
    X, Y = np.random.default_rng(0).gamma(2, size=(4, 3)), np.random.default_rng(1).gamma(2, size=(5, 3))
    np.testing.assert_allclose(SAMPLERS["RBFSampler"].kernel(X, Y), rbf_kernel(X, Y, gamma=0.5), rtol=1e-12)
    found = SAMPLERS["PolynomialCountSketch"].kernel(X, Y)
    np.testing.assert_allclose(found, polynomial_kernel(X, Y, degree=2, gamma=1, coef0=1), rtol=1e-12)
    skewed = np.prod(2 * np.sqrt((X[:, None] + 1) * (Y + 1)) / (X[:, None] + Y + 2), axis=-1)
    np.testing.assert_allclose(SAMPLERS["SkewedChi2Sampler"].kernel(X, Y), skewed, rtol=1e-12)


@pytest.mark.slow
def test_what_is_biased() -> None:
    found = {each.sampler: each for each in audit("scikit-learn", n_maps=200)}
    assert set(found) == set(SAMPLERS)
    assert {name for name, each in found.items() if each.is_biased} == {"AdditiveChi2Sampler", "Nystroem"}
    for name in ("RBFSampler", "SkewedChi2Sampler"):
        low, high = found[name].ratio_interval
        assert low < 1 < high
