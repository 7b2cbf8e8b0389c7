"""Tests of `distributions/gamma_family.py`."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.stats
import sympy

from kernelspec.distributions.gamma_family import (
    Chi,
    ChiSquare,
    Erlang,
    Exponential,
    Gamma,
    HalfNormal,
    Nakagami,
    Rayleigh,
    Weibull,
)
from kernelspec.random.streams import Stream
from tests.distributions.comparisons import FREQUENCIES, LAGS, assert_same_law, assert_values
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (Chi(dof=1.0), scipy.stats.chi(1)),
        (Chi(dof=2.0), scipy.stats.chi(2)),
        (Chi(dof=5.7), scipy.stats.chi(5.7)),
    ]
)


@pytest.mark.parametrize("dof", [0.2, 1.0, 2.0, 4.0, 33.3])
def test_a_nakagami_law(dof: float) -> None:
    assert_same_law(Chi(dof=dof), Nakagami(shape=dof / 2, spread=dof))


test_standard_chi_square = standard_positive_tests(
    [
        (ChiSquare(dof=1.0), scipy.stats.chi2(1)),
        (ChiSquare(dof=2.0), scipy.stats.chi2(2)),
        (ChiSquare(dof=7.4), scipy.stats.chi2(7.4)),
    ]
)


@pytest.mark.parametrize("dof", [0.2, 1.0, 2.0, 4.0, 33.3])
def test_a_gamma_law(dof: float) -> None:
    assert_same_law(ChiSquare(dof=dof), Gamma(shape=dof / 2, scale=2.0))


test_standard_erlang = standard_positive_tests(
    [
        (Erlang(shape=1), scipy.stats.erlang(1)),
        (Erlang(shape=3, scale=0.4), scipy.stats.erlang(3, scale=0.4)),
        (Erlang(shape=12), scipy.stats.erlang(12)),
    ]
)


@pytest.mark.parametrize("shape", [1, 2, 7, 1000])
def test_a_gamma_law_erlang(shape: int) -> None:
    assert_same_law(Erlang(shape=shape, scale=0.3), Gamma(shape=float(shape), scale=0.3))


@pytest.mark.parametrize("shape", [3, 8, 20])
def test_an_exponential_times_a_polynomial(shape: int) -> None:
    """E(1 − t/R)₊ = Σ_{j≤n−2} (1 − j/(n−1)) e^{−t} t^j/j!, from sums of Poisson chances."""
    j = np.arange(shape - 1)
    lags = np.linspace(0, 60, 50)
    chances = scipy.stats.poisson(lags[:, None]).pmf(j)
    np.testing.assert_allclose(Erlang(shape=shape).polya_kernel(lags), chances @ (1 - j / (shape - 1)), rtol=1e-12)


test_standard_exponential = standard_positive_tests(
    [
        (Exponential(), scipy.stats.expon()),
        (Exponential(scale=2.5), scipy.stats.expon(scale=2.5)),
    ]
)


@pytest.mark.parametrize("scale", [1.0, 0.3, 7.0])
def test_a_gamma_and_a_weibull_law(scale: float) -> None:
    assert_same_law(Exponential(scale=scale), Gamma(shape=1.0, scale=scale))
    assert_same_law(Exponential(scale=scale), Weibull(shape=1.0, scale=scale))


test_standard_gamma = standard_positive_tests(
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


test_standard_half_normal = standard_positive_tests(
    [
        (HalfNormal(), scipy.stats.halfnorm()),
        (HalfNormal(scale=2.5), scipy.stats.halfnorm(scale=2.5)),
    ]
)


@pytest.mark.parametrize("scale", [1.0, 0.3, 7.0])
def test_a_nakagami_law_half_normal(scale: float) -> None:
    assert_same_law(HalfNormal(scale=scale), Nakagami(shape=0.5, spread=scale**2))


test_standard_nakagami = standard_positive_tests(
    [
        (Nakagami(shape=0.5), scipy.stats.nakagami(0.5)),
        (Nakagami(shape=0.3, spread=4.0), scipy.stats.nakagami(0.3, scale=2.0)),
        (Nakagami(shape=2.2, spread=0.25), scipy.stats.nakagami(2.2, scale=0.5)),
    ]
)


@pytest.mark.parametrize("step", [1e-9, -1e-9])
def test_nothing_happens_at_one_half(step: float) -> None:
    lags = np.geomspace(1e-300, 8, 200)
    laws = [Nakagami(shape=0.5 + shift) for shift in (0.0, step, -step)]
    there, beside, other = (law.polya_kernel(lags) for law in laws)
    np.testing.assert_allclose(beside, there, rtol=1e-6)
    np.testing.assert_allclose((beside + other) / 2, there, rtol=1e-12)
    there, beside, other = (law.polya_transform(FREQUENCIES) for law in laws)
    np.testing.assert_allclose((beside + other) / 2, there, rtol=1e-12)


test_standard_rayleigh = standard_positive_tests(
    [
        (Rayleigh(), scipy.stats.rayleigh()),
        (Rayleigh(scale=2.5), scipy.stats.rayleigh(scale=2.5)),
    ]
)


@pytest.mark.parametrize("scale", [1.0, 0.3, 7.0])
def test_a_nakagami_and_a_weibull_law(scale: float) -> None:
    assert_same_law(Rayleigh(scale=scale), Nakagami(shape=1.0, spread=2 * scale**2))
    assert_same_law(Rayleigh(scale=scale), Weibull(shape=2.0, scale=scale * np.sqrt(2.0)))


def test_the_closed_forms() -> None:
    law = Rayleigh(scale=1.5)
    w = FREQUENCIES[1:]
    expected = 2 * law.inverse_mean() / w**2 * -np.expm1(-np.square(1.5 * w) / 2)
    np.testing.assert_allclose(law.polya_transform(w), expected, rtol=1e-13)


test_standard_weibull = standard_positive_tests(
    [
        (Weibull(shape=1.0), scipy.stats.weibull_min(1)),
        (Weibull(shape=1.6, scale=0.4), scipy.stats.weibull_min(1.6, scale=0.4)),
        (Weibull(shape=6.0, scale=3.0), scipy.stats.weibull_min(6, scale=3)),
    ]
)


@pytest.mark.long
@pytest.mark.parametrize("shape", [1.3, 2.5, 7.0, 60.0, 200.0])
def test_the_series_of_the_transform(shape: float) -> None:
    """2 Σ (−1)^{n+1} ω^{2n−2} Γ(1 + (2n−1)/k) / (2n)! for k > 1, in many digits."""

    def exact(w: Any) -> Any:
        k = mpmath.mpf(shape)
        return 2 * sum(
            (-1) ** (n + 1) * w ** (2 * n - 2) * mpmath.gamma(1 + (2 * n - 1) / k) / mpmath.factorial(2 * n)
            for n in range(1, 800)
        )

    frequencies = [1e-8, 1e-3, 0.5, 2.0] if shape < 2 else [1e-8, 1e-3, 0.5, 2.0, 6.0]
    assert_values(Weibull(shape=shape).polya_transform, exact, frequencies, digits=120)


@pytest.mark.long
@pytest.mark.parametrize("shape", [0.3, 0.7])
def test_heavy_tails_in_sympy(shape: float) -> None:
    """The integrand on the ray, which SymPy evaluates slowly, by mpmath; and the kernel."""
    law, x = Weibull(shape=shape), sympy.Symbol("x", positive=True)
    pieces = [0, 1e-6, 1e-3, 0.1, 1, 5, 20, 90]
    frequency = 0.5
    written = law.polya_transform_expression(sympy.Float(frequency, 30))
    (part,) = written.atoms(sympy.Integral)
    integrand = sympy.lambdify(x, part.function.subs(part.variables[0], x), "mpmath")
    with mpmath.workdps(60):
        value = float(written.subs(part, sympy.Float(mpmath.quad(integrand, pieces), 30)))
    assert float(law.polya_transform(np.array([frequency]))[0]) == pytest.approx(value, rel=1e-11)
    for lag in (0.01, 1.0, 50.0):
        value = float(law.polya_kernel_expression(sympy.Float(lag, 30)).evalf(20))
        assert float(law.polya_kernel(np.array([lag]))[0]) == pytest.approx(value, rel=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [1.0, 0.5, 1 / 3])
def test_nothing_happens_where_gamma_has_poles(shape: float) -> None:
    lags = np.geomspace(1e-300, 30, 200)
    beside, there, other = (Weibull(shape=shape + step).polya_kernel(lags) for step in (-1e-9, 0.0, 1e-9))
    np.testing.assert_allclose((beside + other) / 2, there, rtol=1e-12)


def test_a_scale_costs_no_digits() -> None:
    """(t/λ)^200 with t/λ rounded would be wrong in the twelfth digit."""

    def exact(t: Any) -> Any:
        u = t / mpmath.mpf(0.7)
        return mpmath.exp(-(u**200)) - u * mpmath.gammainc(1 - 1 / mpmath.mpf(200), u**200)

    assert_values(Weibull(shape=200.0, scale=0.7).polya_kernel, exact, [0.71, 0.719, 0.722])
