"""Tests of `elaboration/recognition.py`."""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import ArgumentError, ParameterError, RangeError, TypeMismatchError, UnknownNameError
from kernelspec.expressions.formula import Formula
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.nodes.sums_and_products import Product
from kernelspec.limits import MAX_FACTORS


def shape(text: str, dim: int = 2, **params: float) -> Formula:
    kernel = ks.parse(text, params=params).kernel(Columns(dim))
    assert isinstance(kernel, FormulaProduct)
    return kernel.shape


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("param s = 2\nproduct(t -> 1/(1 + t/s))", "t -> 1/(1 + t/2)"),
        ("param s = sqrt(2)\nproduct(t -> 1/(1 + t/s))", "t -> 1/(1 + t/sqrt(2))"),
        ("param s\nlet rate = 2*s\nproduct(t -> 1/(1 + rate*t))", "t -> 1/(1 + (2*3)*t)"),
        ("let half = 1/2\nlet root = half**half\nproduct(t -> 1/(1 + root*t))", "t -> 1/(1 + 0.5**0.5*t)"),
        ("product(t -> 1/(1 + t/d))", "t -> 1/(1 + t/2)"),
        ("product(t -> 1/(1 + t*pi))", "t -> 1/(1 + t*pi)"),
        ("param t = 5\nlet u = t\nproduct(t -> 1/(1 + t/u))", "t -> 1/(1 + t/5)"),
        ("let f = r -> 1/(1 + r)\nproduct(f)", "t -> 1/(1 + t)"),
    ],
)
def test_parameters_lets_and_constants_are_written_out(text: str, plain: str) -> None:
    params = {"s": 3.0} if "param s\n" in text else {}
    assert shape(text, **params) == shape(f"product({plain})")


def test_free_parameters_are_symbols_where_symbols_are() -> None:
    spec = ks.parse("param s > 0\nproduct(t -> 1/(1 + t/s))")
    kernel = spec.symbolic_kernel(Columns(1))
    assert isinstance(kernel, FormulaProduct)
    (symbol,) = kernel.shape.unknowns()
    assert symbol.is_positive
    with pytest.raises(ParameterError, match="parameter 's' has no value"):
        spec.kernel(Columns(1))


def test_ranges_of_parameters_hold_inside_formulas() -> None:
    with pytest.raises(ParameterError, match="must be > 0"):
        ks.parse("param s > 0\nproduct(t -> exp(-t/s))", params={"s": -1})


@pytest.mark.parametrize(
    ("formula", "error", "message", "underlined"),
    [
        ("t -> exp(-u)", UnknownNameError, "unknown name 'u' in a formula; the variable is 't'", "u"),
        ("time -> exp(-tim)", UnknownNameError, "did you mean 'time'", "tim"),
        ("t -> gaussian()", TypeMismatchError, "can only use numbers, but gaussian() is a kernel", "gaussian()"),
        ("t -> stretch(t, 2)", TypeMismatchError, "can only use numbers, but stretch() is a kernel", "stretch(t, 2)"),
        ("t -> [t, 1]", TypeMismatchError, "can only use numbers and 't'", "[t, 1]"),
        ("t -> exp", TypeMismatchError, "'exp' is a function: write exp(…)", "exp"),
        ("t -> expp(t)", UnknownNameError, "unknown function 'expp' in formulas; did you mean 'exp'", "expp"),
        ("t -> cot(t)", UnknownNameError, "unknown function 'cot'", "cot"),
        ("t -> besselj(t, 1)", TypeMismatchError, "the order of besselj(order, t) must not depend on 't'", "t"),
        ("t -> exp(t, 2)", ArgumentError, "exp() needs one number", "exp(t, 2)"),
        ("t -> max(t)", ArgumentError, "max() needs two numbers", "max(t)"),
        ("t -> exp(x=t)", ArgumentError, "exp() needs one number", "exp(x=t)"),
        ("t -> t/(1 - 1)", RangeError, "division by zero", "t/(1 - 1)"),
        ("t -> exp(-t**0.5**1e9)", RangeError, "this number is too small for a formula", "0.5**1e9"),
        ("t -> exp(-t*exp(-1000))", RangeError, "this number is too small for a formula", "exp(-1000)"),
        ("t -> exp(-t*(3*1e308))", RangeError, "this number is too large for a formula", "3*1e308"),
        ("t -> (u -> u)", TypeMismatchError, "can only use numbers and 't'", "u -> u"),
    ],
)
def test_errors_point_at_their_place(
    formula: str, error: type[ks.KernelspecError], message: str, underlined: str
) -> None:
    text = f"gaussian() + product({formula})"
    with pytest.raises(error) as caught:
        ks.parse(text)
    assert message in caught.value.message
    assert caught.value.span.text.strip("()") == underlined.strip("()")


def test_doubling_lets_do_not_fill_the_memory() -> None:
    lines = ["let a0 = sqrt(2)", *(f"let a{i} = a{i - 1} + a{i - 1}*a{i - 1}" for i in range(1, 50))]
    with pytest.raises(RangeError, match="2,000 terms"):
        ks.parse("\n".join([*lines, "product(t -> exp(-t*a20))"]))
    chain = ["let b0 = sqrt(2)", *(f"let b{i} = exp(-b{i - 1})" for i in range(1, 80))]
    with pytest.raises(RangeError, match="60 levels"):
        ks.parse("\n".join([*chain, "product(t -> exp(-t*b79))"]))


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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(("formula", "kernel"), ON_A_LINE)
def test_recognised_on_one_column_alone(formula: str, kernel: str) -> None:
    spec = ks.parse(f"radial(r -> {formula})")
    rows = np.random.default_rng(0).standard_normal((5, 1))
    np.testing.assert_allclose(spec.gram(rows), ks.parse(kernel).gram(rows), rtol=1e-12, atol=1e-14)
    assert not any(isinstance(part, FormulaRadial) for part in spec.kernel(Columns(1)).parts())
    assert any(isinstance(part, FormulaRadial) for part in spec.kernel(Columns(2)).parts())


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.parametrize("formula", ["exp(-t**3)", "1/(1 + t**4)", "(1 + t/2)*exp(-2*t)", "(1 + 2*t)*exp(-t)"])
def test_others_stay_formulas_recognition(formula: str) -> None:
    assert "product(t ->" in ks.analyze(f"product(t -> {formula})", dim=1).verdict.reasons[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("formula", "kernel", "density"),
    [
        ("exp(-t)", "laplace()", lambda w: 1 / np.pi / (1 + w * w)),
        ("max(0, 1 - t/2)", "triangle(width=2)", lambda w: (1 - np.cos(2 * w)) / (2 * np.pi * w * w)),
        ("cosh(t) - sinh(t)", "laplace()", lambda w: 1 / np.pi / (1 + w * w)),
        ("2/t**2*(1 - cos(t))", "sinc(bandwidth=1/2)**2", lambda w: np.maximum(0, 1 - abs(w))),
    ],
)
def test_polya_kernels_of_the_catalogue(formula: str, kernel: str, density: Callable[[np.ndarray], np.ndarray]) -> None:
    spec = ks.parse(f"product(t -> {formula})")
    np.testing.assert_allclose(spec.gram(ROWS), ks.parse(kernel).gram(ROWS), rtol=1e-12, atol=1e-14)
    omega = np.array([[0.3], [0.8], [2.5]])
    facts = ks.analyze(spec, dim=1)
    np.testing.assert_allclose(facts.spectral_density_at(omega), density(omega[:, 0]), rtol=1e-12, atol=1e-15)
    assert not facts.spectral_density.has(sympy.Integral)


def test_other_polya_kernels_stay_formulas() -> None:
    assert "a Polya kernel" in ks.analyze("product(t -> 1/(1 + t))", dim=1).verdict.reasons[0]


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("formula", "kernel"),
    [
        ("product(t -> (1 + cos(t))/2)", "0.5*cosine(by=1) + 0.5*constant()"),
        ("product(t -> cos(t)**2)", "cosine(by=1)*cosine(by=1)"),
        ("product(t -> cos(t)**3)", "cosine(by=1)*cosine(by=1)*cosine(by=1)"),
        ("product(t -> exp(2*(cos(t) - 1)))", "periodic(2*pi, scale=sqrt(1/2))"),
        ("product(t -> exp(-2*sin(pi*t/3)**2/4))", "periodic(3, scale=2)"),
        ("radial(r -> exp(cos(2*r) - 1))", "periodic(pi)"),
        ("product(t -> (sin(t)/t)**2)", "sinc()*sinc()"),
        ("radial(r -> sin(2*r)**3/(2*r)**3)", "sinc(2)*sinc(2)*sinc(2)"),
        ("radial(r -> cosh(r) - sinh(r))", "exponential()"),
        ("radial(r -> exp(-2*r)*(cosh(r) + 2*sinh(r)))", "1.5*exponential() - 0.5*exponential(1/3)"),
        ("radial(r -> (1 + r)*exp(-2*r)*exp(r))", "matern(nu=3/2, scale=sqrt(3))"),
    ],
)
def test_on_one_column(formula: str, kernel: str) -> None:
    columns = Columns(1)
    assert str(ks.parse(formula).kernel(columns)) == str(ks.parse(kernel).kernel(columns))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["product(t -> {})", "radial(t -> {})"])
@pytest.mark.parametrize(
    ("formula", "exact"),
    [
        ("cosh(t) - sinh(t)", lambda t: mp.exp(-t)),
        ("exp(-2*t)*(cosh(t) + 2*sinh(t))", lambda t: 1.5 * mp.exp(-t) - 0.5 * mp.exp(-3 * t)),
        ("exp(-3*t)*cosh(t)**2", lambda t: mp.exp(-3 * t) * mp.cosh(t) ** 2),
        ("exp(-t**2)*cosh(t)", lambda t: mp.exp(-(t**2)) * mp.cosh(t)),
        ("cosh(sqrt(2)*t)*exp(-2*t)", lambda t: mp.cosh(mp.sqrt(2) * t) * mp.exp(-2 * t)),
        ("exp(t)*exp(-3*t)*cos(t)", lambda t: mp.exp(-2 * t) * mp.cos(t)),
        ("sinh(t)/t*exp(-2*t)", lambda t: mp.sinh(t) / t * mp.exp(-2 * t)),
        ("2/t*(1 - (1 - exp(-t))/t)", lambda t: 2 / t * (1 - (1 - mp.exp(-t)) / t)),
        ("2/t**2*(1 - cos(t))", lambda t: 2 / t**2 * (1 - mp.cos(t))),
        ("t**-1*log(1 + t)", lambda t: mp.log1p(t) / t),
        ("1/t - exp(-t)/t", lambda t: -mp.expm1(-t) / t),
    ],
)
def test_formulas_that_overflow_or_have_a_removable_point(
    form: str, formula: str, exact: Callable[[mp.mpf], mp.mpf]
) -> None:
    """On one column, from lags where floats cancel to lags where exponentials overflow."""
    lags = [1e-10, 1e-5, 0.3, 2.0, 30.0, 800.0]
    found = ks.parse(form.format(formula)).gram([[0.0], *([t] for t in lags)])[0]
    with mp.workdps(40):
        expected = [1.0, *(float(exact(mp.mpf(t))) for t in lags)]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)


@pytest.mark.slow
@pytest.mark.parametrize(
    "formula",
    ["2 - cosh(t)*exp(-t/2)", "exp(-t) + 0*(1 - t)**0.5", "exp(-t) + 0/(2 - t)", "cosh(t)*exp(-2*t) + 0*log(2 - t)"],
)
def test_exponentials_that_grow_and_values_that_are_not_real_are_refused(formula: str) -> None:
    with pytest.raises(RangeError, match="not a real number at t = "):
        ks.parse(f"product(t -> {formula})")
