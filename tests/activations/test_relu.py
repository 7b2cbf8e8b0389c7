"""The rectifier."""

import numpy as np
import pytest

from kernelspec.activations.rectifiers import Abs, Relu
from kernelspec.random.streams import Stream
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests([(Relu(), lambda x: np.maximum(x, 0))])


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
