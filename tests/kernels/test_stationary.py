"""Tests of `kernels/stationary.py`."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.stationary import Coordinatewise, Radial
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean
from tests.kernels.cases import CATALOGUE_CASES

PRODUCTS = [(name, factory) for name, factory in CATALOGUE_CASES if isinstance(factory(1), Coordinatewise)]


@pytest.mark.parametrize(("name", "factory"), PRODUCTS)
def test_value_is_the_product_of_factors(name, factory):
    lags = np.random.default_rng(6).standard_normal((10, 4))
    kernel = factory(4)
    np.testing.assert_allclose(
        kernel.numbers(NumericPairs.of_vectors(lags)), kernel.factor(lags).prod(axis=1), rtol=1e-12, atol=1e-16
    )


@pytest.mark.parametrize(("name", "factory"), PRODUCTS)
def test_coordinates_are_drawn_independently(name, factory):
    """Signs of two columns agree half the time: five standard errors, seed 24."""
    drawn = factory(2).draw(Stream(24), 40_000)
    moved = drawn[(drawn != 0).all(axis=1)]
    agree = np.mean(np.sign(moved[:, 0]) == np.sign(moved[:, 1]))
    assert abs(agree - 0.5) < 5 * 0.5 / np.sqrt(len(moved))


RADIAL = [(name, factory) for name, factory in CATALOGUE_CASES if isinstance(factory(1), Radial)]


@pytest.mark.parametrize(("name", "factory"), RADIAL)
def test_profile_is_the_mean_of_gaussians(name, factory):
    """f(r) = E exp(−τr²/2): the same τ in every dimension. Seed 21, budget 1e-8."""
    kernel = factory(1)
    distances = np.array([0.0, 0.03, 0.4, 1.0, 2.5])
    variances = np.broadcast_to(kernel.draw_variance(Stream(21), 50_000), (50_000,))
    assert_mean(np.exp(-0.5 * np.outer(variances, distances**2)), kernel.profile(distances), budget=1e-8, what=name)


@pytest.mark.parametrize(("name", "factory"), RADIAL)
def test_is_invariant_under_rotations(name, factory):
    kernel = factory(3)
    rotation, _ = np.linalg.qr(np.random.default_rng(5).standard_normal((3, 3)))
    lags = np.random.default_rng(6).standard_normal((10, 3))
    turned, straight = NumericPairs.of_vectors(lags @ rotation), NumericPairs.of_vectors(lags)
    np.testing.assert_allclose(kernel.numbers(turned), kernel.numbers(straight), rtol=1e-12)
    np.testing.assert_allclose(kernel.density(turned), kernel.density(straight), rtol=1e-11)


@pytest.mark.parametrize(("name", "factory"), RADIAL)
def test_draws_are_finite_whatever_the_tail(name, factory):
    assert np.isfinite(factory(2).draw(Stream(22), 20_000)).all()


def test_very_heavy_tails_stay_finite():
    from kernelspec.kernels.leaves.radial import Matern, PoweredExponential

    for kernel in (Matern(nu=0.001, scale=1.0, dim=2), PoweredExponential(alpha=0.01, scale=1.0, dim=2)):
        drawn = kernel.draw(Stream(23), 20_000)
        assert np.isfinite(drawn).all()
        lags = np.array([[1e-9, 0], [0.1, 0.1], [3, -2]])
        exact = kernel.numbers(NumericPairs.of_vectors(lags))
        assert_mean(np.cos(drawn @ lags.T), exact, budget=1e-8)
