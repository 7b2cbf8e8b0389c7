"""Tests of `activations/steps.py`."""

from __future__ import annotations

from typing import cast

import hypothesis.strategies as st
import mpmath
import numpy as np
import pytest
import scipy.special
from hypothesis import given

from kernelspec.activations.steps import Arcsine, Erf, Sign, Step
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_proportions
from tests.activations.heavy_tails import exceedances_test
from tests.activations.standard import standard_activation_tests

LAWS = [Step(), Sign(), Erf(scale=30.0), Erf(scale=0.05)]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_at_the_radius_all_degrees_are_those_of_steps_or_signs(law: Arcsine) -> None:
    same = Step() if law == Step() else Sign()
    chances = same.coefficient(np.arange(2000))
    drawn = law.draw_degrees(Stream(8), 300_000, float(law.radius()))
    counts = np.bincount(np.minimum(drawn, 2000), minlength=2001)
    assert_proportions(counts, np.append(chances, 1 - chances.sum()), budget=1e-8)


@pytest.mark.parametrize("law", LAWS, ids=str)
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


test_standard = standard_activation_tests(
    [
        (Erf(), scipy.special.erf),
        (Erf(scale=0.4), lambda x: scipy.special.erf(0.4 * x)),
        (Erf(scale=2.5), lambda x: scipy.special.erf(2.5 * x)),
    ]
)


def test_as_the_paper_writes_it() -> None:
    rho = np.linspace(-1, 1, 101)
    np.testing.assert_allclose(Erf().dual(rho), np.arcsin(2 * rho / 3) / np.arcsin(2 / 3), atol=1e-15)
    assert Erf().radius() == 1.5
    assert float(Erf().dual_absolute(np.array(1.5))) == pytest.approx(np.pi / 2 / np.arcsin(2 / 3), rel=1e-7)


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
    assert law.derivative_at_one() == pytest.approx(float(slope), rel=1e-14)


test_standard_sign = standard_activation_tests([(Sign(), np.sign)])
test_exceedances = pytest.mark.long(exceedances_test(Sign(), 0.508))


def test_the_limit_of_steep_error_functions() -> None:
    rho = np.linspace(-1, 1, 101)
    np.testing.assert_allclose(Erf(scale=1e12).dual(rho), Sign().dual(rho), atol=1e-11)
    np.testing.assert_allclose(
        Erf(scale=1e12).coefficient(np.arange(99)), Sign().coefficient(np.arange(99)), atol=1e-11
    )


test_standard_step = standard_activation_tests([(Step(), lambda x: np.where(x > 0, 1.0, 0.0))])
test_exceedances_step = pytest.mark.long(exceedances_test(Step(), 0.254))


def test_half_a_constant_and_half_a_sign() -> None:
    rho = np.linspace(-1, 1, 101)
    np.testing.assert_allclose(Step().dual(rho), 0.5 + Sign().dual(rho) / 2, atol=1e-16)


def test_the_orthant_probability() -> None:
    # three independent normals: P(X > 0, Y > 0) = 1/3 for ρ = ½, 1/8 + … for ρ = √½
    assert Step().dual(np.array([0.5, 0.0, -0.5])) == pytest.approx([2 / 3, 1 / 2, 1 / 3], abs=1e-15)
