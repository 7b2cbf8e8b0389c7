"""The chi-square law."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from kernelspec.distributions.chi_square import ChiSquare
from kernelspec.distributions.gamma import Gamma
from kernelspec.distributions.positive import Positive

from .standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (ChiSquare(dof=1.0), scipy.stats.chi2(1)),
        (ChiSquare(dof=2.0), scipy.stats.chi2(2)),
        (ChiSquare(dof=7.4), scipy.stats.chi2(7.4)),
    ]
)

LAGS = np.concatenate([[0.0, 1e-300, 1e-9], np.geomspace(1e-3, 100, 60)])
FREQUENCIES = np.array([0.0, 1e-8, 0.01, 0.7, 3.0, 40.0, 1e6])


def assert_the_same(first: Positive, second: Positive) -> None:
    np.testing.assert_allclose(first.polya_kernel(LAGS), second.polya_kernel(LAGS), rtol=1e-12)
    np.testing.assert_allclose(first.polya_transform(FREQUENCIES), second.polya_transform(FREQUENCIES), rtol=1e-12)
    np.testing.assert_allclose(first.density(LAGS[1:]), second.density(LAGS[1:]), rtol=1e-12)
    assert float(first.mean()) == pytest.approx(float(second.mean()), rel=1e-14)
    assert float(first.inverse_mean()) == pytest.approx(float(second.inverse_mean()), rel=1e-14)


@pytest.mark.parametrize("dof", [0.2, 1.0, 2.0, 4.0, 33.3])
def test_a_gamma_law(dof: float) -> None:
    assert_the_same(ChiSquare(dof=dof), Gamma(shape=dof / 2, scale=2.0))
