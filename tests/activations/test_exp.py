"""Exponential activations."""

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.stats
from hypothesis import given

from kernelspec.activations.analytic import Exp
from kernelspec.errors import RangeError
from kernelspec.random.streams import Stream
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests(
    [
        (Exp(), np.exp),
        (Exp(c=0.25), lambda x: np.exp(x / 2)),
        (Exp(c=6.0), lambda x: np.exp(np.sqrt(6) * x)),
    ]
)


@given(first=st.floats(0.01, 9), second=st.floats(0.01, 9), rho=st.floats(-1, 1))
def test_products_add_the_rates(first: float, second: float, rho: float) -> None:
    x = np.array(rho)
    product = Exp(c=first).dual(x) * Exp(c=second).dual(x)
    assert float(product) == pytest.approx(float(Exp(c=first + second).dual(x)), rel=1e-13)


def test_over_the_circle_a_gaussian_of_the_chord() -> None:
    angle = np.linspace(0, np.pi, 50)
    chord = 2 * np.sin(angle / 2)
    np.testing.assert_allclose(Exp(c=3.0).dual(np.cos(angle)), np.exp(-3 * chord**2 / 2), rtol=1e-14)


@pytest.mark.parametrize("c", [1e-9, 0.7, 1e3, 1e6])
def test_poisson_degrees(c: float) -> None:
    law = scipy.stats.poisson(c)
    degrees = np.unique(np.clip(np.round(c + np.sqrt(c) * np.linspace(-8, 8, 33)), 0, None))
    np.testing.assert_allclose(Exp(c=c).coefficient(degrees), law.pmf(degrees), rtol=1e-8)
    drawn = Exp(c=c).draw_degrees(Stream(9), 20_000)
    assert abs(drawn.mean() - c) <= 6 * np.sqrt(c / 20_000) + 1e-3 * (c < 1e-3)
    assert abs(drawn.var() - c) <= 6 * np.sqrt((2 * c**2 + c) / 20_000) + 1e-3 * (c < 1e-3)


def test_rates_beyond_memory_are_refused() -> None:
    with pytest.raises(RangeError, match="up to 1e\\+10 are drawn"):
        Exp(c=1e8).draw_degrees(Stream(9), 10, weight=1.000001e2)
