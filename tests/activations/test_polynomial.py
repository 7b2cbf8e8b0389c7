"""Polynomials."""

import hypothesis.strategies as st
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
