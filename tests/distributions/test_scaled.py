"""A law times a number: the same as the law with its scale changed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
import sympy

from kernelspec.distributions.discrete import Discrete, ShiftedPoisson
from kernelspec.distributions.distribution import Scaled
from kernelspec.distributions.inverse_gamma import InverseGamma
from kernelspec.distributions.pareto import Pareto
from kernelspec.kernels.leaves.polya import Polya
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean

PAIRS = [
    (Scaled(base=Pareto(shape=2.5, scale=0.7), factor=3.0), Pareto(shape=2.5, scale=2.1)),
    (Scaled(base=InverseGamma(shape=3.0, scale=2.0), factor=0.25), InverseGamma(shape=3.0, scale=0.5)),
    (
        Scaled(base=Discrete(values=(0.5, 2.0), weights=(1.0, 3.0)), factor=4.0),
        Discrete(values=(2.0, 8.0), weights=(1.0, 3.0)),
    ),
]


@pytest.mark.parametrize(("scaled", "same"), PAIRS, ids=lambda law: law.name)
def test_everything_is_that_of_the_law_with_another_scale(scaled, same):
    lags, frequencies = np.linspace(0, 9, 50), np.linspace(-30, 30, 61)
    np.testing.assert_allclose(scaled.polya_kernel(lags), same.polya_kernel(lags), rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(
        scaled.polya_transform(frequencies), same.polya_transform(frequencies), rtol=1e-10, atol=1e-30
    )
    np.testing.assert_allclose(scaled.draw(Stream(3), (40, 2)), same.draw(Stream(3), (40, 2)), rtol=1e-14)
    assert scaled.support() == pytest.approx(same.support(), rel=1e-14)
    assert scaled.mean() == pytest.approx(same.mean(), rel=1e-14)
    assert scaled.inverse_mean() == pytest.approx(same.inverse_mean(), rel=1e-14)
    assert scaled.mass_at_zero() == 0
    if scaled.name != "discrete" and not isinstance(same, Discrete):
        np.testing.assert_allclose(scaled.density(lags), same.density(lags), rtol=1e-13)
    t, w = sympy.Symbol("t", positive=True), sympy.Symbol("w", positive=True)
    for found, expected, variable in (
        (scaled.polya_kernel_expression(t), same.polya_kernel_expression(t), t),
        (scaled.polya_transform_expression(w), same.polya_transform_expression(w), w),
    ):
        at = {variable: sympy.Float("1.37", 30)}
        assert float(found.subs(at).evalf(20)) == pytest.approx(float(expected.subs(at).evalf(20)), rel=1e-13)


def test_the_density_in_sympy_integrates_to_one():
    x = sympy.Symbol("x", positive=True)
    written = Scaled(base=Pareto(shape=sympy.S(3), scale=sympy.S(2)), factor=sympy.S(5)).density_expression(x)
    assert sympy.integrate(written, (x, 0, sympy.oo)) == 1


def test_mass_at_zero_stays_there():
    assert Scaled(base=Discrete(values=(0.0, 1.0), weights=(1.0, 3.0)), factor=7.0).mass_at_zero() == 0.25


def test_the_area_of_a_polya_kernel_is_the_one_asked_for():
    """2 ∫ φ(t) dt over t > 0 by the trapezoidal rule between the kinks, and the mean of the pitches."""
    kernel = Polya(distribution=ShiftedPoisson(rate=1.5), area=4.0, dim=1)
    pitch = kernel.pitch_law()
    assert isinstance(pitch, Scaled)
    assert pitch.factor == 4.0 / 2.5
    edges = 1.6 * np.arange(60)
    assert 2 * np.trapezoid(kernel.factor(edges), edges) == pytest.approx(4.0, rel=1e-12)
    assert_mean(pitch.draw(Stream(11), (50_000,)), 4.0, budget=1e-8)
    assert float(kernel.factor_density(np.zeros(1))[0]) == pytest.approx(4.0 / (2 * np.pi), rel=1e-14)
    chances = scipy.stats.poisson(1.5, loc=1).pmf(np.arange(1, 40))
    expected = float(chances @ np.maximum(0, 1 - 2.9 / (1.6 * np.arange(1, 40))))
    assert float(kernel.factor(np.array([2.9]))[0]) == pytest.approx(expected, rel=1e-12)
