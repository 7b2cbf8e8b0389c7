"""facts.characteristic_function of closed products, against k written by hand and the density transformed back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy

import kernelspec as ks
from tests.measures.algebra import referees as r

LAGS = np.array([-1.7, -0.4, 0.0, 0.3, 0.9, 2.2])
NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)

PARAMETERS = "param s > 0\nparam b > 0\n"
VALUES = {"s": 1.25, "b": 0.5}
LINE: dict[str, tuple[Callable[[Any], Any], float]] = {
    "gaussian(s)*matern(nu=3/2)": (r.product(r.gaussian(1.25), r.matern(3)), 4),
    "matern(nu=5/2, scale=s)*cosine(b)*gaussian()": (r.product(r.matern(5, 1.25), r.cosine(0.5), r.gaussian()), 6),
    "shift_gaussian(by=b)*matern(nu=3/2, scale=s)": (r.product(r.shifted(r.gaussian(), 0.5), r.matern(3, 1.25)), 4),
    "tilt(matern(nu=5/2), by=b)*gaussian(s)": (r.product(r.tilted(r.matern(5), 0.5), r.gaussian(1.25)), 6),
    "gaussian(s)*cauchy(b)": (r.product(r.gaussian(1.25), r.cauchy(0.5)), np.inf),
    "sinc(b)*rational_quadratic(alpha=2, scale=s)": (r.product(r.sinc(0.5), r.rational_quadratic(2, 1.25)), np.inf),
    "0.75*gaussian(s)*matern(nu=3/2) - 0.25*cauchy(b)*gaussian()": (
        lambda t: 0.75 * r.product(r.gaussian(1.25), r.matern(3))(t) - 0.25 * r.product(r.cauchy(0.5), r.gaussian())(t),
        4,
    ),
}
"""Products and sums with free parameters: k at their values, and α with μ(ω) = O(|ω|^−α)."""


def exact(k: Callable[[Any], Any]) -> np.ndarray:
    return np.array([float(mp.re(k(mp.mpf(float(t))))) for t in LAGS])


def panels(reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on [0, reach], panels of at most two units; one ends at ½, the edge of sinc(1/2)."""
    cuts = np.concatenate([[0.0], np.arange(0.5, reach + 2, 2)])
    half = np.diff(cuts)[:, None] / 2
    return (cuts[:-1, None] + half * (NODES + 1)).ravel(), (half * WEIGHTS).ravel()


@pytest.mark.slow
@pytest.mark.parametrize("text", LINE)
def test_on_a_line(text: str) -> None:
    """What is left beyond Ω is at most Ω^{1−α}, with room for the constant."""
    k, power = LINE[text]
    symbolic, facts = (ks.analyze(ks.parse(PARAMETERS + text, params=values), dim=1) for values in (None, VALUES))
    found = facts.characteristic_function(LAGS[:, None])
    np.testing.assert_allclose(found, exact(k), rtol=1e-13, atol=1e-15)

    omega, weights = panels(90 if np.isinf(power) else 1e9 ** (1 / (power - 1)))
    density = facts.spectral_density_at(omega[:, None])
    back = 2 * np.real(np.exp(1j * np.outer(LAGS, omega)) @ (weights * density))
    np.testing.assert_allclose(back, found, atol=1e-9)

    # with symbols: numbers for them after the derivation instead of before
    density_of = symbolic.spectral_density
    assert {str(symbol) for symbol in density_of.free_symbols} >= {"omega"} | {c for c in "sb" if f"{c})" in text}
    places = {"omega": 0.7, **VALUES}
    value = density_of.subs({symbol: sympy.Rational(places[str(symbol)]) for symbol in density_of.free_symbols})
    assert complex(value.evalf(20)) == pytest.approx(complex(facts.spectral_density_at([[0.7]])[0]), rel=1e-11)


@pytest.mark.slow
def test_a_series_over_atoms() -> None:
    facts = ks.analyze("periodic(2)*gaussian()", dim=1)
    found = facts.characteristic_function(LAGS[:, None])
    np.testing.assert_allclose(found, np.exp(-2 * np.sin(np.pi * LAGS / 2) ** 2 - LAGS**2 / 2), rtol=1e-13)
    omega, weights = panels(90)
    back = 2 * np.cos(np.outer(LAGS, omega)) @ (weights * facts.spectral_density_at(omega[:, None]))
    np.testing.assert_allclose(back, found, atol=1e-13)


@pytest.mark.slow
def test_radial_in_three_columns() -> None:
    """∫ sin(ωr)/(ωr) 4πω² S(ω) dω, S = O(ω⁻⁸)."""
    facts = ks.analyze("matern(nu=5/2)*gaussian(2)*matern(nu=5/2)", dim=3)
    radii = np.abs(LAGS) + 0.1
    lags = radii[:, None] * np.array([2, -1, 2]) / 3
    found = facts.characteristic_function(lags)
    k = r.product(r.matern(5), r.gaussian(2), r.matern(5))
    np.testing.assert_allclose(found, [float(k(mp.mpf(x))) for x in radii], rtol=1e-13)
    omega, weights = panels(60)
    density = facts.spectral_density_at(omega[:, None] * np.array([[0, 1, 0]]))
    back = 4 * np.pi * np.sinc(np.outer(radii, omega) / np.pi) @ (weights * omega**2 * density)
    np.testing.assert_allclose(back, found, atol=1e-9)


@pytest.mark.slow
def test_over_two_columns() -> None:
    """A product over the columns, of which one factor is shifted: complex. Lines through a point of it are enough."""
    facts = ks.analyze("shift_gaussian(by=0.5)[0]*cauchy()[0]*matern(nu=5/2)[1]*gaussian()[1]", dim=2)
    lags = np.stack([LAGS, LAGS[::-1]], axis=1)
    found = facts.characteristic_function(lags)
    first, second = r.product(r.shifted(r.gaussian(), 0.5), r.cauchy()), r.product(r.gaussian(), r.matern(5))
    expected = [float(mp.re(first(mp.mpf(a)) * second(mp.mpf(b)))) for a, b in lags.tolist()]
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    half, share = panels(60)
    omega, weights = np.concatenate([-half, half]), np.concatenate([share, share])
    peak = facts.spectral_density_at([[0.3, 0.3]])[0]
    back = np.ones(len(lags), dtype=complex)
    for i in (0, 1):
        on_line = facts.spectral_density_at(np.insert(omega[:, None], 1 - i, 0.3, axis=1))
        back *= np.exp(1j * np.outer(lags[:, i], omega)) @ (weights * on_line)
    np.testing.assert_allclose(back / peak, found, atol=1e-8)
