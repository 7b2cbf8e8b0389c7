"""Forms on a line: short, real for symmetric kernels, with symbols, and defined where their terms have poles."""

from __future__ import annotations

import pytest
import sympy

from kernelspec.measures.algebra.line_density import line_expression, line_parts
from tests.measures.algebra import referees as r

OMEGA = sympy.Symbol("omega", real=True)


def form(text: str) -> sympy.Expr:
    return line_expression(r.measure_of_text(text, symbolic=True), OMEGA)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sinc(2)*laplace(1/3)", (sympy.atan((OMEGA + 2) / 3) - sympy.atan((OMEGA - 2) / 3)) / (4 * sympy.pi)),
        ("laplace()*exponential(1/2)", 3 / sympy.pi / (9 + OMEGA**2)),
        ("cauchy()*cauchy()", (1 + sympy.Abs(OMEGA)) * sympy.exp(-sympy.Abs(OMEGA)) / 4),
    ],
)
def test_known_forms(text: str, expected: sympy.Expr) -> None:
    for at in (sympy.Rational(-7, 3), sympy.S.Zero, sympy.Integer(4)):
        assert float((form(text) - expected).subs(OMEGA, at).evalf(20)) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "most"),
    [("gaussian()*triangle(2)", 60), ("gaussian()*laplace(2)*triangle(2)", 70), ("triangle(2)*cauchy()", 110)],
)
def test_the_shorter_of_two_forms(text: str, most: int) -> None:
    """With the imaginary unit inside a real part, where special functions of complex numbers are needed."""
    found = form(text)
    assert found.count_ops() <= most
    assert not found.replace(sympy.re, lambda e: sympy.S.One).has(sympy.I)


@pytest.mark.long
@pytest.mark.parametrize(
    "text", ["triangle(2)**2", "triangle(2)*triangle(3)", "triangle(2)*cauchy()", "triangle()*sinc(2)"]
)
def test_poles_that_cancel(text: str) -> None:
    """At ω = 0, and where the density of the other factor has an end, single terms are infinite."""
    for at in (0, 2, -2):
        value = form(text).subs(OMEGA, at).evalf(15)
        near = form(text).subs(OMEGA, at + sympy.Rational(1, 10**9)).evalf(40)
        assert float(value) == pytest.approx(float(near), abs=1e-8)


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "gaussian({0})*laplace({1})",
        "cauchy({0})*matern(nu=3/2, scale={1})",
        "triangle({0})*laplace({1})",
        "matern(nu=3/2, scale={0})*matern(nu=5/2, scale={1})",
    ],
)
def test_symbols_before_and_after(text: str) -> None:
    symbolic = form("param s > 0\nparam c > 0\n" + text.format("s", "c"))
    values = {
        symbol: {"s": sympy.Rational(3, 2), "c": sympy.Rational(2, 3)}.get(symbol.name, sympy.Rational(4, 5))
        for symbol in symbolic.free_symbols
    }
    assert {symbol.name for symbol in symbolic.free_symbols} == {"s", "c", "omega"}
    plain = form(text.format("1.5", "2/3")).subs(OMEGA, sympy.Rational(4, 5))
    assert float(symbolic.subs(values).evalf(20)) == pytest.approx(float(plain.evalf(20)), rel=1e-14)


def test_real_and_imaginary_part() -> None:
    measure = r.measure_of_text("tilt(laplace(), by=1/2)*matern(nu=3/2)", symbolic=True)
    real, imaginary = line_parts(measure, OMEGA)
    assert not real.has(sympy.I)
    assert not imaginary.has(sympy.I)
    assert real.subs(OMEGA, -OMEGA).equals(real)
    assert imaginary.subs(OMEGA, -OMEGA).equals(-imaginary)


@pytest.mark.parametrize(
    "text",
    [
        "gaussian()*laplace()",
        "cauchy()*gaussian()",
        "sinh_gaussian(by=1)*triangle()",
        "rational_quadratic(alpha=2)*triangle()",
    ],
)
def test_products_of_two_are_short(text: str) -> None:
    assert form(text).count_ops() <= 150
