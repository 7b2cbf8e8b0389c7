"""Tests of `measures/algebra/closed_density.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.special import voigt_profile

import kernelspec as ks
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.measures.algebra.closed_density import (
    closed_expression,
    closed_numbers,
    closed_parts,
)
from tests.measures.algebra import referees as r

LINE = {
    "gaussian(2)*laplace(0.7)": r.product(r.gaussian(2), r.laplace(0.7)),
    "gaussian()*matern(nu=3/2)*matern(nu=5/2, scale=2)": r.product(r.gaussian(), r.matern(3), r.matern(5, 2)),
    "triangle(2)*gaussian(3)": r.product(r.triangle(2), r.gaussian(3)),
    "triangle(2)*triangle(3)*cosine(2)": r.product(r.triangle(2), r.triangle(3), r.cosine(2)),
    "tilt(laplace(), by=0.5)*matern(nu=3/2)": r.product(r.tilted(r.laplace(), 0.5), r.matern(3)),
    "shift(laplace(), by=1)*gaussian(2)": r.product(r.shifted(r.laplace(), 1), r.gaussian(2)),
    "shift_gaussian(by=1)*laplace()": r.product(r.shifted(r.gaussian(), 1), r.laplace()),
    "sinh_gaussian(by=1)*laplace()": lambda t: mp.exp(-t * t / 2 - abs(t)) * (1 + mp.sinh(t)),
    "cauchy()*gaussian(2)": r.product(r.cauchy(), r.gaussian(2)),
    "sinc(2)*gaussian()": r.product(r.sinc(2), r.gaussian()),
    "cosh_gaussian(by=1)*cauchy()": r.product(r.tilted(r.gaussian(), 1), r.cauchy()),
    "cauchy()*laplace(2)": r.product(r.cauchy(), r.laplace(2)),
    "sinc()*laplace()": r.product(r.sinc(), r.laplace()),
    "rational_quadratic(alpha=2)*matern(nu=3/2)": r.product(r.rational_quadratic(2), r.matern(3)),
    "triangle(3)*cauchy()": r.product(r.triangle(3), r.cauchy()),
    "triangle(2)*sinc(3)": r.product(r.triangle(2), r.sinc(3)),
    "shift(laplace(), by=1)*cauchy()": r.product(r.shifted(r.laplace(), 1), r.cauchy()),
    "tilt(laplace(), by=0.5)*sinc()": r.product(r.tilted(r.laplace(), 0.5), r.sinc()),
    "(gaussian() + 2*laplace())*triangle(2)": lambda t: (r.gaussian()(t) + 2 * r.laplace()(t)) * r.triangle(2)(t),
    "stretch(laplace(), 2)*bochner(student_t(dof=3))": r.product(r.laplace(2), r.matern(3)),
    "polya(gamma(shape=3))*laplace()": lambda t: mp.exp(-2 * abs(t)) * (1 + abs(t) / 2),
}
BREAKS = (-3.0, -2.0, -1.0, 1.0, 2.0, 3.0)


@pytest.mark.long
@pytest.mark.parametrize("text", LINE)
def test_values_and_forms_on_a_line(text: str) -> None:
    omega = np.array([0.0, 0.4, -1.7, 6.0])
    expected = np.array([r.density(LINE[text], at, breaks=BREAKS) for at in omega])
    found = closed_numbers(r.measure_of_text(text), omega[:, None])
    assert found is not None
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)
    symbol = sympy.Symbol("omega", real=True)
    measure = r.measure_of_text(text, symbolic=True)
    form = closed_expression(measure, SymbolicPairs.frequency(1))
    parts = closed_parts(measure, SymbolicPairs.frequency(1))
    assert form is not None
    assert parts is not None
    assert form.free_symbols <= {symbol}
    compute = sympy.lambdify(symbol, [form, *parts], "mpmath")
    with mp.workdps(40):  # what cancels leaves more than enough
        rows = [[complex(value) for value in compute(mp.mpf(str(at)))] for at in omega]
    stated, real, imaginary = np.array(rows).T
    np.testing.assert_allclose(stated, expected, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(real + 1j * imaginary, expected, rtol=1e-11, atol=1e-13)
    if not measure.is_complex:
        assert (
            not sympy.Add(form)
            .replace(sympy.re, lambda e: sympy.S.One)
            .replace(sympy.im, lambda e: sympy.S.One)
            .has(sympy.I)
        )


def test_tail_of_voigts_profile() -> None:
    """Over twelve decades against the leading terms of Voigt's tail and SciPy's profile."""
    omega = 10.0 ** np.linspace(-6, 6, 49)
    found = closed_numbers(r.measure_of_text("gaussian(1.5)*laplace(0.7)"), omega[:, None])
    np.testing.assert_allclose(found, voigt_profile(omega, 1 / 1.5, 1 / 0.7), rtol=1e-11)


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "k", "dim"),
    [
        ("matern(nu=3/2)*matern(nu=5/2, scale=2)", r.product(r.matern(3), r.matern(5, 2)), 2),
        ("matern(nu=3/2)*exponential(2)", r.product(r.matern(3), r.laplace(2)), 5),
        ("gaussian(2)*matern(nu=3/2)", r.product(r.gaussian(2), r.matern(3)), 3),
        ("gaussian(2)*exponential()", r.product(r.gaussian(2), r.laplace()), 5),
        (
            "(gaussian(2) + exponential())*matern(nu=5/2)",
            lambda t: (r.gaussian(2)(t) + r.laplace()(t)) * r.matern(5)(t),
            3,
        ),
    ],
)
def test_radial_products(text: str, k: r.Function, dim: int) -> None:
    direction = np.arange(1, dim + 1) / np.linalg.norm(np.arange(1, dim + 1))
    form = closed_expression(r.measure_of_text(text, dim, symbolic=True), SymbolicPairs.frequency(dim))
    for radius in (0.01, 0.6, 4.0):
        omega = radius * direction
        found = closed_numbers(r.measure_of_text(text, dim), omega[None])
        assert found is not None
        expected = r.radial_density(k, radius, dim)
        assert found[0] == pytest.approx(expected, rel=1e-10)
        stated = r.value_of(form, omega.tolist())
        assert stated.real == pytest.approx(expected, rel=1e-8)
        assert abs(stated.imag) < 1e-12


def test_a_radial_density_far_out_and_at_zero() -> None:
    """exponential · gaussian in three columns: r has the density −8π ω^{−4}/(2π)³, and the mass is a plain integral."""
    measure = r.measure_of_text("exponential()*gaussian()", 3)
    far = closed_numbers(measure, np.array([[1e5, 0, 0]]))
    assert far[0] == pytest.approx(1e-20 / np.pi**2, rel=1e-8)
    mass = mp.quad(lambda t: t * t * mp.exp(-t - t * t / 2), [0, 3, 30]) / (2 * mp.pi**2)
    assert closed_numbers(measure, np.zeros((1, 3)))[0] == pytest.approx(float(mass), rel=1e-12)


def test_a_tilted_gaussian_times_a_radial_kernel() -> None:
    """In three columns, against a grid in cylindrical coordinates about the direction of the tilt and of ω."""
    measure = r.measure_of_text("cosh_gaussian(by=[0.5, 0, 0])*exponential()", 3)
    omega = np.array([0.7, 0.0, 0.0])
    x, w = np.polynomial.legendre.leggauss(400)
    cosine, cosine_weights = np.polynomial.legendre.leggauss(60)
    radius, weights = 6 * (x + 1), 6 * w
    inner = np.exp((0.5 - 0.7j) * radius[:, None] * cosine) @ cosine_weights
    expected = np.sum(weights * radius**2 * np.exp(-radius - radius**2 / 2) * inner) * 2 * np.pi / (2 * np.pi) ** 3
    np.testing.assert_allclose(closed_numbers(measure, omega[None]), [expected], rtol=1e-9)


@pytest.mark.long
def test_products_over_the_columns() -> None:
    """sinh and shifted Gaussians times Laplace: sums of products of Voigt profiles at complex frequencies."""
    omega = np.array([[0.3, -1.1]])
    found = closed_numbers(r.measure_of_text("shift_gaussian(by=[1, 0.5])*laplace()", 2), omega)
    factors = [r.density(r.product(r.shifted(r.gaussian(), by), r.laplace()), at) for by, at in ((1, 0.3), (0.5, -1.1))]
    np.testing.assert_allclose(found, [factors[0] * factors[1]], rtol=1e-11)


@pytest.mark.long
def test_the_form_of_an_odd_part_over_the_columns() -> None:
    form = closed_expression(
        r.measure_of_text("sinh_gaussian(by=[1, 1/2])*triangle()", 2, symbolic=True), SymbolicPairs.frequency(2)
    )
    assert form is not None
    stated = r.value_of(form, [sympy.Rational(3, 10), sympy.Rational(-11, 10)])
    lag = r.product(r.triangle(), r.gaussian())
    sides = [[r.density(r.tilted(lag, sign * b), at) for b, at in ((1, 0.3), (0.5, -1.1))] for sign in (0, 1, -1)]
    products = [np.prod(side) for side in sides]
    assert stated == pytest.approx(products[0] + (products[1] - products[2]) / 2, rel=1e-10)


@pytest.mark.long
def test_any_number_of_columns() -> None:
    """With d a symbol, and then a number: the same as with the number from the start."""
    form = closed_expression(
        r.measure_of_text("matern(nu=3/2)*matern(nu=5/2)", None, symbolic=True),
        SymbolicPairs.frequency(sympy.Symbol("d", integer=True, positive=True)),
    )
    assert form is not None
    assert not form.has(sympy.Integral)
    square = next(iter(form.atoms(sympy.Sum)))
    d = next(symbol for symbol in form.free_symbols if symbol.name == "d")
    for dim in (1, 2, 3, 8):
        omega = np.full((1, dim), 0.4)
        value = float(form.subs(square, sympy.Rational(16, 100) * dim).subs(d, dim).evalf(20))
        assert value == pytest.approx(
            float(closed_numbers(r.measure_of_text("matern(nu=3/2)*matern(nu=5/2)", dim), omega)[0]), rel=1e-12
        )


@pytest.mark.parametrize(
    ("text", "dim"),
    [("gaussian()*laplace()", 1), ("cauchy()*gaussian()", 1), ("shift_gaussian(by=1)*exponential()", 3)],
)
def test_frequencies_whose_squares_are_no_floats(text: str, dim: int) -> None:
    found = closed_numbers(r.measure_of_text(text, dim), np.array([[1e300] * dim, [0.5] * dim]))
    assert found[0] == 0
    assert np.abs(found[1]) > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "powered_exponential(alpha=1/2, scale=2)", "powered_exponential(alpha=3/2, scale=2)",
        "product(t -> 1/cosh(2*t))", "radial(r -> r/sinh(r))", "matern(nu=1)**2",
        "matern(nu=0.8, scale=2)**2", "sinc()*triangle()", "sinc(2)*triangle(3)",
    ],
)  # fmt: skip
def test_forms_that_pieces_do_not_give(text: str) -> None:
    """Against quadrature of k, or of the law of the scale, also at 0, ±1 and ±2, where single terms have poles."""
    facts = ks.analyze(text, dim=1)
    found = facts.spectral_density
    assert not found.has(sympy.Integral)
    (omega,) = found.free_symbols
    places = [0, sympy.Rational(1, 2), 1, 2, 5]
    values = [complex(found.subs(omega, place).evalf(25)).real for place in places]
    expected = facts.spectral_density_at(np.array(places, dtype=float)[:, None])
    np.testing.assert_allclose(values, expected, rtol=1e-10, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("a", ["1/3", "1", "5/2"])
def test_two_boxes_with_a_free_width(a: str) -> None:
    found = ks.analyze("param a > 0\nsinc(a)*sinc(1)", dim=1).spectral_density
    symbols = {symbol.name: symbol for symbol in found.free_symbols}
    places = [0.0, 0.4, 0.7, 1.2, 1.6, 3.6]
    values = [float(found.subs({symbols["a"]: sympy.Rational(a), symbols["omega"]: place})) for place in places]
    expected = ks.analyze(f"sinc({a})*sinc(1)", dim=1).spectral_density_at(np.array(places)[:, None])
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-15)
