"""Poisson probabilities far out and near the mode, against mpmath."""

import mpmath
import numpy as np
import pytest

from kernelspec.activations.analytic import Cos, Exp, Sin
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_proportions


@pytest.mark.parametrize("c", [1e-12, 0.3, 5.0, 1e3, 1e8])
def test_probabilities(c: float) -> None:
    degrees = np.unique(np.abs(np.round([0, 1, 2, 15, 16, 40, c, c + np.sqrt(c), c - 5 * np.sqrt(c), 2 * c + 9])))
    found = Exp(c=c).coefficient(degrees)
    with mpmath.workdps(50):
        for degree, value in zip(degrees, found, strict=True):
            n = mpmath.mpf(float(degree))
            exact = mpmath.exp(-mpmath.mpf(c) + n * mpmath.log(c) - mpmath.loggamma(n + 1))
            assert float(value) == pytest.approx(float(exact), rel=1e-11, abs=1e-290)


def test_degrees_of_a_fast_cosine_and_sine_are_even_and_odd_poisson_numbers() -> None:
    for law, parity in ((Cos(a=7.0), 0), (Sin(a=7.0), 1)):
        drawn = law.draw_degrees(Stream(6), 100_000, weight=2.0)
        assert (drawn % 2 == parity).all()
        degrees = np.arange(250)
        chances = Exp(c=98.0).coefficient(degrees) * (degrees % 2 == parity)
        assert_proportions(np.bincount(drawn, minlength=250), chances / chances.sum(), budget=1e-8)
