"""The Rayleigh law."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from kernelspec.distributions.nakagami import Nakagami
from kernelspec.distributions.positive import Positive
from kernelspec.distributions.rayleigh import Rayleigh
from kernelspec.distributions.weibull import Weibull

from .standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (Rayleigh(), scipy.stats.rayleigh()),
        (Rayleigh(scale=2.5), scipy.stats.rayleigh(scale=2.5)),
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


@pytest.mark.parametrize("scale", [1.0, 0.3, 7.0])
def test_a_nakagami_and_a_weibull_law(scale: float) -> None:
    assert_the_same(Rayleigh(scale=scale), Nakagami(shape=1.0, spread=2 * scale**2))
    assert_the_same(Rayleigh(scale=scale), Weibull(shape=2.0, scale=scale * np.sqrt(2.0)))


def test_the_closed_forms() -> None:
    law = Rayleigh(scale=1.5)
    w = FREQUENCIES[1:]
    expected = 2 * law.inverse_mean() / w**2 * -np.expm1(-np.square(1.5 * w) / 2)
    np.testing.assert_allclose(law.polya_transform(w), expected, rtol=1e-13)
