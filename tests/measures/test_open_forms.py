"""Tests of `measures/derivation.py`: formulas of the field have a closed density, or a reason for having none."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.special import gamma, j0, j1, jv

import kernelspec as ks
from tests.measures.algebra.referees import nodes
from tests.measures.formulas_of_the_field import FORMULAS, OPEN

CIRCULAR = "1 - 2/pi*(min(r, 1)*sqrt(1 - min(r, 1)**2) + asin(min(r, 1)))"

CLOSED: dict[str, tuple[Callable[[Any], Any], float]] = {
    "1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3": (lambda r: 1 - mp.mpf("1.5") * r + r**3 / 2, 1),
    CIRCULAR: (lambda r: 1 - 2 / mp.pi * (r * mp.sqrt(1 - r * r) + mp.asin(r)), 1),
    "1 - 7*min(r, 1)**2 + 35/4*min(r, 1)**3 - 7/2*min(r, 1)**5 + 3/4*min(r, 1)**7": (
        lambda r: 1 - 7 * r**2 + mp.mpf(35) / 4 * r**3 - mp.mpf(7) / 2 * r**5 + mp.mpf(3) / 4 * r**7,
        1,
    ),
    "max(0, 1 - r/2)**4*(1 + 2*r)": (lambda r: (1 - r / 2) ** 4 * (1 + 2 * r), 2),
    "max(0, 1 - r)**3.5*(1 + 3.5*r)": (lambda r: (1 - r) ** mp.mpf("3.5") * (1 + mp.mpf("3.5") * r), 1),
    "max(0, 1 - r)**3*cos(r)": (lambda r: (1 - r) ** 3 * mp.cos(r), 1),
    "max(0, 1 - r)*exp(-r)": (lambda r: (1 - r) * mp.exp(-r), 1),
    "exp(-2*r)*cos(r)": (lambda r: mp.exp(-2 * r) * mp.cos(r), 40),
    "exp(-2*r)*(1 + r)*(cos(r) + sin(r))": (lambda r: mp.exp(-2 * r) * (1 + r) * (mp.cos(r) + mp.sin(r)), 40),
    "exp(-r**2/2)*cos(r/2)": (lambda r: mp.exp(-r * r / 2) * mp.cos(r / 2), 16),
    "1/cosh(r)": (mp.sech, 40),
}
"""f on [0, c], with c where it ends or is negligible."""

OPEN_IN_EVEN_DIMENSIONS = ("max(0, 1 - r)**3*cos(r)", "max(0, 1 - r)*exp(-r)", "exp(-r**2/2)*cos(r/2)", "1/cosh(r)")


def hankel(f: Callable[[Any], Any], end: float, rho: float, dim: int) -> float:
    """(2π)^{−d/2} ρ^{1−d/2} ∫ r^{d/2} J_{d/2−1}(ρr) f(r) dr by Gauss's rule in u, r = c(1 − u²)."""
    half = dim / 2
    u, weights = nodes(np.linspace(0, 1, 41))
    r = end * (1 - u**2)
    values = np.array([float(f(mp.mpf(at))) for at in r.tolist()])
    small = r ** (half - 1) / (2 ** (half - 1) * gamma(half))
    wave = small if rho == 0 else jv(half - 1, rho * r) * rho ** (1 - half)
    return float((2 * end * u * weights * values * r**half) @ wave / (2 * np.pi) ** half)


@pytest.mark.slow
@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("formula", CLOSED)
def test_closed_in_the_field(formula: str, dim: int) -> None:
    """At ten frequencies along an axis, among them 0 and 1, where single terms have poles."""
    facts = ks.analyze(f"radial(r -> {formula})", dim=dim)
    if dim == 2 and formula in OPEN_IN_EVEN_DIMENSIONS:
        assert facts.open_density is not None
        return
    assert facts.open_density is None
    symbols = sympy.symbols("omega_1:4", real=True)[:dim] if dim > 1 else [sympy.Symbol("omega", real=True)]
    form = sympy.lambdify(symbols, facts.spectral_density, "mpmath")
    f, end = CLOSED[formula]
    for rho in (0.0, 0.125, 0.5, 1.0, 1.5, 2.0, 3.25, 5.0, 8.0, 13.0):
        with mp.workdps(40):  # what cancels leaves more than enough
            found = mp.re(form(mp.mpf(rho), *[mp.mpf(0)] * (dim - 1)))
        assert float(found) == pytest.approx(hankel(f, end, rho, dim), abs=1e-13)


@pytest.mark.long
def test_the_circular_kernel_in_the_plane() -> None:
    """The square of the transform of a disc: J₁(ρ/2)²/(πρ²)."""
    density = ks.analyze(f"radial(r -> {CIRCULAR})", dim=2).spectral_density
    (first, second) = sympy.symbols("omega_1 omega_2", real=True)
    value = density.subs({first: sympy.Rational(12, 5), second: sympy.Rational(7, 10)})  # ρ = 5/2
    assert float(value) == pytest.approx(float(mp.besselj(1, 1.25) ** 2 / (mp.pi * 6.25)), rel=1e-13)


def test_a_damped_hole_effect_on_a_line() -> None:
    """The mean of Cauchy's density over (ω − 1, ω + 1), for e^{−r} sin(r)/r."""
    facts = ks.analyze("radial(r -> exp(-r)*sin(r)/r)", dim=1)
    assert facts.open_density is None
    for w in (0.0, 0.7, 3.0):
        expected = (mp.atan(w + 1) - mp.atan(w - 1)) / (2 * mp.pi)
        assert float(facts.spectral_density.subs(sympy.Symbol("omega", real=True), w).evalf()) == pytest.approx(
            float(expected), rel=1e-12
        )


WAVES = {
    ("sin(r)/r", 2): lambda w: 1 / (2 * sympy.pi * sympy.sqrt(1 - w**2)),
    ("besselj(0, 2*r)", 1): lambda w: 1 / (sympy.pi * sympy.sqrt(4 - w**2)),
    ("2*besselj(1, r)/r", 2): lambda w: 1 / sympy.pi,
}


@pytest.mark.parametrize(("formula", "dim"), WAVES)
def test_waves_on_fewer_columns(formula: str, dim: int) -> None:
    """Projections of the uniform law on a circle, a sphere, and a sphere of R⁴."""
    facts = ks.analyze(f"radial(r -> {formula})", dim=dim)
    density = facts.spectral_density
    for w in (sympy.Rational(3, 5), sympy.Integer(5)):
        at = density.subs(dict(zip(sorted(density.free_symbols, key=str), [w, 0], strict=False)))
        expected = WAVES[formula, dim](w) if w < 1 else 0
        assert float(at) == pytest.approx(float(expected), rel=1e-14)
    assert facts.spectral_density_at([[0.6] + [0.0] * (dim - 1)])[0] == pytest.approx(
        float(WAVES[formula, dim](sympy.Rational(3, 5))), rel=1e-9
    )


def test_a_product_with_breakpoints_on_three_columns() -> None:
    facts = ks.analyze("radial(r -> max(0, 1 - r)**2)*exponential()", dim=3)
    assert facts.open_density is None
    omega = sympy.symbols("omega_1:4", real=True)
    value = facts.spectral_density.subs(dict(zip(omega, (sympy.Rational(3, 2), 2, 0), strict=True)))
    assert float(value) == pytest.approx(hankel(lambda r: (1 - r) ** 2 * mp.exp(-r), 1, 2.5, 3), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "radial(r -> tanh(r)/r)",
            "tanh(r), in r -> tanh(r)/r, is a function that is neither an exponential nor a wave",
        ),
        ("product(t -> tanh(t)/t)", "tanh(t), in t -> tanh(t)/t, is a function that is neither an exponential"),
        ("gaussian() + radial(r -> tanh(r)/r)", "tanh(r), in r -> tanh(r)/r, is a function that is"),
        ("radial(r -> r/sinh(r))", "r/sinh(r) is a quotient whose denominator is not an exponential"),
    ],
)
def test_an_unknown_tail_names_the_function(text: str, reason: str) -> None:
    with pytest.raises(ks.NotAvailableYet) as raised:
        _ = ks.analyze(text, 1).tail_exponent
    assert str(raised.value).startswith(reason)


@pytest.mark.parametrize(
    ("text", "dim", "reason"),
    [
        ("radial(r -> exp(-r**0.7))", 2, "Fox H-function"),
        ("radial(r -> (1 + r**1.5)**(-2))", 1, "r**1.5 is a function that is neither an exponential nor a wave"),
        ("radial(r -> 1 - (r**1.5/(1 + r**1.5))**0.5)", 3, "r**1.5 is a function"),
        ("radial(r -> 1/(1 + log(1 + r)))", 3, "log(1 + r) is a function"),
        ("radial(r -> exp(1 - sqrt(1 + r**2)))", 2, "sqrt(1 + r**2) is a function"),
        ("product(t -> 1/(1 + t))", 2, "1/(1 + t) is a quotient whose denominator is not an exponential"),
        ("radial(r -> exp(-r**2/2)*cos(r/2))", 2, "outside of odd dimensions"),
        ("gaussian()*exponential()", 2, "in odd dimensions only"),
        ("gaussian()*laplace()*cauchy()", 1, "a Gaussian on a half-line, times a density"),
        ("matern(nu=1)*laplace()", 1, "matern(nu=1, scale=1) is not a piecewise exponential polynomial"),
        ("0.5*gaussian() + 0.5*matern(nu=1)*laplace()", 2, "matern(nu=1"),
        ("gaussian()[0]*radial(r -> exp(-r**0.7))[1]", 2, "Fox H-function"),
        ("powered_exponential(alpha=0.7)*cosine(2)", 1, "Fox H-function"),
        ("stretch(powered_exponential(alpha=0.7), 2)", 1, "Fox H-function"),
        ("tilt(polya(uniform(1, 2)), by=1)", 1, "piecewise exponential polynomial"),
        ("dual(sin(), matern(nu=1))", 1, "no closed form is known"),
    ],
)
def test_an_open_density_says_why(text: str, dim: int, reason: str) -> None:
    facts = ks.analyze(text, dim=dim)
    assert reason in str(facts.open_density)
    assert facts.to_dict()["open_density"] == facts.open_density
    assert f"open: {facts.open_density}" in facts.report()


@pytest.mark.parametrize("text", ["gaussian()", "matern(nu=1)", "cosine(2)", "periodic(1)*gaussian()", "linear()"])
def test_others_have_no_reason(text: str) -> None:
    assert ks.analyze(text, dim=1).to_dict()["open_density"] is None


NAMES = {name: getattr(np, name) for name in ("exp", "cos", "sin", "cosh", "sinh", "sqrt", "pi")}
NAMES |= {"asin": np.arcsin, "max": max, "min": min, "besselj": lambda order, x: j1(x) if order else j0(x)}


def transformed(formula: str, dim: int, rho: float) -> float | None:
    """The density by quadrature of the formula as Python reads it; None for waves that do not decay fast."""
    f = eval(f"lambda r: {formula}", NAMES)
    if abs(f(40.0)) < 1e-9:
        wave: Callable[[float], float] = {
            1: lambda r: np.cos(rho * r) / np.pi,
            2: lambda r: r * j0(rho * r) / (2 * np.pi),
            3: lambda r: r * np.sin(rho * r) / (2 * np.pi**2 * rho),
        }[dim]
        ends = (1e-12, 1.0, 2.0, 3.0, 9.0, 40.0)
        return float(sum(quad(lambda r: f(r) * wave(r), *part, limit=400, epsabs=1e-12)[0] for part in pairwise(ends)))
    if dim == 2 or "sin" in formula or "bessel" in formula:
        return None
    power, kind, size = (0, "cos", np.pi) if dim == 1 else (1, "sin", 2 * np.pi**2 * rho)
    return float(quad(lambda r: f(r) * r**power, 0, np.inf, weight=kind, wvar=rho, limlst=500)[0] / size)


def test_there_are_sixty_formulas_of_the_field() -> None:
    assert len({formula for formula, _ in FORMULAS}) >= 60
    assert set(FORMULAS) >= OPEN


@pytest.mark.slow
@pytest.mark.parametrize(("formula", "dim"), FORMULAS)
def test_formulas_of_the_field(formula: str, dim: int) -> None:
    """Closed, with the value of a quadrature at ‖ω‖ = 0.7, or open for a reason."""
    facts = ks.analyze(f"radial(r -> {formula})", dim=dim)
    assert (facts.open_density is None) == ((formula, dim) not in OPEN)
    if facts.open_density is None and (expected := transformed(formula, dim, 0.7)) is not None:
        symbols = sympy.symbols("omega_1:4", real=True)[:dim] if dim > 1 else [sympy.Symbol("omega", real=True)]
        form = sympy.lambdify(symbols, facts.spectral_density, "mpmath")
        with mp.workdps(40):
            found = mp.re(form(mp.mpf(0.7), *[mp.mpf(0)] * (dim - 1)))
        assert float(found) == pytest.approx(expected, rel=1e-7)
