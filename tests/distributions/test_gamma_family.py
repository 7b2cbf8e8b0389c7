"""Tests of `distributions/gamma_family.py`."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.stats
import sympy

from kernelspec.distributions.distribution import Positive
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
        (ChiSquare(dof=1.0), scipy.stats.chi2(1)),
        (ChiSquare(dof=2.0), scipy.stats.chi2(2)),
        (ChiSquare(dof=7.4), scipy.stats.chi2(7.4)),
        (Erlang(shape=1), scipy.stats.erlang(1)),
        (Erlang(shape=3, scale=0.4), scipy.stats.erlang(3, scale=0.4)),
        (Erlang(shape=12), scipy.stats.erlang(12)),
        (Exponential(), scipy.stats.expon()),
        (Exponential(scale=2.5), scipy.stats.expon(scale=2.5)),
        (Gamma(shape=2.0), scipy.stats.gamma(2)),
        (Gamma(shape=0.6, scale=1.7), scipy.stats.gamma(0.6, scale=1.7)),
        (Gamma(shape=1.0), scipy.stats.gamma(1)),
        (Gamma(shape=5.3, scale=0.2), scipy.stats.gamma(5.3, scale=0.2)),
        (HalfNormal(), scipy.stats.halfnorm()),
        (HalfNormal(scale=2.5), scipy.stats.halfnorm(scale=2.5)),
        (Nakagami(shape=0.5), scipy.stats.nakagami(0.5)),
        (Nakagami(shape=0.3, spread=4.0), scipy.stats.nakagami(0.3, scale=2.0)),
        (Nakagami(shape=2.2, spread=0.25), scipy.stats.nakagami(2.2, scale=0.5)),
        (Rayleigh(), scipy.stats.rayleigh()),
        (Rayleigh(scale=2.5), scipy.stats.rayleigh(scale=2.5)),
        (Weibull(shape=1.0), scipy.stats.weibull_min(1)),
        (Weibull(shape=1.6, scale=0.4), scipy.stats.weibull_min(1.6, scale=0.4)),
        (Weibull(shape=6.0, scale=3.0), scipy.stats.weibull_min(6, scale=3)),
    ]
)


@pytest.mark.parametrize(
    ("law", "same"),
    [
        *((Chi(dof=n), Nakagami(shape=n / 2, spread=n)) for n in (0.2, 2.0, 33.3)),
        *((ChiSquare(dof=n), Gamma(shape=n / 2, scale=2.0)) for n in (0.2, 2.0, 33.3)),
        *((Erlang(shape=n, scale=0.3), Gamma(shape=float(n), scale=0.3)) for n in (1, 7, 1000)),
        *((Exponential(scale=s), Gamma(shape=1.0, scale=s)) for s in (0.3, 7.0)),
        *((Exponential(scale=s), Weibull(shape=1.0, scale=s)) for s in (0.3, 7.0)),
        *((HalfNormal(scale=s), Nakagami(shape=0.5, spread=s**2)) for s in (0.3, 7.0)),
        *((Rayleigh(scale=s), Nakagami(shape=1.0, spread=2 * s**2)) for s in (0.3, 7.0)),
        *((Rayleigh(scale=s), Weibull(shape=2.0, scale=s * np.sqrt(2.0))) for s in (0.3, 7.0)),
    ],
    ids=str,
)
def test_two_names_of_one_law(law: Positive, same: Positive) -> None:
    assert_same_law(law, same)


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


@pytest.mark.parametrize("step", [1e-9, -1e-9])
def test_nothing_happens_at_one_half(step: float) -> None:
    lags = np.geomspace(1e-300, 8, 200)
    laws = [Nakagami(shape=0.5 + shift) for shift in (0.0, step, -step)]
    there, beside, other = (law.polya_kernel(lags) for law in laws)
    np.testing.assert_allclose(beside, there, rtol=1e-6)
    np.testing.assert_allclose((beside + other) / 2, there, rtol=1e-12)
    there, beside, other = (law.polya_transform(FREQUENCIES) for law in laws)
    np.testing.assert_allclose((beside + other) / 2, there, rtol=1e-12)


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
