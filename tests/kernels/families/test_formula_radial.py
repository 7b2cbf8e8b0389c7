"""Functions of the distance that the user wrote."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.kernels.families.formula_radial import FormulaRadial
from kernelspec.notation.pairs import NumericPairs
from tests.formulas.written import written


def kernel(text: str, dim: int) -> FormulaRadial:
    return FormulaRadial(shape=written(f"r -> {text}"), dim=dim)


def test_values_and_value_at_zero() -> None:
    lags = np.array([[0.0, 0.0], [3.0, 4.0]])
    found = kernel("2*besselj(1, r)/r", 2).numbers(NumericPairs.of_vectors(lags))
    np.testing.assert_allclose(found, [1, 2 * -0.327579137591465 / 5], rtol=1e-12)  # J₁(5), DLMF 10.75


def test_scaled_values_far_out() -> None:
    found = kernel("1/(1 + r)*exp(-r)", 1).scaled_value(NumericPairs.of_vectors(np.array([[0.0], [2000.0]])))
    np.testing.assert_allclose(np.log(found.mantissa) + found.exponent, [0, -2000 - np.log(2001)], rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "dim", "answer"),
    [
        ("max(0, 1 - r)**2", 3, "proved"),
        ("max(0, 1 - r)**2", 4, "disproved"),
        ("1/(1 + r)", 9, "proved"),
        ("exp(-r**3)", 1, "disproved"),
        ("exp(-r)*(1 + sin(r)/9)", 2, "unknown"),
    ],
)
def test_verdicts(text: str, dim: int, answer: str) -> None:
    found = kernel(text, dim).verdict()
    assert (found.positive_definite, found.symmetric, found.stationary) == (answer, True, True)


def test_the_variance_of_frequencies() -> None:
    assert kernel("tanh(r)/r", 3).second_moment() == pytest.approx(3 * 2 / 3)
    assert kernel("1/(1 + r)", 3).second_moment() == np.inf
