"""Exponents of tails, against the slope of the density between two far frequencies."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import NoDensityError
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.tails import tail_exponent
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


SCALES = ("0.1", "0.3", "1/3", "sqrt(2)", "pi")


@pytest.mark.parametrize(("a", "b"), [(a, b) for a in SCALES for b in SCALES if a != b])
def test_kinks_that_cancel_are_seen_in_exact_numbers(a: str, b: str) -> None:
    """w/a of w·laplace(a) is the slope at 0: equal ones leave the third derivative, others do not."""
    assert ks.analyze(f"3*({a})*laplace({a}) - 3*({b})*laplace({b})", dim=1).tail_exponent == 4
    assert ks.analyze(f"3*({a})*laplace({a}) - (3 + 1e-30)*({b})*laplace({b})", dim=1).tail_exponent == 2


@pytest.mark.parametrize(
    ("text", "dim", "expected"),
    [
        ("1.5*laplace(0.3) - 0.5*laplace(0.1)", 1, 4),
        ("2*exponential(2) - exponential()", 3, 6),
        ("0.3*laplace(0.3)*cauchy() - 0.1*laplace(0.1)*cauchy()", 1, 4),
        ("0.1*laplace(0.1) - 0.3*laplace(0.3)*cauchy()", 1, 4),
        ("27*matern(3/2, scale=3) - matern(3/2)", 1, 6),
    ],
)
def test_differences(text: str, dim: int, expected: float) -> None:
    assert ks.analyze(text, dim=dim).tail_exponent == expected
