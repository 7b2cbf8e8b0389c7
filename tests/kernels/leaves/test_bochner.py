"""The kernel of a given spectral distribution."""

import math

import mpmath as mp
import numpy as np
import pytest
import sympy

from kernelspec.distributions.discrete import Discrete
from kernelspec.distributions.symmetric import Cauchy, Gaussian, Laplace, StudentT
from kernelspec.distributions.uniform import Uniform
from kernelspec.errors import DimensionError, NoDensityError, RangeError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaves.of_distributions import Bochner
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean
from tests.kernels.standard import at, density, euclidean, lags_on_and_off_the_axes, over_columns, standard_kernel_tests
from tests.laboratory import assert_characteristic_function


def student(dof, scale):
    nu = mp.mpf(dof) / 2

    def cf(t):
        x = mp.sqrt(2 * nu) * mp.mpf(scale) * abs(t)
        if x == 0 or x > 100_000:
            return mp.mpf(x == 0)
        return 2 ** (1 - nu) / mp.gamma(nu) * x**nu * mp.besselk(nu, x)

    return cf


ORACLES = {
    "bochner(gaussian)": over_columns(lambda t: mp.exp(-((mp.mpf(1.7) * t) ** 2) / 2)),
    "bochner(gaussian, isotropic)": euclidean(lambda r: mp.exp(-((mp.mpf(0.8) * r) ** 2) / 2)),
    "bochner(student_t(3))": over_columns(student(3, 1)),
    "bochner(student_t(3), isotropic)": euclidean(student(3, 1)),
    "bochner(student_t(4.6))": over_columns(student(4.6, 0.5)),
    "bochner(cauchy)": over_columns(lambda t: mp.exp(-mp.mpf(0.7) * abs(t))),
    "bochner(cauchy, isotropic)": euclidean(lambda r: mp.exp(-mp.mpf(0.7) * r)),
    "bochner(laplace)": over_columns(lambda t: 1 / (1 + (mp.mpf(1.4) * t) ** 2)),
    "bochner(laplace, isotropic)": euclidean(lambda r: 1 / (1 + (mp.mpf(1.4) * r) ** 2)),
    "bochner(uniform)": over_columns(lambda t: mp.sinc(2 * t)),
}

test_standard = standard_kernel_tests(ORACLES)

BAND = Uniform(low=-2.0, high=2.0)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_isotropic_uniform_is_the_sinc_of_the_distance(dim):
    """Seed 13, budget 1e-8."""
    kernel = Bochner(distribution=BAND, isotropic=True, dim=dim)
    lags = lags_on_and_off_the_axes(dim, [0.07, 0.4, 1, 2.3])
    exact = np.sinc(2 * np.linalg.norm(lags, axis=1) / np.pi)
    np.testing.assert_allclose(at(kernel, lags), exact, rtol=1e-12)
    drawn = kernel.draw(Stream(13), 100_000)
    assert_characteristic_function(drawn, lags, exact, budget=1e-8)
    assert np.array_equal(drawn[:10], kernel.draw(Stream(13), 10))
    assert_mean(np.square(drawn), np.full(dim, 4 / 3), budget=1e-8)
    if dim == 3:
        np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), 2, rtol=1e-13)


def test_isotropic_uniform_ends_at_three_columns():
    with pytest.raises(DimensionError, match=r"on 4 columns .* sphere"):
        Bochner(distribution=BAND, isotropic=True, dim=4)
    d = sympy.Symbol("d", integer=True, positive=True)
    verdict = Bochner(distribution=BAND, isotropic=True, dim=d).verdict()
    assert verdict.positive_definite == "unknown"
    assert "d ≤ 3" in verdict.reasons[0]


def test_isotropic_uniform_densities():
    plane = Bochner(distribution=BAND, isotropic=True, dim=2)
    # its marginal is uniform: integrate over the second coordinate at ω₁ = 0.6, with ω₂ = √(4 − 0.36)·sin θ
    theta = (np.arange(2000) + 0.5) * np.pi / 2000 - np.pi / 2
    end = np.sqrt(4 - 0.36)
    points = np.stack([np.full(2000, 0.6), end * np.sin(theta)], axis=1)
    assert np.mean(density(plane, points) * end * np.cos(theta)) * np.pi == pytest.approx(0.25, rel=1e-10)
    assert density(plane, np.array([[2.0, 1.0]]))[0] == 0
    line = Bochner(distribution=BAND, isotropic=True, dim=1)
    assert density(line, np.array([[0.3]]))[0] == 0.25
    sphere = Bochner(distribution=BAND, isotropic=True, dim=3)
    with pytest.raises(NoDensityError, match="sphere of radius 2"):
        sphere.density(NumericPairs.of_vectors(np.zeros((1, 3))))
    with pytest.raises(NoDensityError, match="sphere of radius 2"):
        measure_of(sphere).density(np.zeros((1, 3)))
    assert sphere.density_expression(SymbolicPairs.frequency(3)).has(sympy.DiracDelta)


def test_asymmetric_laws_are_refused():
    with pytest.raises(RangeError, match=r"symmetric about zero.*complex"):
        Bochner(distribution=Uniform(low=-1.0, high=2.0), dim=1)
    with pytest.raises(RangeError, match=r"with a density, not discrete\(\): .* cosine\(by=v\)"):
        Bochner(distribution=Discrete(values=(-3, -1, 1, 3), weights=(2, 1, 1, 2)), dim=1)
    b = sympy.Symbol("b", positive=True)
    assert Bochner(distribution=Uniform(low=-b, high=b), dim=2).second_moment() == 2 * b**2 / 3
    with pytest.raises(RangeError):
        Bochner(distribution=Uniform(low=-b, high=2 * b), dim=2)


def test_isotropic_and_independent_differ_off_the_axes():
    """A Student law drawn column by column is not the multivariate one: the laboratory sees it."""
    isotropic = Bochner(distribution=StudentT(dof=1.0), isotropic=True, dim=3)
    independent = Bochner(distribution=StudentT(dof=1.0), dim=3)
    lags = np.array([[1.0, 1.0, 1.0]])
    drawn = independent.draw(Stream(14), 100_000)
    assert_characteristic_function(drawn, lags, at(independent, lags))
    with pytest.raises(AssertionError, match="z = "):
        assert_characteristic_function(drawn, lags, at(isotropic, lags))


@pytest.mark.parametrize(
    ("law", "value"),
    [
        (Gaussian(scale=2.0), 12.0),
        (StudentT(dof=2.0), math.inf),
        (StudentT(dof=4.0), 6.0),
        (Cauchy(), math.inf),
        (Laplace(scale=2.0), 24.0),
        (BAND, 4.0),
    ],
)
def test_second_moment_in_three_columns(law, value):
    assert Bochner(distribution=law, dim=3).second_moment() == pytest.approx(value)
