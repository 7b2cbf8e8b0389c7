"""The exponential law."""

from __future__ import annotations

import pytest
import scipy.stats

from kernelspec.distributions.gamma_family import Exponential, Gamma, Weibull
from tests.distributions.comparisons import assert_same_law
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (Exponential(), scipy.stats.expon()),
        (Exponential(scale=2.5), scipy.stats.expon(scale=2.5)),
    ]
)


@pytest.mark.parametrize("scale", [1.0, 0.3, 7.0])
def test_a_gamma_and_a_weibull_law(scale: float) -> None:
    assert_same_law(Exponential(scale=scale), Gamma(shape=1.0, scale=scale))
    assert_same_law(Exponential(scale=scale), Weibull(shape=1.0, scale=scale))
