"""The laws of kernels: their densities are those of the spectral measure."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.verdicts.laws import DIGITS, RadialLaw, law_of_kernel, number

TEXTS = [
    "gaussian(scale=1.3)", "laplace(scale=2)", "cauchy(scale=0.7)", "triangle(width=1.5)", "sinc(bandwidth=2)",
    "exponential(scale=3)", "matern(nu=2/3, scale=0.4)", "rational_quadratic(alpha=7/4, scale=2)",
    "powered_exponential(alpha=1, scale=2)", "polya(gamma(shape=2, scale=3))", "bochner(gaussian(scale=2))",
    "bochner(cauchy(scale=2))", "bochner(cauchy(scale=2), isotropic=true)", "bochner(laplace(scale=3))",
    "bochner(student_t(dof=3, scale=2))", "bochner(student_t(dof=3, scale=2), isotropic=true)",
    "stretch(laplace(), [2, 5])", "stretch(exponential(), 3)", "gaussian()[1]*laplace(scale=2)[0]",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_densities_are_those_of_the_measure(text: str) -> None:
    spec = ks.parse(text)
    omega = np.random.default_rng(0).uniform(-2, 2, (4, 2))
    expected = ks.analyze(spec, dim=2).spectral_density_at(omega)
    with mp.workdps(DIGITS):
        law = law_of_kernel(spec.symbolic_kernel(Columns(2)), (0, 1))
        assert law is not None
        assert law.columns == (0, 1)
        found = [float(mp.exp(law.log([mp.mpf(w) for w in row]))) for row in omega]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_on_one_column_a_radial_law_is_a_product() -> None:
    with mp.workdps(DIGITS):
        kernel = ks.parse("matern(nu=2)").symbolic_kernel(Columns(1))
        assert not isinstance(law_of_kernel(kernel, (0,)), RadialLaw)


@pytest.mark.parametrize(
    "text", ["periodic(1)", "gaussian()*laplace()", "stretch(exponential(), [1, 2])", "shift(gaussian(), by=1)"]
)
def test_other_kernels_have_none(text: str) -> None:
    with mp.workdps(DIGITS):
        assert law_of_kernel(ks.parse(text).symbolic_kernel(Columns(2)), (0, 1)) is None


def test_symbols_are_no_numbers() -> None:
    kernel = ks.parse("param s > 0\ngaussian(scale=s)").symbolic_kernel(Columns(1))
    with pytest.raises(TypeError, match="no number"):
        law_of_kernel(kernel, (0,))
    assert number(0.5) == 0.5
