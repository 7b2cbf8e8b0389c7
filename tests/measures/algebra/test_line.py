"""Tests of `measures/algebra/line.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy

from kernelspec.errors import NoDensityError
from kernelspec.measures.algebra.line import gathered_terms
from kernelspec.measures.algebra.numeric_density import LineNumbers
from kernelspec.measures.algebra.symbolic_density import line_expression, line_parts
from tests.measures.algebra import referees as r

OMEGA = sympy.Symbol("omega", real=True)


@pytest.mark.slow
def test_opposite_arguments_and_equal_exponentials() -> None:
    z = 1 - sympy.I * OMEGA
    first = (2 + z) * (sympy.erf(z + 1) - sympy.erf(z)) * sympy.exp(z**2)
    second = (2 - z) * (sympy.erf(1 - z) - sympy.erf(-z)) * sympy.exp((-z) ** 2)
    whole = (first + second + sympy.exp(-2 * sympy.I * OMEGA)) / (2 * sympy.pi)
    found = gathered_terms(whole)
    assert found.count_ops() < 0.9 * whole.count_ops()
    assert len(found.atoms(sympy.erf)) == 3
    for place in (0.3, -2.2):
        assert complex(found.subs(OMEGA, place).evalf()) == pytest.approx(
            complex(whole.subs(OMEGA, place).evalf()), rel=1e-12
        )


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


@pytest.mark.slow
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
        "gaussian({0})*laplace({1})", "cauchy({0})*matern(nu=3/2, scale={1})", "triangle({0})*laplace({1})",
        "matern(nu=3/2, scale={0})*matern(nu=5/2, scale={1})",
    ],
)  # fmt: skip
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "gaussian()*laplace()", "cauchy()*gaussian()", "sinh_gaussian(by=1)*triangle()",
        "rational_quadratic(alpha=2)*triangle()",
    ],
)  # fmt: skip
def test_products_of_two_are_short(text: str) -> None:
    assert form(text).count_ops() <= 150


DECADES = 10.0 ** np.arange(-6, 7)


def down(k: r.Function, start: float, omega: float) -> complex:
    """∫_start^∞ k(t) e^{−iωt} dt along the imaginary direction, for entire k (Cauchy's theorem)."""
    depth = mp.mpf(90) / omega
    inner = mp.quad(lambda y: k(start - 1j * y) * mp.exp(-omega * y), [depth * i / 6 for i in range(7)])
    return complex(-1j * mp.expj(-omega * start) * inner)


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "k"),
    [
        ("gaussian()*matern(nu=5/2)", r.product(r.matern(5), r.gaussian())),
        ("matern(nu=3/2)*laplace(2)", lambda t: r.matern(3)(t) * mp.exp(-t / 2)),
        ("sinc(2)*matern(nu=3/2)", lambda t: mp.sinc(2 * t) * r.matern(3)(t)),
    ],
)
def test_far_out(text: str, k: r.Function) -> None:
    with mp.workdps(40):
        omega = 10.0 ** np.arange(2.5, 7)
        expected = [down(k, 0, at).real / np.pi for at in omega]
    np.testing.assert_allclose(LineNumbers(r.measure_of_text(text))(omega), expected, rtol=1e-11)


@pytest.mark.long
def test_far_out_with_breakpoints() -> None:
    """In units of the envelope, the sum of the moduli from the three breakpoints."""
    with mp.workdps(40):
        for at in (300.0, 1e4, 1e6):
            k = lambda t: (1 - t / 2) * mp.exp(-t)  # noqa: E731
            parts = [down(k, 0, at), -down(k, 2, at)]
            found = LineNumbers(r.measure_of_text("triangle(2)*laplace()"))(np.array([at]))[0]
            assert abs(found - sum(parts).real / np.pi) <= (1e-11 + 4e-16 * at) * sum(map(abs, map(np.real, parts)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("laplace()*matern(nu=3/2, scale=1.000000000001)", "laplace()*matern(nu=3/2)"),
        ("cauchy()*cauchy(1.000000000001)", "cauchy()**2"),
        ("triangle()*triangle(1.000000000001)", "triangle()**2"),
        ("sinc()*sinc(1.000000000001)", "sinc()**2"),
        ("tilt(laplace(), by=0.000000000001)*cauchy()", "laplace()*cauchy()"),
        ("shift(laplace(), by=0.000000000001)*triangle()", "laplace()*triangle()"),
        ("gaussian(1e8)*laplace()", "laplace()"), ("gaussian(1e8)*triangle()", "triangle()"),
        ("triangle(1e12)*laplace()", "laplace()"), ("sinc(0.0000001)*laplace()", "laplace()"),
        ("cauchy(1e9)*matern(nu=3/2)", "matern(nu=3/2)"),
    ],
)  # fmt: skip
def test_limits_are_continuous(text: str, other: str) -> None:
    omega = np.array([0.0, 0.01, 0.7, 3.0, 12.0])
    found = r.measure_of_text(text).density(omega[:, None])
    np.testing.assert_allclose(found, r.measure_of_text(other).density(omega[:, None]), rtol=1e-6, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("text", ["gaussian({})*laplace({})", "triangle({})*laplace({})", "cauchy({})*laplace({})"])
def test_scales_move_the_frequency(text: str, size: float) -> None:
    omega = np.array([0.0, *DECADES])
    found = LineNumbers(r.measure_of_text(text.format(size, size)))(omega / size) / size
    plain = LineNumbers(r.measure_of_text(text.format(1, 1)))(omega)
    envelope = np.maximum(np.abs(plain), 1e-3 / (1 + omega**2))
    assert np.abs(found - plain).max(where=omega < 1e4, initial=0) <= 1e-10 * envelope.max()
    assert (np.abs(found - plain) <= (1e-10 + 1e-15 * omega) * envelope).all()


BACK = {
    "matern(nu=5/2)*gaussian()": r.product(r.matern(5), r.gaussian()),
    "sinc(2)*gaussian()": r.product(r.sinc(2), r.gaussian()),
    "shift_gaussian(by=1)*cauchy()": r.product(r.shifted(r.gaussian(), 1), r.cauchy()),
    "tilt(matern(nu=5/2), by=0.5)*matern(nu=5/2)": r.product(r.tilted(r.matern(5), 0.5), r.matern(5)),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", BACK)
def test_the_transform_goes_back_at_other_lags(text: str) -> None:
    """k(t) = 2 Re ∫_0^∞ μ(ω) e^{iωt} dω, cut where ω^{−6} leaves 1e-9."""
    x, w = np.polynomial.legendre.leggauss(16)
    edges = np.linspace(0, 128, 257)
    omega = ((edges[:-1] + edges[1:])[:, None] / 2 + x / 4).ravel()
    density = LineNumbers(r.measure_of_text(text))(omega)
    for lag in (-1.3, 0.0, 0.4, 2.0):
        found = 2 * float(np.real(np.tile(w / 4, 256) @ (density * np.exp(1j * omega * lag))))
        assert found == pytest.approx(float(BACK[text](mp.mpf(lag))), abs=2e-9)


KINKS = {"sinh_gaussian(by=0.6)*laplace()": 1.0, "tilt(laplace(), by=0.3)*gaussian()": 1.0}
"""k(0) times half the jump of the slope at zero, where the density is that over πω² far out."""


@pytest.mark.parametrize("text", KINKS)
def test_series_that_overflow_are_not_taken(text: str) -> None:
    omega = np.geomspace(1e-3, 1e7, 400)
    found = LineNumbers(r.measure_of_text(text))(omega)
    np.testing.assert_allclose(np.abs(found[omega > 1e4]) * np.pi * omega[omega > 1e4] ** 2, KINKS[text], rtol=1e-3)
    assert np.isfinite(found).all()


def test_values_beyond_all_floats_are_refused() -> None:
    """∫_{−2}^{2} (1 − |t|/2) e^{1000 t} dt is about e^2000/2e6: nothing that digits could mend."""
    with pytest.raises(NoDensityError, match=r"exceeds 1e\+300"):
        LineNumbers(r.measure_of_text("tilt(triangle(width=2), by=1000)"))(np.array([1.0, 2.0]))


@pytest.mark.long
def test_many_frequencies_at_once_have_the_values_of_each_alone() -> None:
    """Where floats lose digits many values are those of a polynomial through some, and single ones exact."""
    measure = r.measure_of_text("matern(nu=5/2)*rational_quadratic(alpha=2)")
    omega = np.linspace(-8.9, 8.9, 80)
    together = LineNumbers(measure)
    found = together(omega)
    assert len(together._panels) == 2
    alone = [LineNumbers(measure)(omega[[i]])[0] for i in range(0, 80, 5)]
    np.testing.assert_allclose(found[::5], alone, rtol=1e-12)
