"""Analytic continuation: densities of k(Δ) e^{β·Δ}, and where there are none."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.integrate import quad

import kernelspec as ks
from kernelspec.errors import NotStationaryError


@pytest.mark.long
@pytest.mark.parametrize(
    "text", ["laplace(0.8)", "exponential(0.8)", "matern(1.5, 0.8)", "matern(0.8, 0.9)", "gaussian(0.7)"]
)
@pytest.mark.parametrize("beta", [0.4, -0.9])
def test_density_is_the_inverse_transform(text: str, beta: float) -> None:
    facts = ks.analyze(f"tilt({text}, by={beta})", dim=1)
    plain = ks.analyze(text, dim=1).characteristic_function

    def k(t: float) -> float:
        return float(plain([[t]])[0] * np.exp(beta * t))

    for omega in (0.0, 0.7, -2.1):
        pieces = [
            quad(lambda t, w=omega, f=f: k(t) * f(w * t), lo, hi, epsabs=1e-11, limit=400)[0] / (2 * np.pi)
            for f in (np.cos, np.sin)
            for lo, hi in ((-80, 0), (0, 80))
        ]
        expected = sum(pieces[:2]) - 1j * sum(pieces[2:])
        assert complex(facts.spectral_density_at([[omega]])[0]) == pytest.approx(expected, abs=1e-8)
        symbol = sympy.Symbol("omega", real=True)
        assert complex(facts.spectral_density.subs(symbol, omega).evalf()) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("text", ["laplace(0.8)", "matern(1.5, 2)"])
def test_in_several_dimensions_the_symbols_agree(text: str) -> None:
    facts = ks.analyze(f"tilt({text}, by=[0.3, -0.2])", dim=2)
    omega = np.random.default_rng(0).standard_normal((3, 2))
    symbols = sympy.symbols("omega_1 omega_2", real=True)
    for point, found in zip(omega, facts.spectral_density_at(omega), strict=True):
        exact = complex(facts.spectral_density.subs(dict(zip(symbols, point, strict=True))).evalf())
        assert complex(found) == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("tilt(laplace(0.5), by=[0, 2])", "< 1/σ = 2 only, and it is 2 here"),
        ("tilt(matern(0.5, 2), by=[0.3, 0.4])", "= 0.5 only, and it is 0.5 here"),
        ("tilt(exponential(1), by=1)", "= 1 only, and it is 1.41421 here"),
        ("tilt(cauchy(), by=0.1)", "features exist, with scaled rows"),
    ],
)
def test_beyond_the_limit_there_is_none(text: str, limit: str) -> None:
    with pytest.raises(NotStationaryError) as caught:
        _ = ks.analyze(text, dim=2).spectral_measure
    assert limit in str(caught.value)


def test_sums_term_by_term() -> None:
    at = [[0.4], [1.0]]
    both = ks.analyze("tilt(laplace() - 2 * gaussian(), 0.3)", dim=1).spectral_density_at(at)
    parts = [ks.analyze(f"tilt({t}, 0.3)", dim=1).spectral_density_at(at) for t in ("laplace()", "gaussian()")]
    np.testing.assert_allclose(both, parts[0] - 2 * parts[1], rtol=1e-12)
