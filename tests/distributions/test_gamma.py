"""The gamma law."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
import sympy

from kernelspec.distributions.gamma_family import Gamma
from kernelspec.random.streams import Stream
from tests.distributions.comparisons import FREQUENCIES, LAGS
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (Gamma(shape=2.0), scipy.stats.gamma(2)),
        (Gamma(shape=0.6, scale=1.7), scipy.stats.gamma(0.6, scale=1.7)),
        (Gamma(shape=1.0), scipy.stats.gamma(1)),
        (Gamma(shape=5.3, scale=0.2), scipy.stats.gamma(5.3, scale=0.2)),
    ]
)


@pytest.mark.parametrize("scale", [1.0, 0.3, 20.0])
def test_shape_two_is_the_laplace_kernel(scale: float) -> None:
    law = Gamma(shape=2.0, scale=scale)
    np.testing.assert_allclose(law.polya_kernel(LAGS), np.exp(-LAGS / scale), rtol=3e-13)
    expected = 2 * scale / (1 + np.square(scale * FREQUENCIES))
    np.testing.assert_allclose(law.polya_transform(FREQUENCIES), expected, rtol=1e-14)


def test_shape_two_is_the_laplace_kernel_in_sympy() -> None:
    t, theta = sympy.Symbol("t", nonnegative=True), sympy.Symbol("theta", positive=True)
    assert Gamma(shape=sympy.Integer(2), scale=theta).polya_kernel_expression(t) == sympy.exp(-t / theta)
    assert Gamma(shape=2.0, scale=1.0).polya_kernel_expression(t) == sympy.exp(-t)


def test_at_zero_the_kernel_is_one_in_sympy() -> None:
    assert Gamma(shape=0.3).polya_kernel_expression(sympy.Integer(0)) == 1


@pytest.mark.parametrize("shape", [1.0, 2.0])
@pytest.mark.parametrize("step", [1e-9, -1e-9])
def test_nothing_happens_at_whole_shapes(shape: float, step: float) -> None:
    lags = np.geomspace(1e-300, 30, 200)
    there, beside = Gamma(shape=shape).polya_kernel(lags), Gamma(shape=shape + step).polya_kernel(lags)
    np.testing.assert_allclose(beside, there, rtol=1e-7)
    middle = (Gamma(shape=shape + step).polya_kernel(lags) + Gamma(shape=shape - step).polya_kernel(lags)) / 2
    np.testing.assert_allclose(middle, there, rtol=1e-12)


def test_pitches_are_never_zero() -> None:
    drawn = Gamma(shape=0.005).draw(Stream(7), (1000,))
    assert drawn.min() == 1e-280
    assert np.isfinite(drawn).all()


def test_the_density_at_zero() -> None:
    zero = np.zeros(1)
    assert Gamma(shape=0.9).density(zero) == np.inf
    assert Gamma(shape=1.0, scale=4.0).density(zero) == pytest.approx(0.25)
    assert Gamma(shape=1.1).density(zero) == 0
