"""Functions of the distance that the user wrote."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.errors import NoDensityError, NotAvailableYet
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.formula import FormulaRadial
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_characteristic_function
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


DRAWN = [
    ("1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3", (1, 2, 3)),
    ("2/pi*(acos(min(r, 1)) - min(r, 1)*sqrt(1 - min(r, 1)**2))", (2,)),
    ("1 - 15/8*min(r, 1) + 5/4*min(r, 1)**3 - 3/8*min(r, 1)**5", (3,)),
    ("max(0, 1 - r/2)**2", (3,)),
    ("max(0, 1 - r)**4*(4*r + 1)", (1, 3)),
    ("sin(2*r)/(2*r)", (2, 3)),
    ("besselj(0, 3*r)", (1, 2)),
    ("exp(-r)*cos(r)", (2,)),
    ("1/(1 + log(1 + r))", (1, 2)),
    ("tanh(r)/r", (2, 4)),
    ("r/sinh(r)", (3,)),
    ("1/cosh(r)", (5,)),
    ("1/(1 + sqrt(r))", (2,)),
    ("exp(1 - sqrt(1 + r**2))", (2,)),
    ("log(1 + r)/r", (1, 3)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "dim"), [(text, dim) for text, dims in DRAWN for dim in dims])
def test_frequencies_have_the_kernel_as_characteristic_function(text: str, dim: int) -> None:
    one = kernel(text, dim)
    draws = one.draw(Stream(20_251_122, (dim,)), 20_000)
    lags = np.array([[0.1] * dim, [0.4] + [0.2] * (dim - 1), [-1.6] + [0.0] * (dim - 1)])
    exact = one.numbers(NumericPairs.of_vectors(lags))
    assert_characteristic_function(draws, lags, exact, budget=1e-8, what=f"{text}, d = {dim}")


def test_densities() -> None:
    one = kernel("sin(r)/r", 3)
    with pytest.raises(NoDensityError, match="uniform on a sphere"):
        one.density(NumericPairs.of_vectors(np.ones((1, 3))))
    found = kernel("1/cosh(pi*r/2)", 1).density(NumericPairs.of_vectors(np.array([[0.0], [1.0], [3.0]])))
    np.testing.assert_allclose(found, 1 / (np.pi * np.cosh([0.0, 1.0, 3.0])), rtol=1e-9)  # Feller 1971, section XV.2


@pytest.mark.parametrize("text", ["(1 + cos(r)*exp(-r))/2", "(2 + exp(-r**2))/3"])
def test_what_does_not_vanish_has_an_atom(text: str) -> None:
    with pytest.raises(NoDensityError, match="an atom at ω = 0, of the mass 0"):
        kernel(text, 1).radial_density(np.ones(1))


@pytest.mark.slow
def test_signed_measures_are_sampled_part_by_part() -> None:
    with pytest.raises(NotAvailableYet, match=r"both signs on 2 columns.*sampled part by part"):
        kernel("(1 - r**2)*exp(-r**2/2)", 2).draw(Stream(0), 3)
    with pytest.raises(NotAvailableYet, match="falls so slowly"):
        kernel("max(0, 1 - r)", 3).draw(Stream(0), 3)
