"""Tests of `measures/algebra/radial.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.measures.algebra.numbers import TrackedNumbers
from kernelspec.measures.algebra.numeric_density import RadialNumbers
from kernelspec.measures.algebra.pieces import Piecewise, transform
from kernelspec.measures.algebra.symbolic_density import radial_expression
from tests.measures.algebra import referees as r
from tests.measures.algebra.pieces import NUMBERS, piecewise, value
from tests.thoroughness import sweep


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "gaussian()*exponential()", "gaussian()*matern(nu=5/2)", "sinh_gaussian(by=1/3)*matern(nu=3/2)",
        "shift_gaussian(by=1/3)*exponential()", "0.5*gaussian()*exponential() + gaussian(2)",
        "exponential()*cosh_gaussian(by=1/3)", "tilt(matern(nu=3/2), by=1/4)*exponential()",
    ],
)  # fmt: skip
def test_the_form_has_the_values(text: str) -> None:
    form = radial_expression(r.measure_of_text(text, 3, symbolic=True), SymbolicPairs.frequency(3))
    numbers = RadialNumbers(r.measure_of_text(text, 3), 3)
    for row in ([0, 0, 0], [1, -2, 3]):
        stated = r.value_of(form, [sympy.Rational(v, 5) for v in row])
        assert stated == pytest.approx(complex(numbers(np.array([row]) / 5)[0]), rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["gaussian()*matern(nu=3/2)", "sinh_gaussian(by=1)*matern(nu=3/2)"])
def test_products_of_two_are_short(text: str) -> None:
    """Without the imaginary unit outside a real or imaginary part, where the kernel is symmetric."""
    form = radial_expression(r.measure_of_text(text, 3, symbolic=True), SymbolicPairs.frequency(3))
    assert form.count_ops() <= 300
    real = form.replace(sympy.re, lambda e: sympy.S.One).replace(sympy.im, lambda e: sympy.S.One)
    assert real.has(sympy.I) == ("sinh" in text)


@pytest.mark.long
@pytest.mark.parametrize("text", ["gaussian()*exponential()", "gaussian()*matern(nu=5/2)"])
def test_twelve_decades_in_three_columns(text: str) -> None:
    """Against −S₁′/2πρ, S₁ the density on the line, by a contour down the imaginary direction for high frequencies."""
    k = r.product(r.gaussian(), r.laplace() if "exp" in text else r.matern(5))
    found = RadialNumbers(r.measure_of_text(text, 3), 3)
    with mp.workdps(40):
        for radius in (1e-6, 1e-3, 0.1, 2.0):
            expected = mp.quad(lambda t, w=radius: t * mp.sin(w * t) * k(t), [0, 1, 3, 6, 14]) / (2 * mp.pi**2 * radius)
            assert found(np.array([[radius, 0, 0]]))[0] == pytest.approx(float(expected), rel=1e-11)
        for radius in (300.0, 1e4, 1e6):
            half = lambda t: mp.exp(-t * t / 2) * (mp.exp(-t) if "exp" in text else r.matern(5)(mp.mpc(t)))  # noqa: E731
            depth = mp.mpf(90) / radius
            parts = [depth * i / 6 for i in range(7)]
            whole = mp.quad(lambda y, w=radius, half=half: -1j * y * half(-1j * y) * mp.exp(-w * y), parts) * -1j
            expected = -whole.imag / (2 * mp.pi**2 * radius)
            assert found(np.array([[0, radius, 0]]))[0] == pytest.approx(float(expected), rel=1e-11)


def test_many_columns() -> None:
    found = RadialNumbers(r.measure_of_text("matern(nu=3/2)*exponential(2)", 200), 200)
    assert np.isfinite(found(np.full((3, 200), 0.1))).all()


@pytest.mark.long
@pytest.mark.parametrize(
    "text", sweep(["gaussian()*exponential()", "gaussian(2)*matern(nu=3/2) - 0.1*gaussian()"], every=2)
)
def test_many_radii_in_five_columns(text: str) -> None:
    """Those near 0, where sums cancel, and far out too: against ∫ r (sin ρr − ρr cos ρr) k(r) dr / 4π³ρ³."""
    k = r.product(r.gaussian(), r.laplace())
    if "matern" in text:
        k = lambda t: r.gaussian(2)(t) * r.matern(3)(t) - r.gaussian()(t) / 10  # noqa: E731
    radii = np.concatenate([[1e-7, 1e-3], np.linspace(0.05, 6, 60), [25.0]])
    found = RadialNumbers(r.measure_of_text(text, 5), 5)(radii[:, None] * np.eye(1, 5))
    with mp.workdps(45):
        for i in (0, 1, 10, 61, 62):
            w = mp.mpf(radii[i])
            pieces = mp.linspace(0, 24, 13 + int(3 * w))
            whole = mp.quad(lambda t, w=w: t * (mp.sin(w * t) - w * t * mp.cos(w * t)) * k(t), pieces, maxdegree=5)
            assert found[i] == pytest.approx(float(whole / (4 * mp.pi**3 * w**3)), rel=1e-10)


_RATIONAL = {
    "gaussian()*rational_quadratic(alpha=1)": lambda t: mp.exp(-t * t / 2) / (1 + t * t / 2),
    "rational_quadratic(alpha=2)*exponential(2)": lambda t: mp.exp(-t / 2) / (1 + t * t / 4) ** 2,
}


@pytest.mark.parametrize("text", _RATIONAL)
def test_factors_known_by_their_density(text: str) -> None:
    """Against ∫ r sin(ρr) k(r) dr / 2π²ρ, and the mass at 0."""
    k, radii = _RATIONAL[text], [0.01, 0.1, 0.5, 0.9, 1.3, 2.3, 3.3, 4.4, 6.0, 9.0]
    found = RadialNumbers(r.measure_of_text(text, 3), 3)(np.array([[0.6 * w, 0.0, 0.8 * w] for w in (0.0, *radii)]))
    form = radial_expression(r.measure_of_text(text, 3, symbolic=True), SymbolicPairs.frequency(3))
    pieces = [0, 0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96]
    with mp.workdps(20):
        expected = [mp.quad(lambda t: t * t * k(t), pieces) / (2 * mp.pi**2)]
        expected += [mp.quad(lambda t, w=w: t * mp.sin(w * t) * k(t), pieces) / (2 * mp.pi**2 * w) for w in radii]
    np.testing.assert_allclose(found, np.array(expected, dtype=float), rtol=1e-11)
    for i in (0, 4):
        place = [sympy.Rational(c, 10) * (radii[i - 1] if i else 0) for c in (6, 0, 8)]
        assert r.value_of(form, place) == pytest.approx(float(expected[i]), rel=1e-10)


def _frequency(dim: int) -> SymbolicPairs:
    return SymbolicPairs(dim, lambda i: sympy.Symbol(f"omega_{i}", real=True))


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("order", ["3/2", "5/4"])
def test_stable_laws_of_rational_order(order: str, dim: int) -> None:
    """The hypergeometric form against the Mellin–Barnes integral of the catalogue, at ten frequencies."""
    text = f"powered_exponential(alpha={order}, scale=2)"
    form = r.measure_of_text(text, dim, symbolic=True).expression(_frequency(dim))
    radii = np.linspace(0.1, 1.9, 10)
    expected = r.measure_of_text(text, dim).density(radii[:, None] * np.eye(1, dim))
    found = [complex(r.value_of(form, [sympy.Rational(str(w)), *[0] * (dim - 1)])).real for w in radii.round(6)]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_a_stable_law_over_a_band() -> None:
    """`sinc()` times `powered_exponential(3/2)`, against quadrature of cos(ωt) k(t), and its mass."""
    form = r.measure_of_text("powered_exponential(alpha=3/2)*sinc(bandwidth=2)", 1, symbolic=True).expression(
        _frequency(1)
    )
    assert form.has(sympy.hyper)
    k = lambda t: mp.exp(-(t**1.5)) * (mp.sin(2 * t) / (2 * t) if t else 1)  # noqa: E731
    for w in (0, 0.1, 0.5, 0.9, 1.3, 1.9, 2.3, 2.8, 3.3, 4.4):
        expected = mp.quad(lambda t, w=w: k(t) * mp.cos(w * t), [0, 0.5, 1, 2, 3, 4, 6, 8, 12, 16]) / mp.pi
        assert r.value_of(form, [sympy.Rational(str(w))]) == pytest.approx(float(expected), abs=1e-11)


CUTS = [-12, -6, -3, -2, -1, 0, 1, 2, 3, 6, 12, 25, 50]


@pytest.mark.long
@settings(max_examples=25)
@given(piecewise(), st.sampled_from([-3.0, -0.5, 0.0, 1.0, 4.5]))
def test_against_quadrature_lag_transform(whole: Piecewise, omega: float) -> None:
    found = complex(transform(whole.pieces, NUMBERS.frequency(omega), NUMBERS, NUMBERS))
    expected = complex(mp.quad(lambda t: value(whole, t) * mp.expj(-omega * t), CUTS, maxdegree=8))
    size = float(mp.quad(lambda t: abs(value(whole, t)), CUTS, maxdegree=4))
    assert abs(found - expected) <= 1e-9 * (size + 1e-9)


@pytest.mark.long
@settings(max_examples=25)
@given(piecewise())
def test_floats_are_within_their_bound(whole: Piecewise) -> None:
    omega = np.array([-3.7, -0.51, 0.13, 1.9, 14.0])
    system = TrackedNumbers()
    found = transform(whole.pieces, system.frequency(omega), NUMBERS, system)
    for i, at in enumerate(omega):
        exact = complex(transform(whole.pieces, NUMBERS.frequency(at), NUMBERS, NUMBERS))
        error = np.broadcast_to(found.error, omega.shape)[i]
        assert abs(np.broadcast_to(found.value, omega.shape)[i] - exact) <= 20 * error + 1e-15 * abs(exact)
