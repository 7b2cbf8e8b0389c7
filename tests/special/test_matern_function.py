"""Tests of `special/elementary.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import mpmath as mp
import numpy as np
import pytest
import sympy

from kernelspec.special.elementary import (
    as_exponent,
    exponential_integral,
    gamma_function,
    log_bessel_density,
    lower_gamma,
    matern_expression,
    matern_factors,
    matern_function,
    upper_gamma,
)


@pytest.mark.parametrize("order", [0.5, 1.5, 2.5, 0.3, 2.0])
@pytest.mark.parametrize("distance", [0.1, 1.0, 7.5])
def test_against_bessel_functions(order: float, distance: float) -> None:
    x = mpmath.sqrt(2 * mpmath.mpf(order)) * distance / 2
    expected = mpmath.mpf(2) ** (1 - order) * x**order * mpmath.besselk(order, x) / mpmath.gamma(order)
    found = sympy.N(matern_expression(order, 2, sympy.Float(distance, 30)), 25)
    assert abs(found - expected) < 1e-14 * expected


def test_half_odd_orders_are_elementary_and_others_one_at_zero() -> None:
    r = sympy.Symbol("r", positive=True)
    assert matern_expression(sympy.Rational(1, 2), 1, r) == sympy.exp(-r)
    assert matern_expression(sympy.Rational(1, 3), 1, 0) == 1


ORDERS = [0.01, 0.3, 0.5, 1.0, 1.5, 2.0, 3.7, 12.5, 13.5, 25.0, 29.9, 30.0, 30.5, 45.25, 300.0, 1e4]
POINTS = [1e-300, 1e-200, 1e-73, 1e-20, 1e-9, 1e-3, 0.1, 0.7, 1.0, 3.0, 10.0, 40.0, 300.0, 650.0]


def exact(order: float, x: float) -> mpmath.mpf:
    nu, z = mpmath.mpf(order), mpmath.mpf(x)
    return 2 ** (1 - nu) * z**nu * mpmath.besselk(nu, z) / mpmath.gamma(nu)


@pytest.mark.long
@pytest.mark.parametrize("order", ORDERS)
def test_values(order: float) -> None:
    with mpmath.workdps(30):
        expected = np.array([float(exact(order, x)) for x in POINTS])
    rounding = 2e-16 * np.abs(np.log(expected)) if order > 30 else 0  # of the exponent
    error = np.abs(matern_function(order, np.array(POINTS)) / expected - 1)
    assert (error < 5e-14 + rounding).all()


def logarithm(order: float, x: float) -> mpmath.mpf:
    """ln M from K_ν(x) = ½ ∫ exp(νt − x cosh t) dt [DLMF 10.32.9], about the largest value of the integrand."""
    nu, z = mpmath.mpf(order), mpmath.mpf(x)
    top = mpmath.asinh(nu / z)
    peak, width = nu * top - z * mpmath.cosh(top), 14 / mpmath.sqrt(z * mpmath.cosh(top))
    near = mpmath.quad(
        lambda t: mpmath.exp(nu * t - z * mpmath.cosh(t) - peak), [top + i * width / 4 for i in range(-4, 5)]
    )
    return nu * mpmath.log(z / 2) - mpmath.loggamma(nu) + peak + mpmath.log(near)


@pytest.mark.slow
@pytest.mark.parametrize("order", [1.0, 2.5, 45.25, 1000.0, 1e4])
@pytest.mark.parametrize("x", [300.0, 5e3, 2e5])
def test_factors_are_floats_far_out(order: float, x: float) -> None:
    """Where M itself is none, and M eˣ neither; rounding is that of x and of the exponent."""
    factor, exponent = matern_factors(order, np.array([0.0, x]))
    assert (factor[0], exponent[0]) == (1, 0)
    with mpmath.workdps(30):
        error = mpmath.log(factor[1]) + mpmath.mpf(exponent[1]) - logarithm(order, x)
        assert abs(error) < 1e-13 + 4e-16 * abs(exponent[1])


@pytest.mark.parametrize("order", ORDERS)
def test_one_at_zero_falling_and_never_above(order: float) -> None:
    x = np.concatenate([[0.0, 5e-324], np.geomspace(1e-310, 1e4, 400), [1e308, np.inf]])
    values = matern_function(order, x)
    assert values[0] == 1
    assert ((values >= 0) & (values <= 1)).all()
    assert (np.diff(values) <= 1e-13 * values[:-1]).all()
    assert values[-1] == 0


@pytest.mark.long
@pytest.mark.parametrize("shape", [0.4, 1.0, 1.5, 4.0, 60.0])
@pytest.mark.parametrize("dim", [1, 2, 3, 8, 120])
def test_log_bessel_density(shape: float, dim: int) -> None:
    x = np.array([1e-6, 0.03, 0.8, 2.5, 30.0, 200.0])
    with mpmath.workdps(60):
        order, half = mpmath.mpf(shape) - mpmath.mpf(dim) / 2, [mpmath.mpf(v) / 2 for v in x]
        expected = [
            float(mpmath.log(2 * z**order * mpmath.besselk(order, 2 * z) / mpmath.gamma(mpmath.mpf(shape))))
            for z in half
        ]
    np.testing.assert_allclose(log_bessel_density(shape, x, dim), expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(("shape", "dim"), [(0.75, 1), (1.0, 2), (2.5, 3)])
def test_it_is_the_mixture_over_gamma_variances(shape: float, dim: int) -> None:
    """E[τ^{−d/2} exp(−x²/4τ)], τ ~ Gamma(α, 1), by quadrature in ln τ."""
    for x in (0.2, 1.3):

        def integrand(s: mpmath.mpf, x: float = x) -> mpmath.mpf:
            return mpmath.exp((shape - dim / 2) * s - mpmath.exp(s) - x**2 / 4 * mpmath.exp(-s))

        total = mpmath.quad(integrand, [-60, -10, 0, 6])
        found = float(np.exp(log_bessel_density(shape, np.array([x]), dim))[0])
        assert found == pytest.approx(float(total / mpmath.gamma(shape)), rel=1e-10)


def test_the_density_at_zero() -> None:
    assert log_bessel_density(1.0, np.zeros(1), 2)[0] == np.inf
    assert log_bessel_density(1.0, np.zeros(1), 3)[0] == np.inf
    # α > d/2: E τ^{−d/2} = Γ(α − d/2)/Γ(α); here Γ(3/2)/Γ(2)
    assert log_bessel_density(2.0, np.zeros(1), 1)[0] == pytest.approx(np.log(np.sqrt(np.pi) / 2), rel=1e-14)


FUNCTIONS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    "lower": (lower_gamma, lambda a, x: mp.gammainc(a, 0, x)),
    "upper": (upper_gamma, mp.gammainc),
    "exponential": (exponential_integral, mp.expint),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_lengths(name: str) -> None:
    written, exact = FUNCTIONS[name]
    x = sympy.Symbol("x", positive=True)
    for order in (sympy.Rational(1, 2), sympy.S(3), sympy.Rational(2001, 2), sympy.S(10**9)):
        expression = written(order, x)
        assert expression.count_ops() < 40
        if order < 10**6:
            value = expression.subs(x, sympy.Rational(7, 2)) if order < 20 else written(order, sympy.Rational(7, 2))
            assert float(value.evalf() / exact(mp.mpf(order.p) / order.q, mp.mpf("3.5"))) == pytest.approx(1, rel=1e-12)
    symbol = sympy.Symbol("a", positive=True)
    assert written(symbol, x).has(symbol)


def test_factorials_that_would_never_end() -> None:
    assert gamma_function(sympy.S(10)) == 362880
    far = gamma_function(sympy.S(10**9))
    assert float(sympy.log(far.evalf()).evalf() / mp.loggamma(10**9)) == pytest.approx(1, rel=1e-12)


def test_exponents_that_would_never_end() -> None:
    half, symbol = sympy.Rational(1, 2), sympy.Symbol("a")
    assert as_exponent(half) is half
    assert as_exponent(symbol) is symbol
    assert as_exponent(sympy.S(10**99)).is_Float
    near_one = 1 - sympy.Rational(1, 10**30)
    assert as_exponent(near_one) is near_one  # (1 − |Δ|)^a is a kernel for a ≥ 1 alone
