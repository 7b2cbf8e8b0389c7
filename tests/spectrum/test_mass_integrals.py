"""Numerical masses against closed forms and one-dimensional quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import kernelspec as ks
from kernelspec.measures.masses import integrate_masses, sampled_ratio
from kernelspec.measures.measure import Measure, measure_of


def measure_of_text(text: str, dim: int) -> tuple[Measure, float]:
    spec = ks.parse(text)
    kernel = spec.kernel(spec.columns(dim))
    return measure_of(kernel), float(kernel.diagonal())


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_a_difference_of_gaussians(dim: int) -> None:
    # N(0, I) − ½ N(0, I/4) changes sign on a sphere: the χ² law has both masses
    from scipy.stats import chi2

    masses = integrate_masses(*measure_of_text("gaussian(1) - 0.5 * gaussian(2)", dim))
    # densities: (2π)^{−d/2} e^{−r²/2} and ½ (4/2π)^{d/2}e^{−2r²}: equal at r² = ln(2^d / 2) / 1.5
    edge = (dim - 1) * np.log(2) / 1.5
    negative = 0.5 * chi2.cdf(4 * edge, dim) - chi2.cdf(edge, dim)
    assert masses.real_negative == pytest.approx(negative, abs=1e-11)
    assert masses.error < 1e-8
    assert not masses.is_random


def test_on_the_line_between_the_zeros() -> None:
    masses = integrate_masses(*measure_of_text("2 * gaussian() - laplace()", 1))
    density = ks.analyze("2 * gaussian() - laplace()", dim=1).spectral_density_at
    # one sign change on ω > 0, of a density that falls like 1/ω²
    low, high = 0.5, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if density([[middle]])[0] > 0 else (low, middle)
    positive = 2 * quad(lambda w: float(density([[w]])[0]), 0, low, epsabs=1e-13)[0]
    assert masses.real_positive == pytest.approx(positive, abs=masses.error + 1e-10)
    assert masses.error < 1e-6


@pytest.mark.parametrize("dim", [1, 2, 4])
@pytest.mark.parametrize(
    "text", ["shift(laplace(), 0.6)", "shift(matern(1.5), 0.6)", "shift(gaussian(), 0.6) + 0 * laplace()"]
)
def test_a_translated_measure_by_series(text: str, dim: int) -> None:
    masses = integrate_masses(*measure_of_text(text, dim))
    measure, _ = measure_of_text(text, dim)
    _, ratio = sampled_ratio(measure, 200_000)
    for found, draws in (
        (masses.real_positive, np.maximum(ratio.real, 0)),
        (masses.real_negative, np.maximum(-ratio.real, 0)),
        (masses.imaginary_positive, np.maximum(ratio.imag, 0)),
    ):
        assert abs(found - draws.mean()) <= 6 * draws.std() / np.sqrt(len(draws))
    assert masses.error < 1e-6 or masses.is_random


def test_a_translated_laplace_on_the_line_by_quadrature() -> None:
    masses = integrate_masses(*measure_of_text("shift(laplace(), 1)", 1))
    # ∫_0^∞ cos(w) over its negative arcs, with the Cauchy density: arcs summed, the tail by Euler's averages
    arcs = np.array([
        quad(lambda w: 2 * abs(np.cos(w)) / (np.pi * (1 + w**2)), np.pi * (2 * j + 0.5), np.pi * (2 * j + 1.5))[0]
        for j in range(4000)
    ])  # fmt: skip
    tail = 2 / np.pi * (1 / np.pi) / (2 * np.pi * 4000)
    assert masses.real_negative == pytest.approx(arcs.sum() + tail, abs=1e-8)


def test_atoms_are_added_up() -> None:
    masses = integrate_masses(*measure_of_text("shift(cosine(1), 1) - 0.25 * cosine(2)", 1))
    assert masses.real_positive == pytest.approx(np.cos(1), abs=1e-12)
    assert masses.real_negative == pytest.approx(0.25, abs=1e-12)
    assert masses.imaginary_positive == pytest.approx(np.sin(1) / 2, abs=1e-12)
    assert masses.total_variation == pytest.approx(1.25, abs=1e-12)


@pytest.mark.slow
def test_draws_come_with_their_standard_error() -> None:
    masses = integrate_masses(*measure_of_text("2 * gaussian() - laplace()", 2))
    assert masses.is_random
    axis = np.linspace(-60, 60, 2001)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    density = ks.analyze("2 * gaussian() - laplace()", dim=2).spectral_density_at(grid)
    positive = float(np.maximum(density, 0).sum()) * (axis[1] - axis[0]) ** 2
    assert 0 < masses.error < 0.01
    assert abs(masses.real_positive - positive) < 6 * masses.error


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # six digits from an independent audit
        ("sinh_gaussian(by=0.6)*laplace()", 1.04156),
        # a Gaussian of scale 1/√2 moved by 0.4
        ("shift_gaussian(by=0.4)**2", 1.0),
    ],
)
def test_complex_products_on_the_line(text: str, expected: float) -> None:
    masses = integrate_masses(*measure_of_text(text, 1))
    assert abs(masses.total_variation - expected) <= masses.error + 5e-6 * (expected != 1)
    assert masses.error < 2e-6
    assert masses.imaginary_positive > 0.1


def test_a_moved_gaussian_written_as_a_product_has_the_masses_of_its_series() -> None:
    series = ks.analyze(f"shift_gaussian({0.5**0.5!r}, by=0.4)", dim=1).masses
    masses = integrate_masses(*measure_of_text("shift_gaussian(by=0.4)**2", 1))
    for name in ("real_positive", "real_negative", "imaginary_positive", "total_variation"):
        assert abs(getattr(masses, name) - float(getattr(series, name))) <= masses.error


def test_a_tilt_that_overflows_far_away_has_masses() -> None:
    masses = ks.analyze("tilt(laplace(), by=0.3)*gaussian()", dim=1).masses
    # the real part is positive here, and its mass k(0)
    assert masses.real_positive == pytest.approx(1, abs=masses.error)
    assert 1 < masses.total_variation < 1.02


def test_a_translated_product_has_a_series_too() -> None:
    masses = integrate_masses(*measure_of_text("shift(matern(3/2)*matern(5/2), by=1)", 3))
    assert masses.total_variation == pytest.approx(1, abs=1e-12)
    assert masses.error < 1e-6


@pytest.mark.slow
def test_a_weight_keeps_the_series_of_a_translation() -> None:
    """E|cos r·ω|, r·ω normal with the variance 5T, T of a gamma law, at quantiles of both; random draws before."""
    from scipy.stats import gamma, norm

    found = ks.analyze("3*shift(rational_quadratic(alpha=2), by=[2, 1])", dim=2).masses
    shares = (np.arange(1000) + 0.5) / 1000
    spreads, normal = np.sqrt(5 * gamma.ppf(shares, 2, scale=0.5)), norm.ppf(shares)
    expected = 3 * np.abs(np.cos(np.outer(spreads, normal))).mean()
    assert not found.is_random
    assert float(found.real_positive + found.real_negative) == pytest.approx(expected, rel=1e-3)
    turned = ks.analyze("-3*shift(rational_quadratic(alpha=2), by=[2, 1])", dim=2).masses
    assert (turned.real_positive, turned.real_negative) == (found.real_negative, found.real_positive)
