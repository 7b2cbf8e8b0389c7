"""Tests of `measures/algebra/kernel_series.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.special import ive

import kernelspec as ks
from kernelspec.errors import DataError, DimensionError, NotAvailableYet
from kernelspec.kernels.leaves.discrete import Circle, Constant, Periodic
from kernelspec.kernels.leaves.radial import RationalQuadratic
from kernelspec.measures.algebra.kernel_series import (
    even_moment,
    second_moment_on_line,
)
from tests.measures.algebra import referees as r

HALF, THIRD = sympy.Rational(1, 2), sympy.Rational(1, 3)


@pytest.mark.parametrize(
    ("kernel", "function"),
    [
        (Periodic(period=2, scale=HALF, dim=1), lambda t: mp.exp(-8 * mp.sin(mp.pi * t / 2) ** 2)),
        (RationalQuadratic(alpha=THIRD, dim=1), lambda t: (1 + 1.5 * t**2) ** (-mp.mpf(1) / 3)),
        (Circle(dim=1), mp.cos),
        (Constant(dim=1), lambda t: mp.mpf(1)),
    ],
)
def test_coefficients(kernel, function) -> None:
    found = kernel.series(sympy.Rational(2, 7), 5)
    with mp.workdps(40):
        expected = mp.taylor(function, mp.mpf(2) / 7, 4)
    for value, right in zip(found, expected, strict=True):
        assert float(sympy.N(value, 20)) == pytest.approx(float(right), rel=1e-12, abs=1e-20)


SMOOTH = {
    "gaussian()*cauchy(2)": r.product(r.gaussian(), r.cauchy(2)),
    "sinc(2)*rational_quadratic(alpha=2)*cosine(1)": r.product(r.sinc(2), r.rational_quadratic(2), r.cosine(1)),
    "cosh_gaussian(by=1/2)*gaussian(2)": r.product(r.tilted(r.gaussian(), 0.5), r.gaussian(2)),
}


@pytest.mark.long
@pytest.mark.parametrize("text", SMOOTH)
def test_against_derivatives(text: str) -> None:
    measure = r.measure_of_text(text, symbolic=True)
    for order in (2, 4, 6):
        found = even_moment(measure, order, positive_definite=False)
        assert not found.has(sympy.Float)
        with mp.workdps(60):
            # sinc is written as a quotient: around 0 the derivative is an integral over a circle
            k = SMOOTH[text]
            turns = [mp.expjpi(mp.mpf(2 * i) / 64) for i in range(64)]
            expected = mp.factorial(order) * mp.fsum(k(z / 2) * z**-order for z in turns) / 64 * 2**order
        assert float(found.evalf(20)) == pytest.approx((-1) ** (order // 2) * float(expected.real), rel=1e-12)


@pytest.mark.long
def test_with_a_density_of_finite_smoothness() -> None:
    """matern(5/2) times Cauchy: the second and fourth moment by quadrature, the sixth infinite."""
    facts = ks.analyze("matern(nu=5/2)*cauchy()", dim=1)
    x, w = np.polynomial.legendre.leggauss(40)
    cuts = np.concatenate([[0.0], 2.0 ** np.arange(-2, 16)])
    places, widths = (cuts[:-1, None] + cuts[1:, None]) / 2, np.diff(cuts)[:, None] / 2
    omega = (places + widths * x).ravel()
    values = facts.spectral_density_at(omega[:, None]) * (widths * w).ravel()
    assert float(facts.moment(2)) == pytest.approx(2 * float(values @ omega**2), rel=1e-10)
    assert facts.moment(2) == facts.second_moment
    assert float(facts.moment(4)) == pytest.approx(2 * float(values @ omega**4), rel=1e-3)  # the rest falls like 1/Ω
    assert facts.moment(6) == sympy.oo


def test_with_symbols() -> None:
    s = sympy.Symbol("s", positive=True)
    found = ks.analyze("param s > 0\ngaussian(s)*cosine(1)", dim=1).moment(4)
    assert sympy.expand(found - (3 / s**4 + 6 / s**2 + 1).subs(s, next(iter(found.free_symbols)))) == 0


def test_undefined_and_unknown() -> None:
    assert ks.analyze("shift(laplace(), by=1)*gaussian()", dim=1).moment(2) == sympy.nan
    assert ks.analyze("gaussian() - gaussian(2)", dim=1).moment(2) == sympy.nan  # k(0) is 0
    assert ks.analyze("powered_exponential(alpha=1.5)", dim=1).moment(4) == sympy.oo  # the second is infinite
    with pytest.raises(NotAvailableYet):
        ks.analyze("matern(nu=3.2)", dim=1).moment(4)
    with pytest.raises(DimensionError, match="a single column"):
        ks.analyze("gaussian()", dim=2).moment(4)
    with pytest.raises(DataError, match="2, 4"):
        ks.analyze("gaussian()", dim=1).moment(3)


def test_lattices() -> None:
    """Σ wₙ (2πn/p)⁴ with wₙ = e^{−1/ℓ²} Iₙ(1/ℓ²), alone, shifted, with an intercept, and beside another law."""
    p, rate = 0.75, 1.5**-2
    n = np.arange(-60, 61)
    places, weights = 2 * np.pi * n / p, ive(np.abs(n), rate)
    lattice = {m: float(weights @ places**m) for m in (2, 4)}
    text = "periodic(3/4, scale=3/2)"
    assert float(ks.analyze(text, dim=1).moment(4)) == pytest.approx(lattice[4])
    beside = 25 + 6 * lattice[2] * 5 / 3 + lattice[4]  # E (ω + ν)⁴, of matern(5/2) E ω² = 5/3 and E ω⁴ = 25
    assert float(ks.analyze(f"matern(nu=5/2)*{text}", dim=1).moment(4)) == pytest.approx(beside)
    assert ks.analyze(f"matern(nu=3/2)*{text}", dim=1).moment(4) == sympy.oo
    assert float(ks.analyze(f"0.25*{text} + 0.75*constant()", dim=1).moment(4)) == pytest.approx(lattice[4] / 4)
    wave = np.exp(1j * places * 0.25)
    shifted = ks.analyze(f"shift({text}, by=1/4)", dim=1)
    for order in (2, 4):
        expected = (weights * wave) @ places**order / (weights @ wave)
        assert float(shifted.moment(order)) == pytest.approx(expected.real, rel=1e-12)
    assert shifted.second_moment == shifted.moment(2)


def test_every_real_order() -> None:
    """The rational quadratic kernel of order 1/2: ω is normal, of a variance that is chi square with one degree."""
    assert ks.analyze("rational_quadratic(alpha=1/2)", dim=1).moment(4) == 3 * 3


FINITE = {
    "stretch(shift(periodic(2), by=1/3), 2)*cauchy()": r.product(
        lambda t: mp.exp(-2 * mp.sin(mp.pi * (t / 2 + mp.mpf(1) / 3) / 2) ** 2), r.cauchy()
    ),
    "shift_gaussian(by=1)*matern(nu=5/2)": r.product(r.shifted(r.gaussian(), 1), r.matern(5)),
    "sinh_gaussian(by=1/2)*cosine(2)": lambda t: mp.exp(-t * t / 2) * (1 + mp.sinh(t / 2)) * mp.cos(2 * t),
    "tilt(matern(nu=5/2), by=1/2)*gaussian(2)": r.product(r.tilted(r.matern(5), 0.5), r.gaussian(2)),
    "tilt(matern(nu=3/2), by=1/2)*cosh_gaussian(by=1)": r.product(
        r.tilted(r.matern(3), 0.5), r.tilted(r.gaussian(), 1)
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("text", FINITE)
def test_second_moments_of_asymmetric_products_against_differences(text: str) -> None:
    k = FINITE[text]
    with mp.workdps(40):
        h = mp.mpf(10) ** -8
        expected = float(-(k(h) - 2 * k(mp.mpf(0)) + k(-h)) / h**2 / k(mp.mpf(0)))
    exact = second_moment_on_line(r.measure_of_text(text, symbolic=True))
    assert exact is not None
    assert not exact.has(sympy.Float)
    assert float(sympy.re(exact.evalf(20))) == pytest.approx(expected, rel=1e-6)
    assert second_moment_on_line(r.measure_of_text(text)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("text", ["shift_gaussian(by=1)*laplace()", "shift(triangle(2), 0.5)*gaussian()"])
def test_second_moments_that_do_not_exist(text: str) -> None:
    assert second_moment_on_line(r.measure_of_text(text)) is None
