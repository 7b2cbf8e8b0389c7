"""Tests of `activations/piecewise.py`."""

from __future__ import annotations

import math
from typing import cast

import hypothesis.strategies as st
import mpmath
import numpy as np
import pytest
import scipy.special
import sympy
from hypothesis import given, settings

from kernelspec.activations.analytic import Gelu
from kernelspec.activations.piecewise import Abs, Arcsine, Erf, LeakyRelu, Relu, Sign, Step, TwoSlopes
from kernelspec.activations.series import Hermite, Identity, Polynomial
from kernelspec.errors import RangeError
from kernelspec.random.streams import Stream
from tests.activations.standard import exceedances_test, plane_mean, standard_activation_tests
from tests.laboratory import assert_proportions

test_standard = standard_activation_tests(
    [
        (Abs(), np.abs),
        (LeakyRelu(), lambda x: np.where(x > 0, x, 0.01 * x)),
        (LeakyRelu(slope=0.3), lambda x: np.where(x > 0, x, 0.3 * x)),
        (LeakyRelu(slope=4.0), lambda x: np.where(x > 0, x, 4 * x)),
        (Relu(), lambda x: np.maximum(x, 0)),
        (Erf(), scipy.special.erf),
        (Erf(scale=0.4), lambda x: scipy.special.erf(0.4 * x)),
        (Erf(scale=2.5), lambda x: scipy.special.erf(2.5 * x)),
        (Sign(), np.sign),
        (Step(), lambda x: np.where(x > 0, 1.0, 0.0)),
        (Gelu(), lambda x: x * scipy.special.ndtr(x)),
        (Hermite(n=1), lambda x: x),
        (Hermite(n=2), lambda x: x**2 - 1),
        (Hermite(n=5), lambda x: x**5 - 10 * x**3 + 15 * x),
        (Identity(), lambda x: 2.5 * x),
        (Polynomial(coefficients=(1.0, 2.0, 0.5)), lambda x: 1 + 2 * x + x**2 / 2),
        (Polynomial(coefficients=(0.0, -3.0, 0.0, 1.0)), lambda x: x**3 - 3 * x),
        (Polynomial(coefficients=(0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)), lambda x: 0.3 + x**6),
    ]
)


def test_the_identity_has_a_dual_everywhere() -> None:
    assert LeakyRelu(slope=1.0).radius() == math.inf
    np.testing.assert_array_equal(LeakyRelu(slope=1.0).dual_at(np.array([-7.0, 3.0])), [-7, 3])


@given(slope=st.floats(-50, 50), rho=st.floats(-1, 1))
@settings(max_examples=30)
def test_any_slope(slope: float, rho: float) -> None:
    def written(x: np.ndarray) -> np.ndarray:
        return np.where(x > 0, x, slope * x)

    expected = plane_mean(written, rho) / ((1 + slope**2) / 2)
    assert float(LeakyRelu(slope=slope).dual(np.array(rho))) == pytest.approx(expected, abs=1e-11)


@pytest.mark.long
def test_the_expected_degree_is_one() -> None:
    # the variance of the degrees is infinite, so they are compared below 1000, where all but 2e-2 of the mean lies
    drawn = Relu().draw_degrees(Stream(5), 1_000_000)
    degrees = np.arange(1000)
    a = Relu().coefficient(degrees)
    kept = np.where(drawn < 1000, drawn, 0)
    deviation = np.sqrt(a @ degrees**2.0 / len(drawn))
    assert abs(kept.mean() - a @ degrees) < 6 * deviation


LAWS = [Relu(), Abs(), LeakyRelu(slope=-0.4)]


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_large_degrees_are_as_frequent_as_they_should_be(law: TwoSlopes) -> None:
    levels = [10, 100, 1000, 10_000]
    below = np.cumsum(law.coefficient(np.arange(levels[-1] + 1)))[levels]
    drawn = law.draw_degrees(Stream(3), 2_000_000)
    counts = np.histogram(drawn, [0, *(level + 1 for level in levels), 2**62 + 1])[0]
    assert_proportions(counts, np.diff([0.0, *below, 1.0]), budget=1e-8)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_weights_near_one_and_zero(law: TwoSlopes) -> None:
    for weight in (1e-9, 1 - 1e-6):
        degrees = np.arange(2000)
        chances = law.coefficient(degrees) * weight**degrees / law.dual_absolute(np.array(weight))
        counts = np.bincount(np.minimum(law.draw_degrees(Stream(8), 300_000, weight), 2000), minlength=2001)
        assert_proportions(counts, np.append(chances, max(0.0, 1 - chances.sum())), budget=1e-8)


LAWS_OF_STEPS = [Step(), Sign(), Erf(scale=30.0), Erf(scale=0.05)]


@pytest.mark.parametrize("law", LAWS_OF_STEPS, ids=str)
def test_at_the_radius_all_degrees_are_those_of_steps_or_signs(law: Arcsine) -> None:
    same = Step() if law == Step() else Sign()
    chances = same.coefficient(np.arange(2000))
    drawn = law.draw_degrees(Stream(8), 300_000, float(law.radius()))
    counts = np.bincount(np.minimum(drawn, 2000), minlength=2001)
    assert_proportions(counts, np.append(chances, 1 - chances.sum()), budget=1e-8)


@pytest.mark.parametrize("law", LAWS_OF_STEPS, ids=str)
def test_at_small_weights_the_lowest_degree(law: Arcsine) -> None:
    assert (law.draw_degrees(Stream(8), 1000, 1e-12) == (0 if law == Step() else 1)).all()


def test_double_factorials() -> None:
    """a_{2m+1} = (2m)!/(π 4^m (m!)² (2m + 1)) for the step."""
    expected = [1 / np.pi, 1 / (6 * np.pi), 3 / (40 * np.pi), 5 / (112 * np.pi)]
    assert Step().coefficient(np.array([1, 3, 5, 7])) == pytest.approx(expected, rel=1e-15)


class Extreme:
    """Uniform numbers that are accepted and give first returns of about 1/πu²."""

    def uniforms(self, purpose: str, shape: tuple[int, ...]) -> np.ndarray:
        del purpose
        found = np.array([[1e-9, 0.9, u] for u in TAILS])
        assert found.shape == shape
        return found


TAILS = [1e-6, 1e-9, 2e-9, 3e-9, 2.0**-53]


def test_odd_degrees_stay_odd_where_floats_are_even() -> None:
    drawn = Sign().draw_degrees(cast(Stream, Extreme()), len(TAILS))
    assert (drawn % 2 == 1).all()
    assert drawn[1] > 2**53
    assert drawn.tolist()[:4] == pytest.approx([2 / (np.pi * u**2) for u in TAILS[:4]], rel=1e-9)
    assert drawn[4] == 2**62 - 1


@given(logarithm=st.floats(-60, 60), rho=st.floats(-1, 1))
def test_flat_and_steep(logarithm: float, rho: float) -> None:
    """In 200 digits: neither the identity nor the sign loses any."""
    law = Erf(scale=10**logarithm)
    with mpmath.workdps(200):
        double = 2 * mpmath.mpf(law.scale) ** 2
        q = double / (1 + double)
        exact = mpmath.asin(q * mpmath.mpf(rho)) / mpmath.asin(q)
        slope = q / mpmath.sqrt(1 - q**2) / mpmath.asin(q)
    assert float(law.dual(np.array(rho))) == pytest.approx(float(exact), abs=1e-15)
    assert law.mean_degree() == pytest.approx(float(slope), rel=1e-14)


test_exceedances = pytest.mark.long(exceedances_test(Sign(), 0.508))


test_exceedances_step = pytest.mark.long(exceedances_test(Step(), 0.254))


@pytest.mark.long
@pytest.mark.parametrize("weight", [1.5, 1.98])
def test_degrees_near_the_radius(weight: float) -> None:
    degrees = np.arange(1000)
    chances = Gelu().coefficient(degrees) * weight ** degrees.astype(float) / Gelu().dual_absolute(np.array(weight))
    drawn = Gelu().draw_degrees(Stream(5), 1_000_000, weight)
    counts = np.bincount(np.minimum(drawn, 1000), minlength=1001)
    assert_proportions(counts, np.append(chances, max(0.0, 1 - chances.sum())), budget=1e-8)
    # and the mean, m σ̂′(m)/σ̂(m), by central differences
    step = 1e-5
    above, below = Gelu().dual_absolute(np.array([weight + step, weight - step]))
    mean = weight * (above - below) / (2 * step) / float(Gelu().dual_absolute(np.array(weight)))
    assert drawn.mean() == pytest.approx(mean, abs=6 * drawn.std() / 1000 + 1e-5)


@pytest.mark.parametrize("n", [7, 60, 1000])
def test_high_degrees(n: int) -> None:
    with mpmath.workdps(60):
        for x in (-1.7, 0.4, 3.0):
            before, now = mpmath.mpf(0), mpmath.mpf(1)
            for k in range(n):
                before, now = now, mpmath.mpf(x) * now - k * before
            exact = now / mpmath.sqrt(mpmath.factorial(n))
            assert float(Hermite(n=n).evaluate(np.array(x))) == pytest.approx(float(exact), rel=1e-9, abs=1e-12)


RHO_OF_POLYNOMIALS = np.linspace(-1, 1, 21)


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
        np.testing.assert_allclose(
            large.dual(RHO_OF_POLYNOMIALS),
            Polynomial(coefficients=(1.0, 0.0, 1.0)).dual(RHO_OF_POLYNOMIALS),
            atol=1e-16,
        )
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
