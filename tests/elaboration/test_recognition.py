"""Formulas that are kernels of the catalogue: recognised, with the same values; others are left as they are."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.kernels.formula import FormulaProduct
from kernelspec.kernels.nodes.product import Product
from kernelspec.limits import MAX_FACTORS

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
def test_others_stay_formulas(formula: str) -> None:
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
