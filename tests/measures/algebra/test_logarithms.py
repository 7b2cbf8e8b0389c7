"""Logarithms in `measures/algebra/line.py`: products with polya(uniform()), against quadrature with 30 digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy

import kernelspec as ks

FREQUENCIES = ("0", "0.1", "0.5", "1", "-2", "2", "3.3", "5", "11", "30")


def mean_triangle(low: float, high: float) -> Callable[[Any], Any]:
    """E max(0, 1 − |t|/R), R uniform on (low, high), by integration over R."""

    def value(t: Any) -> Any:
        start = max(mp.mpf(low), t)
        if t == 0 or start >= high:
            return mp.mpf(t == 0)
        return (high - start - t * mp.log(high / start)) / (mp.mpf(high) - low)

    return value


def triangle(width: float) -> Callable[[Any], Any]:
    return lambda t: max(mp.mpf(0), 1 - t / mp.mpf(width))


UNIFORM, FROM_ZERO = mean_triangle(1, 2), mean_triangle(0, 2)

PRODUCTS: dict[str, tuple[tuple[Callable[[Any], Any], ...], tuple[float, ...]]] = {
    "polya(uniform(1, 2))*exponential()": ((UNIFORM, lambda t: mp.exp(-t)), (1, 2)),
    "polya(uniform(0, 2))": ((FROM_ZERO,), (2,)),
    "polya(uniform(1, 2))*cosine(2)": ((UNIFORM, lambda t: mp.cos(2 * t)), (1, 2)),
    "polya(uniform(0, 2))*laplace(1/2)*cosine(2)": ((FROM_ZERO, lambda t: mp.exp(-2 * t) * mp.cos(2 * t)), (2,)),
    "polya(uniform(1, 2))*triangle(3/2)": ((UNIFORM, triangle(1.5)), (1, 1.5)),
    "polya(uniform(0, 2))*triangle(3)": ((FROM_ZERO, triangle(3)), (2,)),
    "product(t -> max(0, 1 - t)**3)*polya(uniform(0, 2))": ((FROM_ZERO, lambda t: triangle(1)(t) ** 3), (1,)),
    "product(t -> max(0, 1 - t)*cos(t))*polya(uniform(0, 2))": (
        (FROM_ZERO, lambda t: triangle(1)(t) * mp.cos(t)),
        (1,),
    ),
    "polya(uniform(1, 2))**2": ((UNIFORM, UNIFORM), (1, 2)),
    "polya(uniform(0, 2))*polya(uniform(1, 3))": ((FROM_ZERO, mean_triangle(1, 3)), (1, 2)),
    "polya(uniform(0, 1))*polya(uniform(1, 3))": ((mean_triangle(0, 1), mean_triangle(1, 3)), (1,)),
    "polya(uniform(1, 3), area=1)*exponential()": ((mean_triangle(0.5, 1.5), lambda t: mp.exp(-t)), (0.5, 1.5)),
    "stretch(polya(uniform(1, 2))*triangle(), 2)": ((mean_triangle(2, 4), triangle(2)), (2,)),
    "(exponential() + 2*triangle())*polya(uniform(1, 2))": (
        (UNIFORM, lambda t: mp.exp(-t) + 2 * triangle(1)(t)),
        (1, 2),
    ),
}
"""k as its factors for t ≥ 0, and the ends of its pieces."""


@pytest.mark.slow
@pytest.mark.parametrize("text", PRODUCTS)
def test_at_ten_frequencies(text: str) -> None:
    """The form is (1/π) ∫₀^∞ k(t) cos(ωt) dt."""
    factors, ends = PRODUCTS[text]
    facts = ks.analyze(text, dim=1)
    assert facts.open_density is None
    density = sympy.lambdify(sympy.Symbol("omega", real=True), facts.spectral_density, "mpmath")
    with mp.workdps(30):
        cuts = sorted({*map(mp.mpf, ends), *(mp.mpf(n) / 4 for n in range(int(4 * max(ends))))})
        for omega in map(mp.mpf, FREQUENCIES):
            expected = mp.quad(lambda t, w=omega: mp.fprod(f(t) for f in factors) * mp.cos(w * t), cuts) / mp.pi
            assert abs(density(omega) - expected) < 1e-22


@pytest.mark.parametrize(
    ("text", "corner"),
    [
        ("polya(uniform(0, 2))*exponential()", lambda w: 1 + (np.log(2 * w) + np.euler_gamma) / 2),
        ("polya(uniform(1, 2))**2", lambda w: 2 * np.log(2)),
    ],
)
def test_the_facts_agree_with_the_form(text: str, corner: Callable[[float], float]) -> None:
    """Values within their errors; far out p(ω) πω² is −k′(0+), or for k′ = c + ½ log t about −c + ½ (γ + log ω)."""
    facts = ks.analyze(text, dim=1)
    omega = np.array([0.3, 2.0, 40.0])
    density = sympy.lambdify(sympy.Symbol("omega", real=True), facts.spectral_density, "mpmath")
    stated = [float(mp.re(density(mp.mpf(w)))) for w in omega.tolist()]
    error = facts.spectral_density_error_at(omega[:, None])
    assert np.all(np.abs(facts.spectral_density_at(omega[:, None]) - stated) <= error + 1e-13)
    assert (facts.verdict.positive_definite, facts.second_moment, facts.tail_exponent) == ("proved", sympy.oo, 2)
    for w in (1e2, 1e3):
        assert float(mp.re(density(mp.mpf(w)))) * np.pi * w**2 == pytest.approx(corner(w), rel=10 / w)


def test_with_symbols() -> None:
    """The ends as parameters, and then as numbers."""
    form = ks.analyze("param b > 0\npolya(uniform(0, b))*exponential()", dim=1).spectral_density
    number = ks.analyze("polya(uniform(0, 3))*exponential()", dim=1).spectral_density
    (b,) = form.free_symbols - number.free_symbols
    (omega,) = number.free_symbols
    values = [complex(own.subs(omega, sympy.Rational(7, 5)).evalf(20)) for own in (form.subs(b, 3), number)]
    assert values[0] == pytest.approx(values[1], rel=1e-15)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("polya(uniform(1, 2))*gaussian()", "a logarithm times a Gaussian"),
        ("polya(uniform(1, 2))**3", "a power of a logarithm above 2"),
        ("polya(uniform(1, 2))*cauchy()", "a logarithm times a kernel that is known by its density"),
    ],
)
def test_what_stays_open_says_why(text: str, reason: str) -> None:
    facts = ks.analyze(text, dim=1)
    assert facts.spectral_density.has(sympy.Integral)
    assert reason in str(facts.open_density)
    assert f"open: {facts.open_density}" in facts.report()
