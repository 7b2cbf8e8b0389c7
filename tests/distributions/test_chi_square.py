"""The chi-square law."""

from __future__ import annotations

import pytest
import scipy.stats

from kernelspec.distributions.gamma_family import ChiSquare, Gamma
from tests.distributions.comparisons import assert_same_law
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (ChiSquare(dof=1.0), scipy.stats.chi2(1)),
        (ChiSquare(dof=2.0), scipy.stats.chi2(2)),
        (ChiSquare(dof=7.4), scipy.stats.chi2(7.4)),
    ]
)


@pytest.mark.parametrize("dof", [0.2, 1.0, 2.0, 4.0, 33.3])
def test_a_gamma_law(dof: float) -> None:
    assert_same_law(ChiSquare(dof=dof), Gamma(shape=dof / 2, scale=2.0))
