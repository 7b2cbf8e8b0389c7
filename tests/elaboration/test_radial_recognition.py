"""Formulas of the distance that are kernels of the catalogue."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.kernels.formula import FormulaRadial

KNOWN = [
    ("exp(-r)", "exponential()"),
    ("exp(-r/3)", "exponential(scale=3)"),
    ("2**(-r)", "exponential(scale=1/log(2))"),
    ("exp(-r**2)", "gaussian(scale=sqrt(1/2))"),
    ("exp(-(r/2)**1.5)", "powered_exponential(alpha=1.5, scale=2)"),
    ("1/(1 + r**2)", "rational_quadratic(alpha=1, scale=sqrt(1/2))"),
    ("4/(4 + r**2)", "rational_quadratic(alpha=1, scale=sqrt(2))"),
    ("(1 + r**2/6)**-3", "rational_quadratic(alpha=3)"),
    ("(1 + r)*exp(-r)", "matern(nu=3/2, scale=sqrt(3))"),
    ("(1 + 2*r + 4*r**2/3)*exp(-2*r)", "matern(nu=5/2, scale=sqrt(5)/2)"),
    ("2**0.25/gamma(0.75)*r**0.75*besselk(0.75, r)", "matern(nu=0.75, scale=sqrt(1.5))"),
    ("3*exp(-r) + exp(-r**2/2)/2", "3*exponential() + 0.5*gaussian()"),
    ("exp(-r) - exp(-2*r)", "exponential() - exponential(scale=1/2)"),
    ("exp(-r - r**2/2)", "exponential()*gaussian()"),
    ("(1 + r)*exp(-r)/(1 + r**2)", "matern(nu=3/2, scale=sqrt(3))*rational_quadratic(alpha=1, scale=sqrt(1/2))"),
    ("(exp(-r) + exp(-2*r))**2", "exponential(1/2) + 2*exponential(1/3) + exponential(1/4)"),
    ("2", "2*constant()"),
]

ON_A_LINE = [
    ("cos(3*r)", "cosine(by=3)"),
    ("sin(2*r)/(2*r)", "sinc(bandwidth=2)"),
    ("max(0, 2 - r)", "2*triangle(width=2)"),
    ("exp(-r)*cos(r)", "exponential()*cosine(by=1)"),
    ("exp(-r**2/2)*cos(2*r)**2", "gaussian()*cosine(by=2)*cosine(by=2)"),
]


@pytest.mark.parametrize(("formula", "kernel"), KNOWN)
@pytest.mark.parametrize("dim", [1, 3])
def test_recognised(formula: str, kernel: str, dim: int) -> None:
    spec = ks.parse(f"radial(r -> {formula})")
    found = spec.kernel(Columns(dim))
    assert not any(isinstance(part, FormulaRadial) for part in found.parts())
    assert {type(part) for part in found.parts()} == {
        type(part) for part in ks.parse(kernel).kernel(Columns(dim)).parts()
    }
    rows = np.random.default_rng(0).standard_normal((5, dim))
    np.testing.assert_allclose(spec.gram(rows), ks.parse(kernel).gram(rows), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("formula", "kernel"), ON_A_LINE)
def test_recognised_on_one_column_alone(formula: str, kernel: str) -> None:
    spec = ks.parse(f"radial(r -> {formula})")
    rows = np.random.default_rng(0).standard_normal((5, 1))
    np.testing.assert_allclose(spec.gram(rows), ks.parse(kernel).gram(rows), rtol=1e-12, atol=1e-14)
    assert not any(isinstance(part, FormulaRadial) for part in spec.kernel(Columns(1)).parts())
    assert any(isinstance(part, FormulaRadial) for part in spec.kernel(Columns(2)).parts())


@pytest.mark.parametrize("formula", ["exp(-r**3)", "1/(1 + r**4)", "(1 + r/2)*exp(-2*r)", "exp(-r**1.5)*cos(r)"])
def test_others_stay_formulas(formula: str) -> None:
    assert isinstance(ks.parse(f"radial(r -> {formula})").kernel(Columns(2)), FormulaRadial)


def test_free_parameters() -> None:
    text = "param s > 0\nparam l > 0\nparam a > 0\nradial(r -> s*(1 + (r/l)**2)**-a)"
    facts = ks.analyze(text)
    assert facts.verdict.positive_definite == "proved"
    assert str(facts.k0) == "s"
    assert "rational_quadratic(alpha=a" in facts.verdict.reasons[0]
