"""Tests of `verdicts/exact_signs.py`."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.measure import measure_of
from kernelspec.verdicts.decision import expanded
from kernelspec.verdicts.exact_signs import (
    PolynomialDensity,
    by_exact_signs,
    polynomial_densities,
    polynomial_density,
)
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
    ("text", "count"),
    [
        ("sinc()**2 - 0.6*sinc()", 2),
        ("sinc(bandwidth=sqrt(2))*sinc(bandwidth=3) - 0.2*sinc(bandwidth=pi)", 3),
        ("cauchy()**2 - 0.7*cauchy()", 1),
        ("cauchy() - cauchy(scale=2) + 0.3*cauchy(scale=3)", 1),
        ("cauchy()*sinc() - 0.7*cauchy()", 2),
        ("cauchy()*sinc() - 0.1*sinc(bandwidth=3) + 0.1*cauchy(scale=2)", 3),
    ],
)
def test_on_every_interval_the_quotient_has_one_sign(text: str, count: int) -> None:
    found = polynomial_densities(measure_of(expanded(ks.parse(text).symbolic_kernel(Columns(1)))))
    facts = ks.analyze(ks.parse(text), dim=1)
    places = np.geomspace(0.03, 30, 40)
    assert len(found) == count
    for density in found:
        radii = np.array([density.radius(float(x)) for x in places])
        values = facts.spectral_density_at(radii[:, None])
        coefficients = [float(c.enclosed(30)[0]) for c in density.polynomial]
        polynomial = np.polynomial.Polynomial(coefficients)(places)
        clear = np.abs(polynomial) > 1e-9 * np.polynomial.Polynomial(np.abs(coefficients))(places)
        assert clear.sum() > 30
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
        ("sinc()**3 - 0.6*sinc()", 1),
        ("cauchy() - 2*cauchy(scale=2) + 1.3*cauchy(scale=3)", 1),
        ("cauchy()*sinc() - 0.7*cauchy()", 1),
    ],
)
def test_the_density_is_negative_at_the_frequency(text: str, dim: int) -> None:
    found = by_exact_signs(question(text, dim))
    assert found is not None
    assert found.positive_definite == "disproved"
    assert found.frequency is not None
    assert ks.analyze(ks.parse(text), dim=dim).spectral_density_at(np.array([found.frequency]))[0] < 0


def test_rates_without_a_common_divisor_are_refused() -> None:
    for text in ("cauchy()**2 - 0.1*cauchy(scale=2)", "cauchy() - 0.1*cauchy(scale=sqrt(2)) - 0.1*cauchy(scale=2)"):
        with pytest.raises(NotClosed):
            polynomial_densities(measure_of(expanded(ks.parse(text).symbolic_kernel(Columns(1)))))


def test_breakpoints_are_stated() -> None:
    found = by_exact_signs(question("sinc(bandwidth=sqrt(2))**2 - 1/2*sinc(bandwidth=sqrt(2))", 1))
    assert found is not None
    assert found.positive_definite == "proved"
    assert "for 0 < |ω| < sqrt(2), x = |ω|/(sqrt(2) − |ω|)" in found.reasons[0]
    assert "for sqrt(2) < |ω| < 2*sqrt(2)" in found.reasons[1]


@pytest.mark.parametrize("text", ["gaussian() - 0.1*cosine(1)", "linear() - gaussian()", "minmax() - 0.1*gaussian()"])
def test_what_has_no_density_is_left_to_others(text: str) -> None:
    assert by_exact_signs(question(text, 1)) is None
