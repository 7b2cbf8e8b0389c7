"""Tests of `activations/polynomials.py`."""

from __future__ import annotations

import hypothesis.strategies as st
import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings

from kernelspec.activations.polynomials import Hermite, Identity, Polynomial
from kernelspec.errors import RangeError
from tests.activations.quadrature import plane_mean
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests(
    [
        (Hermite(n=1), lambda x: x),
        (Hermite(n=2), lambda x: x**2 - 1),
        (Hermite(n=5), lambda x: x**5 - 10 * x**3 + 15 * x),
    ]
)


def test_the_first_is_the_identity_and_the_zeroth_a_constant() -> None:
    x = np.linspace(-1, 1, 21)
    np.testing.assert_array_equal(Hermite(n=1).dual(x), Identity().dual(x))
    np.testing.assert_array_equal(Hermite(n=1).evaluate(x), Identity().evaluate(x))
    np.testing.assert_array_equal(Hermite(n=0).dual(x), np.ones(21))
    np.testing.assert_array_equal(Hermite(n=0).evaluate(x), np.ones(21))


@pytest.mark.parametrize("n", [7, 60, 1000])
def test_high_degrees(n: int) -> None:
    with mpmath.workdps(60):
        for x in (-1.7, 0.4, 3.0):
            before, now = mpmath.mpf(0), mpmath.mpf(1)
            for k in range(n):
                before, now = now, mpmath.mpf(x) * now - k * before
            exact = now / mpmath.sqrt(mpmath.factorial(n))
            assert float(Hermite(n=n).evaluate(np.array(x))) == pytest.approx(float(exact), rel=1e-9, abs=1e-12)


test_standard_identity = standard_activation_tests([(Identity(), lambda x: 2.5 * x)])


def test_the_dual_is_the_correlation() -> None:
    rho = np.linspace(-1, 1, 101)
    np.testing.assert_array_equal(Identity().dual(rho), rho)
    np.testing.assert_array_equal(Identity().dual_at(5 * rho), 5 * rho)


test_standard_polynomial = standard_activation_tests(
    [
        (Polynomial(coefficients=(1.0, 2.0, 0.5)), lambda x: 1 + 2 * x + x**2 / 2),
        (Polynomial(coefficients=(0.0, -3.0, 0.0, 1.0)), lambda x: x**3 - 3 * x),
        (Polynomial(coefficients=(0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)), lambda x: 0.3 + x**6),
    ]
)

RHO = np.linspace(-1, 1, 21)


def test_special_cases() -> None:
    np.testing.assert_array_equal(Polynomial(coefficients=(0.0, 1.0)).dual(RHO), Identity().dual(RHO))
    np.testing.assert_array_equal(Polynomial(coefficients=(0.0, -3.0, 0.0, 1.0)).dual(RHO), Hermite(n=3).dual(RHO))
    np.testing.assert_array_equal(Polynomial(coefficients=(-2.0,)).dual(RHO), np.ones(21))


@pytest.mark.long
@given(entries=st.lists(st.integers(-40, 40), min_size=1, max_size=6).filter(any), rho=st.floats(-1, 1))
@settings(max_examples=30)
def test_any_polynomial(entries: list[int], rho: float) -> None:
    def written(x: np.ndarray) -> np.ndarray:
        return np.polynomial.polynomial.polyval(x, entries)

    activation = Polynomial(coefficients=tuple(float(entry) for entry in entries))
    expected = plane_mean(written, rho) / plane_mean(written, 1.0)
    assert float(activation.dual(np.array(rho))) == pytest.approx(expected, abs=1e-10)


def test_coefficients_of_any_size() -> None:
    for size in (1e-300, 1e300):
        large = Polynomial(coefficients=(size, 0.0, size))
        np.testing.assert_allclose(large.dual(RHO), Polynomial(coefficients=(1.0, 0.0, 1.0)).dual(RHO), atol=1e-16)
        assert float(large.evaluate(np.array(1.0))) == pytest.approx(2 / np.sqrt(6))


def test_symbols() -> None:
    a, rho = sympy.symbols("a rho", positive=True)
    found = Polynomial(coefficients=(1, a)).dual_expression(rho)
    assert sympy.simplify(found - (1 + a**2 * rho) / (1 + a**2)) == 0


@pytest.mark.parametrize("coefficients", [(0.0, 0.0), ()], ids=str)
def test_the_zero_polynomial_is_refused(coefficients: tuple[float, ...]) -> None:
    with pytest.raises(RangeError, match="must not all be zero"):
        Polynomial(coefficients=coefficients)


def test_long_lists_are_refused() -> None:
    with pytest.raises(RangeError, match="up to 101 coefficients, not 102"):
        Polynomial(coefficients=(1.0,) * 102)
    assert Polynomial(coefficients=(1.0,) * 101).dual(np.array([1.0])) == pytest.approx(1)
