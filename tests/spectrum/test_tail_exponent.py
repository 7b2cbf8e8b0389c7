"""Exponents of tails, against the slope of the density between two far frequencies."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import NoDensityError
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.spectrum.tail_exponent import tail_exponent
from tests.measures.algebra.referees import measure_of_text


@pytest.mark.parametrize(
    ("text", "dim", "expected"),
    [
        ("gaussian()*laplace()", 1, 2),
        ("matern(nu=5/2)*gaussian()", 1, 6),
        ("matern(nu=3/2)*laplace()*cauchy()", 1, 2),
        ("tilt(matern(nu=3/2), by=0.5)*gaussian()", 1, 4),
        ("matern(nu=5/2)*rational_quadratic(alpha=2)", 1, 6),
        ("exponential()*matern(nu=3/2)", 2, 3),
        ("matern(nu=3/2)*matern(nu=5/2)", 3, 6),
        ("matern(nu=3/2)*gaussian()", 3, 6),
    ],
)
def test_slopes(text: str, dim: int, expected: float) -> None:
    measure = measure_of_text(text, dim)
    assert tail_exponent(measure) == expected
    if "laplace()*cauchy" not in text:  # no closed density
        far = np.eye(1, dim) * np.array([[300.0], [3000.0]])
        values = np.abs(measure.density(far))
        assert np.log10(values[0] / values[1]) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("text", ["gaussian()", "cauchy()*gaussian()", "sinc()*cauchy()", "cosine(2)*gaussian()"])
def test_faster_than_any_power(text: str) -> None:
    assert tail_exponent(measure_of_text(text)) == np.inf


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "dim", "expected"),
    [
        ("periodic(2)*laplace()", 1, 2),
        ("0.5*periodic(2)*matern(nu=3/2) + 0.5*periodic(3)*gaussian()", 1, 4),
        ("0.5*periodic(2)*matern(nu=3/2) + 0.5*periodic(3)*matern(nu=3/2)", 1, 4),
        ("(0.5*periodic(2) + 0.5*constant())*matern(nu=3/2)", 2, 5),
        ("shift(periodic(2)*laplace(), by=0.3)", 1, 2),
    ],
)
def test_a_periodic_factor_changes_no_exponent(text: str, dim: int, expected: float) -> None:
    measure = measure_of_text(text, dim)
    assert tail_exponent(measure) == expected
    far = np.eye(1, dim) * np.array([[3000.0], [30000.0]])
    values = np.abs(measure.density(far))
    assert np.log10(values[0] / values[1]) == pytest.approx(expected, abs=0.02)


def test_an_even_density_in_two_columns() -> None:
    """A Gaussian times an exponential has no closed density there, and its tail is that of the exponential."""
    assert ks.analyze("gaussian()*exponential()", dim=2).tail_exponent == 3


def test_what_is_not_known() -> None:
    with pytest.raises(NoDensityError):
        tail_exponent(measure_of_text("cosine(1)"))
    for text, dim in (
        ("periodic(2)*laplace() - periodic(3)*laplace()", 1),  # does cancel
        ("laplace()*triangle()", 2),
        ("powered_exponential(alpha=1.5)", 1),
        ("tilt(exponential(), by=0.1)*gaussian()", 3),
    ):
        with pytest.raises(NotClosed):
            tail_exponent(measure_of_text(text, dim))
