"""Complex measures along one Gaussian direction."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.integrate import quad

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.kernels.leaves.gaussian_directions import CoshGaussian, GaussianDirection, ShiftGaussian, SinhGaussian
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream

CLASSES = [ShiftGaussian, SinhGaussian, CoshGaussian]


@pytest.mark.parametrize("cls", CLASSES)
def test_density_transforms_to_the_kernel(cls: type[GaussianDirection]) -> None:
    measure = measure_of(cls(scale=0.8, by=(0.7,), dim=1))

    def part(omega: float, lag: float) -> complex:
        return complex(measure.density(np.array([[omega]]))[0] * np.exp(1j * omega * lag))

    for lag in (0.0, 0.6, -1.4):
        real, imaginary = (
            quad(lambda w, f=f, t=lag: f(part(w, t)), -15, 15, epsabs=1e-12, limit=300)[0] for f in (np.real, np.imag)
        )
        assert real == pytest.approx(float(measure.characteristic_function(np.array([[lag]]))[0]), abs=1e-11)
        assert imaginary == pytest.approx(0, abs=1e-11)


@pytest.mark.parametrize("cls", CLASSES)
def test_conjugate_symmetry_and_expression(cls: type[GaussianDirection]) -> None:
    by = (sympy.Rational(1, 2), sympy.Rational(-1, 4))
    name = {ShiftGaussian: "shift", SinhGaussian: "sinh", CoshGaussian: "cosh"}[cls]
    facts = ks.analyze(f"{name}_gaussian(scale=1.25, by=[0.5, -0.25])", dim=2)
    omega = np.random.default_rng(0).standard_normal((4, 2))
    density = facts.spectral_density_at(omega)
    np.testing.assert_allclose(facts.spectral_density_at(-omega), density.conj(), rtol=1e-13)
    symbols = sympy.symbols("omega_1 omega_2", real=True)
    for point, value in zip(omega, density, strict=True):
        found = complex(facts.spectral_density.subs(dict(zip(symbols, point, strict=True))).evalf(20))
        assert found == pytest.approx(value, rel=1e-11)
    assert measure_of(cls(scale=sympy.Rational(5, 4), by=by, dim=2)).is_complex


@pytest.mark.parametrize("cls", CLASSES)
def test_second_moment_is_the_curvature(cls: type[GaussianDirection]) -> None:
    measure = measure_of(cls(scale=1.2, by=(0.7, -0.3), dim=2))
    matrix = np.array([[0.5, -1.0], [1.5, 0.25], [0.0, 2.0]])
    h = 1e-3
    for given, directions in ((None, np.eye(2)), (1.5, 1.5 * np.eye(2)), (matrix, matrix)):
        k0 = measure.characteristic_function(np.zeros((1, 2)))[0]
        ahead, behind = (measure.characteristic_function(s * h * directions) for s in (1, -1))
        curvature = -float(np.sum(ahead + behind - 2 * k0)) / h**2 / k0
        assert float(measure.second_moment(given)) == pytest.approx(curvature, rel=1e-4)


def test_no_sampler_of_its_own() -> None:
    with pytest.raises(PlanError, match="modulus is drawn"):
        measure_of(ShiftGaussian(scale=1.0, by=(1.0,), dim=1)).sample(Stream(0), 3)
