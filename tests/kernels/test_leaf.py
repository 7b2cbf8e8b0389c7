"""Tests of `kernels/leaf.py`."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
import sympy

from kernelspec.catalogue import KERNELS
from kernelspec.errors import UnknownNameError
from kernelspec.expressions.arguments import signature
from kernelspec.kernels.leaf import Leaf, load_kernel
from kernelspec.kernels.leaves.coordinatewise import Laplace, Sinc
from kernelspec.kernels.leaves.discrete import Periodic
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.radial import Matern
from kernelspec.measures.measure import Spectral, measure_of
from tests.kernels.cases import CATALOGUE_CASES

SIGNATURES = {
    "gaussian": "gaussian(scale=1)",
    "laplace": "laplace(scale=1)",
    "exponential": "exponential(scale=1)",
    "matern": "matern(nu, scale=1)",
    "cauchy": "cauchy(scale=1)",
    "rational_quadratic": "rational_quadratic(alpha, scale=1)",
    "powered_exponential": "powered_exponential(alpha, scale=1)",
    "triangle": "triangle(width=1)",
    "sinc": "sinc(bandwidth=1)",
    "cosine": "cosine(by)",
    "periodic": "periodic(period, scale=1)",
    "bochner": "bochner(distribution, isotropic=false)",
    "match": "match()",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_entry(name):
    cls = load_kernel(name)
    assert issubclass(cls, Leaf)
    assert cls.name == name
    assert signature(name, cls) == SIGNATURES[name]
    for text in (cls.formula, cls.frequencies, cls.reference, cls.__doc__):
        assert text
    assert list(KERNELS) == sorted(KERNELS)


@pytest.mark.parametrize("name", [name for name in SIGNATURES if name != "match"])
def test_every_stationary_entry_has_cases(name):
    assert any(case.startswith(name) for case, _ in CATALOGUE_CASES)


def test_unknown_name():
    with pytest.raises(UnknownNameError, match="unknown kernel 'gausian': use one of"):
        load_kernel("gausian")


@pytest.mark.slow
def test_the_catalogue_itself_imports_no_kernel_and_no_heavy_package():
    code = (
        "import sys, kernelspec.kernels.leaf, kernelspec.distributions.distribution\n"
        "before = set(sys.modules)\n"
        "assert not {'sympy', 'scipy', 'kernelspec.kernels.leaves.radial'} & before, before\n"
        "from kernelspec.kernels.leaf import KERNELS, load_kernel\n"
        "from kernelspec.distributions.distribution import DISTRIBUTIONS, load_distribution\n"
        "[load_kernel(name) for name in KERNELS], [load_distribution(name) for name in DISTRIBUTIONS]\n"
        "assert not {'sympy', 'scipy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_written_as_in_the_language():
    assert str(Matern(nu=1.5, scale=2.0, dim=3)) == "matern(nu=1.5, scale=2)"
    assert str(Gaussian(scale=sympy.Symbol("s"), dim=3)) == "gaussian(scale=s)"


def test_second_moment_of_a_linear_image():
    kernel = Sinc(bandwidth=3.0, dim=2)
    assert kernel.second_moment() == pytest.approx(6)
    assert kernel.second_moment(2) == pytest.approx(24)
    assert kernel.second_moment(np.array([1, 3])) == pytest.approx(30)
    assert kernel.second_moment(np.array([[1, 1], [0, 2], [0, 0]])) == pytest.approx(18)


def test_zero_times_infinity_is_zero():
    assert Laplace(scale=1.0, dim=2).second_moment(np.zeros((2, 2))) == 0
    assert Laplace(scale=1.0, dim=2).second_moment() == math.inf
    s, d = sympy.Symbol("s", positive=True), sympy.Symbol("d", positive=True, integer=True)
    assert Laplace(scale=s, dim=d).second_moment() == sympy.oo
    assert Laplace(scale=s, dim=d).second_moment(0) == 0


def test_only_discrete_measures_lack_a_density():
    assert "atoms" in Periodic(period=1.0, scale=1.0, dim=1).without_density()
    assert Gaussian(scale=1.0, dim=1).without_density() is None


@pytest.mark.parametrize(("name", "factory"), CATALOGUE_CASES)
def test_measure_states_what_the_kernel_states(name, factory):
    kernel = factory(2)
    measure = measure_of(kernel)
    assert measure == Spectral(kernel)
    assert measure.dim == 2
    assert measure.characteristic_function(np.zeros((1, 2)))[0] == 1
    assert (measure.atoms() is None) == (not kernel.is_discrete)
    assert (measure.without_density() is None) == (not kernel.is_discrete)


@pytest.mark.parametrize(("name", "factory"), CATALOGUE_CASES)
def test_equal_and_hashable_by_value(name, factory):
    assert factory(2) == factory(2)
    assert factory(2) != factory(3)
    assert len({factory(2), factory(2)}) == 1


@pytest.mark.parametrize(("name", "factory"), CATALOGUE_CASES)
def test_gram_matrices_have_no_negative_eigenvalue(name, factory):
    rng = np.random.default_rng(2)
    points = rng.standard_normal((40, 3)) * rng.choice([0.1, 1, 5], (40, 1))
    lags = (points[:, None] - points[None]).reshape(-1, 3)
    gram = measure_of(factory(3)).characteristic_function(lags).reshape(40, 40)
    assert np.linalg.eigvalsh(gram)[0] > -1e-12
