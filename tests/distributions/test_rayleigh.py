"""The Rayleigh law."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from kernelspec.distributions.gamma_family import Nakagami, Rayleigh, Weibull
from tests.distributions.comparisons import FREQUENCIES, assert_same_law
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (Rayleigh(), scipy.stats.rayleigh()),
        (Rayleigh(scale=2.5), scipy.stats.rayleigh(scale=2.5)),
    ]
)


@pytest.mark.parametrize("scale", [1.0, 0.3, 7.0])
def test_a_nakagami_and_a_weibull_law(scale: float) -> None:
    assert_same_law(Rayleigh(scale=scale), Nakagami(shape=1.0, spread=2 * scale**2))
    assert_same_law(Rayleigh(scale=scale), Weibull(shape=2.0, scale=scale * np.sqrt(2.0)))


def test_the_closed_forms() -> None:
    law = Rayleigh(scale=1.5)
    w = FREQUENCIES[1:]
    expected = 2 * law.inverse_mean() / w**2 * -np.expm1(-np.square(1.5 * w) / 2)
    np.testing.assert_allclose(law.polya_transform(w), expected, rtol=1e-13)
