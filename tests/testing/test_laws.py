"""Assertions about draws: right laws pass, with tails of any weight, and wrong ones are found."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from kernelspec.errors import PlanError, SpecError
from kernelspec.testing import assert_measure, assert_sampler


@pytest.mark.slow
@pytest.mark.parametrize("text", ["gaussian(scale=2)", "matern(nu=0.6)", "exponential()", "powered_exponential(0.3)"])
def test_measures_of_specs(text: str) -> None:
    assert_measure(text, dim=3)


@pytest.mark.slow
def test_measures_of_any_origin() -> None:
    from sklearn.kernel_approximation import RBFSampler

    assert_measure(RBFSampler(gamma=0.5, n_components=20_000), "gaussian()", dim=3)
    assert_measure(lambda n, generator: generator.standard_cauchy((n, 2)), "laplace()", dim=2)
    assert_measure(
        lambda n, generator: generator.standard_normal((n, 2)),
        lambda lags: 3 * np.exp(-np.square(lags).sum(axis=1) / 2),
        dim=2,
    )


def test_wrong_measures_are_found() -> None:
    with pytest.raises(AssertionError, match="real part"):  # a Matérn by coordinates
        assert_measure(lambda n, generator: generator.standard_cauchy((n, 2)), "exponential()", dim=2)
    with pytest.raises(AssertionError, match="imaginary part"):
        assert_measure(lambda n, generator: np.abs(generator.standard_normal((n, 1))), "gaussian()", dim=1)
    with pytest.raises(PlanError, match="shape"):
        assert_measure(lambda n, generator: generator.standard_normal(n), "gaussian()", dim=1)


@pytest.mark.parametrize(
    "law",
    [
        "gamma(shape=0.5)",
        "pareto(shape=0.7)",
        "inverse_gamma(shape=0.5)",
        "lognormal(sigma=2)",
        "shifted_poisson(rate=2)",
        "uniform(1, 2)",
        "uniform(-2, 2)",
        "student_t(dof=1.5)",
        "cauchy(scale=2)",
    ],
)
def test_laws_of_the_catalogue(law: str) -> None:
    assert_sampler(law, law)


def test_laws_of_any_origin() -> None:
    assert_sampler(stats.cauchy(), stats.cauchy())
    assert_sampler(stats.poisson(3), stats.poisson(3))
    assert_sampler(lambda n, generator: generator.standard_cauchy(n), "cauchy()")
    assert_sampler(lambda n, generator: generator.exponential(1, n), lambda x: 1 - np.exp(-x))
    assert_sampler("rayleigh(scale=2)", stats.rayleigh(scale=2))


def test_wrong_laws_are_found() -> None:
    with pytest.raises(AssertionError, match="law of"):
        assert_sampler(lambda n, generator: 1.2 * generator.standard_cauchy(n), "cauchy()")
    with pytest.raises(AssertionError, match="distribution function is off"):
        assert_sampler(stats.poisson(3.2), stats.poisson(3))
    with pytest.raises(AssertionError, match="law of"):
        assert_sampler("gamma(shape=2)", "gamma(shape=2, scale=1.1)")
    with pytest.raises(SpecError):
        assert_sampler("gamma(shape=2)", "gama(shape=2)")
