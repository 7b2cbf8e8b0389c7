"""Tests of `distributions/distribution.py`."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
import sympy
from scipy.integrate import quad

from kernelspec.distributions.discrete import Discrete, ShiftedPoisson
from kernelspec.distributions.distribution import Isotropic, Scaled, load_distribution
from kernelspec.distributions.power_tails import InverseGamma, Pareto
from kernelspec.distributions.symmetric import Cauchy, Gaussian, Laplace, StudentT
from kernelspec.distributions.uniform import Uniform
from kernelspec.errors import DimensionError, NoDensityError, UnknownNameError
from kernelspec.kernels.leaves.of_distributions import Polya
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean


def test_unknown_name():
    with pytest.raises(UnknownNameError, match="unknown distribution 'normal': use one of"):
        load_distribution("normal")


SEED = 20_251_209
BUDGET = 1e-8
LAWS_OF_ISOTROPIC = [Gaussian(scale=0.7), Cauchy(scale=1.3), Laplace(scale=0.6), StudentT(dof=3.5, scale=1.2)]
BALL = Uniform(low=-2.0, high=2.0)


def at(law: Isotropic, radius: float, dim: int) -> float:
    return float(law.isotropic_density(np.array([radius]), dim)[0])


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS_OF_ISOTROPIC, ids=str)
@pytest.mark.parametrize("dim", [1, 2, 3, 6])
def test_leaving_out_a_coordinate_integrates_over_it(law: Isotropic, dim: int) -> None:
    """p_d(x) = 2 ∫₀^∞ p_{d+1}(√(x² + y²)) dy, with y = x sinh s."""
    for x in (0.3, 1.1, 4.0):
        total, _ = quad(
            lambda s, x=x: 2 * at(law, x * np.cosh(s), dim + 1) * x * np.cosh(s), 0, 40, epsabs=0, limit=200
        )
        assert total == pytest.approx(at(law, x, dim), rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "dim"), [*((law, dim) for law in LAWS_OF_ISOTROPIC for dim in (1, 2, 3, 5)), (BALL, 1), (BALL, 2)]
)
def test_written_in_sympy(law: Isotropic, dim: int) -> None:
    radius = sympy.Symbol("r", positive=True)
    written = law.isotropic_density_expression(radius, dim)
    for point in (0.01, 0.4, 1.5, 9.0):
        value = float(written.subs(radius, sympy.Float(point, 40)).evalf(25))
        assert at(law, point, dim) == pytest.approx(value, rel=1e-12)
    assert law.without_isotropic_density(dim) is None


@pytest.mark.parametrize("dim", [4, 7])
def test_where_there_is_no_law_nothing_is_drawn_or_evaluated(dim: int) -> None:
    assert BALL.largest_dim == 3
    with pytest.raises(NoDensityError, match=f"R\\^{dim}"):
        BALL.isotropic_density(np.ones(1), dim)
    with pytest.raises(NoDensityError):
        BALL.isotropic_density_expression(sympy.Symbol("r"), dim)
    with pytest.raises(DimensionError, match="Schoenberg 1938"):
        BALL.draw_isotropic(Stream(SEED), 5, dim)


PAIRS = [
    (Scaled(base=Pareto(shape=2.5, scale=0.7), factor=3.0), Pareto(shape=2.5, scale=2.1)),
    (Scaled(base=InverseGamma(shape=3.0, scale=2.0), factor=0.25), InverseGamma(shape=3.0, scale=0.5)),
    (
        Scaled(base=Discrete(values=(0.5, 2.0), weights=(1.0, 3.0)), factor=4.0),
        Discrete(values=(2.0, 8.0), weights=(1.0, 3.0)),
    ),
]


@pytest.mark.slow
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
