"""Tilted products over columns: densities against quadrature, and where there are none."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import NotStationaryError


def gamma_triangles(t: mp.mpf, shape: int) -> mp.mpf:
    """E max(0, 1 − t/R), R ~ Gamma(shape, 1)."""
    return (mp.gammainc(shape, t) - t * mp.gammainc(shape - 1, t)) / mp.gamma(shape)


FACTORS = {
    "polya(gamma(shape=2))": (lambda t: mp.exp(-t), 0.5),
    "polya(gamma(shape=4, scale=0.5))": (lambda t: gamma_triangles(2 * t, 4), 1.2),
    "polya(rayleigh(scale=1))": (
        lambda t: mp.exp(-t * t / 2) - t * mp.sqrt(mp.pi / 2) * mp.erfc(t / mp.sqrt(2)), 1.0
    ),
    "triangle(width=2)": (lambda t: max(mp.mpf(0), 1 - t / 2), 3.0),
    "product(t -> exp(-t)/(1 + t))": (lambda t: mp.exp(-t) / (1 + t), -0.7),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("text", FACTORS)
def test_density_is_the_inverse_transform(text: str) -> None:
    factor, rate = FACTORS[text]
    facts = ks.analyze(f"tilt({text}, by={rate})", dim=1)
    omega = np.array([0.0, 0.6, -3.1])
    found, errors = facts.spectral_density_at(omega[:, None]), facts.spectral_density_error_at(omega[:, None])
    ends = sorted([-120, -40, -12, -4, -2, -1, -0.3, 0, 0.3, 1, 2, 4, 12, 40, 120])
    for w, value, error in zip(omega, found, errors, strict=True):
        exact = mp.quad(lambda t, w=w: factor(abs(t)) * mp.exp(rate * t - 1j * w * t), ends) / (2 * mp.pi)
        assert abs(complex(exact) - value) <= error + 1e-13
        assert error < 1e-9


def test_columns_are_independent() -> None:
    facts = ks.analyze("tilt(polya(gamma(shape=2)), by=[0.5, -0.2])", dim=2)
    omega = np.random.default_rng(0).standard_normal((4, 2))
    closed = ks.analyze("tilt(laplace(), by=[0.5, -0.2])", dim=2).spectral_density_at(omega)
    np.testing.assert_allclose(facts.spectral_density_at(omega), closed, rtol=1e-10)


@pytest.mark.long
def test_masses_of_a_tilted_laplace_kernel_in_other_words() -> None:
    found, closed = (ks.analyze(f"tilt({k}, by=0.5)", dim=1).masses for k in ("polya(gamma(2))", "laplace()"))
    assert abs(found.total_variation - closed.total_variation) <= found.error + closed.error < 1e-5


def test_one_factor_takes_the_exponential() -> None:
    facts = ks.analyze("tilt(cauchy()*laplace(), by=0.3)", dim=1)
    value = facts.spectral_density_at([[1.0]])[0]
    ends = [-60, -20, -5, 0, 5, 20, 60]
    exact = mp.quad(lambda t: mp.exp(-abs(t) + 0.3 * t - 1j * t) / (1 + t * t), ends) / (2 * mp.pi)
    assert abs(complex(exact) - value) < 1e-12


@pytest.mark.parametrize(
    "text",
    ["tilt(polya(gamma(shape=2)), by=1)", "tilt(polya(pareto(shape=3)), by=0.1)", "tilt(polya(weibull(0.5)), by=0.1)"],
)
def test_beyond_the_limit_there_is_none(text: str) -> None:
    with pytest.raises(NotStationaryError, match="features exist, with scaled rows"):
        _ = ks.analyze(text, dim=1).spectral_measure
