"""Tests of `verdicts/exact_signs.py`."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.measure import measure_of
from kernelspec.verdicts.decision import expanded
from kernelspec.verdicts.exact_signs import PolynomialDensity, by_exact_signs, polynomial_density
from kernelspec.verdicts.rules import Question


def density_of(text: str, dim: int) -> PolynomialDensity:
    return polynomial_density(measure_of(expanded(ks.parse(text).symbolic_kernel(Columns(dim)))))


@pytest.mark.parametrize(
    ("text", "dim"),
    [
        ("laplace() - 0.4*matern(3/2)", 1),
        ("laplace()*cosine(2) - 0.2*laplace(scale=2)", 1),
        ("laplace()*matern(3/2)*cosine(1) - 0.3*matern(5/2)*cosine(3)", 1),
        ("exponential() - 0.2*exponential(scale=2)", 3),
        ("matern(3/2)*exponential() - 0.1*exponential()*exponential()", 3),
        ("matern(5/2)*exponential() - 0.05*exponential()*matern(5/2)", 2),
        ("gaussian() - 0.4*gaussian(scale=sqrt(2)) + 0.1*gaussian(scale=2)", 1),
        ("gaussian() - 0.4*gaussian(scale=sqrt(2)) + 0.1*gaussian(scale=2)", 4),
        ("gaussian()*cosine(2) - 0.4*gaussian()*cosine(1) + 0.1*gaussian()", 1),
        ("triangle() - 0.4*triangle(width=2) + 0.2*triangle(width=3/2)", 1),
    ],
)
def test_the_quotient_is_positive_and_has_no_other_sign(text: str, dim: int) -> None:
    found = density_of(text, dim)
    facts = ks.analyze(ks.parse(text), dim=dim)
    places = np.geomspace(0.01, 30, 60)
    radii = np.array([found.radius(float(x)) for x in places])
    values = facts.spectral_density_at(np.eye(1, dim) * radii[:, None])
    coefficients = [float(c.enclosed(30)[0]) for c in found.polynomial]
    polynomial = np.polynomial.Polynomial(coefficients)(places)
    clear = np.abs(polynomial) > 1e-9 * np.polynomial.Polynomial(np.abs(coefficients))(places)
    assert clear.sum() > 40
    assert (np.sign(values) == np.sign(polynomial))[clear].all()


@pytest.mark.parametrize(
    ("text", "dim"),
    [
        ("gaussian() - 0.1*gaussian(scale=pi)", 1),
        ("laplace() - 0.1*gaussian()", 1),
        ("laplace() - 0.1*triangle()", 1),
        ("cauchy() - 0.1*gaussian()", 1),
        ("exponential() - 0.1*exponential(scale=2)", 2),
        ("triangle() - 0.1*triangle(width=sqrt(2))", 1),
        ("gaussian() - 0.1*gaussian(scale=101/100)", 1),
    ],
)
def test_others_are_refused(text: str, dim: int) -> None:
    with pytest.raises(NotClosed):
        density_of(text, dim)


def question(text: str, dim: int) -> Question:
    return Question(ks.parse(text).symbolic_kernel(Columns(dim)))


def test_a_tie_is_proved_and_the_polynomial_printed() -> None:
    found = by_exact_signs(question("laplace() - 4*sqrt(3)/9*matern(3/2)", 1))
    assert found is not None
    assert found.positive_definite == "proved"
    assert "P(x) = x**2 - 2*x + 1" in found.reasons[0]
    assert "1 distinct root" in found.reasons[0]


@pytest.mark.parametrize(
    ("text", "dim"),
    [
        ("laplace() - 0.8*matern(3/2)", 1),
        ("laplace()*cosine(2) - 0.3*laplace()", 1),
        ("exponential() - 0.7*exponential(1/2)", 3),
        ("gaussian() - 0.6*gaussian(scale=2)", 1),
        ("gaussian() - 0.3*gaussian(scale=2)", 2),
        ("triangle() - 0.6*triangle(width=2)", 1),
    ],
)
def test_the_density_is_negative_at_the_frequency(text: str, dim: int) -> None:
    found = by_exact_signs(question(text, dim))
    assert found is not None
    assert found.positive_definite == "disproved"
    assert found.frequency is not None
    assert ks.analyze(ks.parse(text), dim=dim).spectral_density_at(np.array([found.frequency]))[0] < 0


@pytest.mark.parametrize("text", ["gaussian() - 0.1*cosine(1)", "linear() - gaussian()", "minmax() - 0.1*gaussian()"])
def test_what_has_no_density_is_left_to_others(text: str) -> None:
    assert by_exact_signs(question(text, 1)) is None
