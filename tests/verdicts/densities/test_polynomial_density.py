"""Densities as polynomials times positive functions, against the densities themselves."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.measure import measure_of
from kernelspec.verdicts.exact_signs import PolynomialDensity, polynomial_density
from kernelspec.verdicts.expansion import expanded


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
