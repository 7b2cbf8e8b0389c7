"""Tests of `activations/rectifiers.py`."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from kernelspec.activations.polynomials import Identity
from kernelspec.activations.rectifiers import Abs, LeakyRelu, Relu, TwoSlopes
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_proportions
from tests.activations.quadrature import plane_mean
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests([(Abs(), np.abs)])


def test_an_even_function_of_the_correlation() -> None:
    rho = np.linspace(0, 1, 57)
    np.testing.assert_array_equal(Abs().dual(rho), Abs().dual(-rho))
    assert Abs().dual(np.array(0.0)) == 2 / np.pi


test_standard_leaky_relu = standard_activation_tests(
    [
        (LeakyRelu(), lambda x: np.where(x > 0, x, 0.01 * x)),
        (LeakyRelu(slope=0.3), lambda x: np.where(x > 0, x, 0.3 * x)),
        (LeakyRelu(slope=4.0), lambda x: np.where(x > 0, x, 4 * x)),
    ]
)

RHO = np.linspace(-1, 1, 101)


@pytest.mark.parametrize(("slope", "same"), [(0.0, Relu()), (1.0, Identity()), (-1.0, Abs())], ids=str)
def test_its_special_cases(slope: float, same: Relu | Identity | Abs) -> None:
    leaky = LeakyRelu(slope=slope)
    np.testing.assert_allclose(leaky.dual(RHO), same.dual(RHO), atol=1e-16)
    np.testing.assert_allclose(leaky.coefficient(np.arange(40)), same.coefficient(np.arange(40)), rtol=1e-15)
    np.testing.assert_allclose(leaky.evaluate(3 * RHO), same.evaluate(3 * RHO), rtol=1e-15)
    assert leaky.radius() == same.radius()


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


test_standard_relu = standard_activation_tests([(Relu(), lambda x: np.maximum(x, 0))])


def test_as_the_paper_writes_it() -> None:
    rho = np.linspace(-1, 1, 201)
    expected = (np.sqrt(1 - rho**2) + rho * (np.pi - np.arccos(rho))) / np.pi
    np.testing.assert_allclose(Relu().dual(rho), expected, atol=1e-15)


def test_half_the_identity_and_half_the_absolute_value() -> None:
    rho, degrees = np.linspace(-1, 1, 101), np.arange(50)
    np.testing.assert_allclose(Relu().dual(rho), rho / 2 + Abs().dual(rho) / 2, atol=1e-16)
    np.testing.assert_allclose(
        Relu().coefficient(degrees), (degrees == 1) / 2 + Abs().coefficient(degrees) / 2, rtol=1e-15
    )


def test_coefficients_with_double_factorials() -> None:
    a = Relu().coefficient(np.arange(9))
    expected = {
        0: 1 / np.pi,
        1: 0.5,
        2: 1 / (2 * np.pi),
        4: 1 / (24 * np.pi),
        6: 9 / (720 * np.pi),
        8: 225 / 40320 / np.pi,
    }
    for degree in range(9):
        assert a[degree] == pytest.approx(expected.get(degree, 0.0), rel=1e-14)


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


def test_shares_sum_to_one() -> None:
    for slope in (-3.0, 0.0, 0.01, 1e100):
        assert sum(LeakyRelu(slope=slope).shares()) == pytest.approx(1, abs=1e-15)
