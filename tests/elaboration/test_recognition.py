"""Tests of `elaboration/recognition.py`."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.nodes.product import Product
from kernelspec.limits import MAX_FACTORS

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


ROWS = np.random.default_rng(0).standard_normal((5, 2))


@pytest.mark.parametrize(
    ("formula", "kernel"),
    [
        ("exp(-t**2)", "gaussian(scale=sqrt(1/2))"),
        ("exp(-t**2/8)", "gaussian(scale=2)"),
        ("exp(-3*t*t)*exp(-t**2)", "gaussian(scale=sqrt(1/8))"),
        ("2**(-t**2)", "gaussian(scale=sqrt(1/(2*log(2))))"),
        ("1/(1 + t**2)", "cauchy()"),
        ("4/(4 + t**2)", "cauchy(scale=2)"),
        ("(1 + t)*exp(-t)", "matern(nu=3/2, scale=sqrt(3))[0]*matern(nu=3/2, scale=sqrt(3))[1]"),
        ("(1 + 2*t + 4*t**2/3)*exp(-2*t)", "matern(5/2, sqrt(5)/2)[0]*matern(5/2, sqrt(5)/2)[1]"),
        ("cos(3*t)", "cosine(by=3)[0]*cosine(by=3)[1]"),
        ("sin(2*t)/(2*t)", "sinc(bandwidth=2)"),
        ("exp(-t)*cos(t)", "laplace()*(cosine(by=1)[0]*cosine(by=1)[1])"),
        ("exp(-t)*exp(-t**2/2)", "laplace()*gaussian()"),
    ],
)
def test_formulas_of_the_catalogue(formula: str, kernel: str) -> None:
    spec = ks.parse(f"product(t -> {formula})")
    np.testing.assert_allclose(spec.gram(ROWS), ks.parse(kernel).gram(ROWS), rtol=1e-12, atol=1e-14)
    facts = ks.analyze(spec, dim=2)
    assert facts.verdict.positive_definite == "proved"
    features = ks.compile(spec, dim=2, n_features=64, seed=0).transform(ROWS)
    assert features.shape == (5, 4 if "cos(3" in formula else 64)  # two pairs of frequencies are all there are
    assert ks.parse(str(spec)) == spec


@pytest.mark.parametrize(
    "formula", ["exp(-t**3)", "1/(1 + t**4)", "(1 + t/2)*exp(-2*t)", "(1 + 2*t)*exp(-t)", "cos(t)**3"]
)
def test_others_stay_formulas_recognition(formula: str) -> None:
    assert "product(t ->" in ks.analyze(f"product(t -> {formula})", dim=1).verdict.reasons[0]


def test_polya_kernels_stay_formulas() -> None:
    assert "a Polya kernel" in ks.analyze("product(t -> exp(-t))", dim=1).verdict.reasons[0]


def test_on_an_unknown_number_of_columns() -> None:
    assert ks.analyze("product(t -> exp(-t**2))").verdict.positive_definite == "proved"
    assert ks.analyze("param s > 0\nproduct(t -> exp(-t**2/s))").verdict.positive_definite == "proved"
    assert ks.analyze("param s\nproduct(t -> exp(-t**2/s))", dim=1).verdict.positive_definite == "unknown"


def test_a_product_of_more_cosines_than_a_product_may_have_factors_stays_a_formula() -> None:
    few, many = (ks.parse("product(t -> cos(t))").kernel(Columns(dim)) for dim in (MAX_FACTORS, MAX_FACTORS + 1))
    assert isinstance(few, Product)
    assert len(few.factors) == MAX_FACTORS
    assert isinstance(many, FormulaProduct)
    twice = ks.parse("product(t -> cos(t)*cos(3*t))")
    assert isinstance(twice.kernel(Columns(MAX_FACTORS // 2)), Product)
    assert isinstance(twice.kernel(Columns(MAX_FACTORS // 2 + 1)), FormulaProduct)
    rows = np.random.default_rng(1).normal(scale=0.01, size=(3, MAX_FACTORS + 1))
    lags = rows[:, None] - rows[None]
    np.testing.assert_allclose(ks.parse("product(t -> cos(t))").gram(rows), np.cos(lags).prod(axis=-1), rtol=1e-10)
