"""Duals of stationary kernels: atoms at zero, sums of frequencies, densities by inversion."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import NoDensityError
from kernelspec.measures.spectral import Composed
from kernelspec.random.streams import Stream
from tests.measures.oracles import measure_of_text


def test_the_dual_of_an_exponential_over_a_polya_kernel_has_a_measure() -> None:
    facts = ks.analyze("dual(exp(c=1), polya(gamma(shape=2)))", dim=1)
    assert str(facts.spectral_measure).startswith("exp(-1)*DiracDelta(omega) + Sum(")
    assert (facts.masses.real_positive, facts.masses.total_variation) == (1, 1)
    with pytest.raises(NoDensityError, match="exactly zero"):
        _ = facts.spectral_density


def test_a_compound_poisson_law_of_cauchy_variables() -> None:
    measure = measure_of_text("dual(exp(c=1), laplace())", 1)
    assert isinstance(measure, Composed)
    assert measure.at_zero == pytest.approx(math.exp(-1), rel=1e-14)
    lags = np.array([[0.0], [0.3], [2.0]])
    np.testing.assert_allclose(measure.characteristic_function(lags), np.exp(np.exp(-lags[:, 0]) - 1), rtol=1e-14)
    drawn = measure.sample(Stream(1), 40_000)
    waves = np.cos(drawn @ lags.T)
    gap = waves.mean(axis=0) - np.exp(np.exp(-lags[:, 0]) - 1)
    assert (np.abs(gap[1:]) < 5 * waves.std(axis=0)[1:] / 200).all()  # 6e-7 a false alarm
    assert abs((drawn == 0).mean() - math.exp(-1)) < 5 * math.sqrt(0.25 / 40_000)


def test_without_a_constant_term_there_is_a_density() -> None:
    """The dual of x is k itself, and of (x² − 1)/√2 is k²."""
    for text, plain in (("dual(identity, gaussian())", "gaussian()"), ("dual(hermite(2), laplace())", "laplace(1/2)")):
        omega = np.array([[0.0], [1.3], [4.0]])
        facts = ks.analyze(text, dim=1)
        gap = facts.spectral_density_at(omega) - ks.analyze(plain, dim=1).spectral_density_at(omega)
        assert (np.abs(gap) <= facts.spectral_density_error_at(omega) + 1e-15).all()


def test_the_second_moment_is_that_of_the_mean_degree() -> None:
    facts = ks.analyze("dual(exp(c=2), gaussian(scale=3))", dim=2)
    assert float(facts.second_moment) == pytest.approx(2 * 2 / 9, rel=1e-12)  # E l = c
