"""Tests of `measures/masses.py`."""

from __future__ import annotations

from functools import cache

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.stats import chi2, gamma, norm

import kernelspec as ks
from kernelspec.errors import NotAvailableYet, NotStationaryError, ParameterError
from kernelspec.measures.masses import integrate_masses, sampled_ratio
from kernelspec.measures.measure import Measure, measure_of
from tests.thoroughness import sweep


def measure_of_text(text: str, dim: int) -> tuple[Measure, float]:
    spec = ks.parse(text)
    kernel = spec.kernel(spec.columns(dim))
    return measure_of(kernel), float(kernel.diagonal())


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_a_difference_of_gaussians(dim: int) -> None:
    # N(0, I) − ½ N(0, I/4) changes sign on a sphere: the χ² law has both masses
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


@pytest.mark.slow
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
    found = ks.analyze("3*shift(rational_quadratic(alpha=2), by=[2, 1])", dim=2).masses
    shares = (np.arange(1000) + 0.5) / 1000
    spreads, normal = np.sqrt(5 * gamma.ppf(shares, 2, scale=0.5)), norm.ppf(shares)
    expected = 3 * np.abs(np.cos(np.outer(spreads, normal))).mean()
    assert not found.is_random
    assert float(found.real_positive + found.real_negative) == pytest.approx(expected, rel=1e-3)
    turned = ks.analyze("-3*shift(rational_quadratic(alpha=2), by=[2, 1])", dim=2).masses
    assert (turned.real_positive, turned.real_negative) == (found.real_negative, found.real_positive)


@pytest.mark.parametrize(
    ("text", "mass"),
    [("gaussian()", 1), ("0.25*gaussian() + 2*cosine(1)", sympy.Rational(9, 4)), ("(3*laplace())**2 * cauchy()", 9),
     ("gaussian() - gaussian()", 0), ("normalize(7*gaussian() + laplace())", 1), ("mean(gaussian(), laplace())", 1)],
)  # fmt: skip
def test_a_positive_kernel_has_all_its_mass_in_one_part(text: str, mass: object) -> None:
    masses = ks.analyze(text, dim=2).masses
    assert masses.real_positive == masses.total_variation == mass == ks.analyze(text, dim=2).k0
    assert (masses.real_negative, masses.imaginary_positive, masses.imaginary_negative) == (0, 0, 0)


def test_symbolic_mass() -> None:
    w = sympy.Symbol("w", positive=True)
    assert ks.analyze("param w > 0\nw*gaussian() + laplace()").masses.total_variation == w + 1


@cache
def exact(wave: str, a: float) -> float:
    """E w(aZ) by mpmath, arc by arc where the wave is positive, in units of the Gaussian at its beginning."""
    with mp.workdps(25):
        a_, total = mp.mpf(a), mp.mpf(0)
        # (first arc, its length, distance to the next) on z > 0 in quarter turns; both half-lines are alike in the mean
        arcs = {"positive": (-1, 2, 4), "negative": (1, 2, 4), "imaginary": (0, 2, 2)}[wave]
        for j in range(int(14 * a / 6) + 2 if a > 0.05 else 2):
            low, high = ((arcs[0] + arcs[2] * j + e) * mp.pi / (2 * a_) for e in (0, arcs[1]))
            low = max(low, mp.mpf(0))
            peak = -(low**2) / 2
            reach = min(high, low + 60 / max(low, mp.mpf(4)))
            if reach <= low:
                continue
            function = (lambda z: abs(mp.sin(a_ * z)) / 2) if wave == "imaginary" else (lambda z: abs(mp.cos(a_ * z)))
            cuts = [low + (reach - low) * mp.mpf(i) / 6 for i in range(7)]
            total += mp.exp(peak) * mp.quad(lambda z, f=function, p=peak: f(z) * mp.exp(-(z**2) / 2 - p), cuts)
        return float(2 * total / mp.sqrt(2 * mp.pi))


@pytest.mark.slow
@pytest.mark.parametrize("dim", sweep([1, 2, 7, 3, 20, 57, 60], every=2))
@pytest.mark.parametrize("a", sweep([1e-3, 0.02, 0.132, 0.7, 1.5, 4.0, 50.0], costly=[0.02, 0.132, 50.0]))
def test_along_one_direction(dim: int, a: float) -> None:
    by = float(a * 2 / np.sqrt(dim))  # every entry; the scale is 2
    masses = ks.analyze(f"shift_gaussian(scale=2, by={by!r})", dim=dim).masses
    assert masses.real_positive == pytest.approx(exact("positive", a), rel=1e-10)
    assert masses.real_negative == pytest.approx(exact("negative", a), rel=1e-10, abs=1e-300)
    assert masses.imaginary_positive == masses.imaginary_negative == pytest.approx(exact("imaginary", a), rel=1e-10)
    assert masses.total_variation == 1
    assert masses.error == 0
    if a > 4:
        return  # e^{a²/2} is the gain of the other two
    tilted = ks.analyze(f"cosh_gaussian(scale=1/2, by={by!r})", dim=dim).masses
    gain = float(np.exp(a**2 / 2))
    assert tilted.real_positive == pytest.approx(gain * exact("positive", a), rel=1e-10)
    assert tilted.total_variation == pytest.approx(gain, rel=1e-12)
    odd = ks.analyze(f"sinh_gaussian(scale=1/2, by={by!r})", dim=dim).masses
    assert (odd.real_positive, odd.real_negative) == (1, 0)
    assert odd.imaginary_positive == pytest.approx(gain * exact("imaginary", a), rel=1e-10)


@pytest.mark.parametrize("text", ["shift_gaussian(by=0.8)", "sinh_gaussian(by=0.3)", "cosh_gaussian(by=0.3)",
                                  "2 * gaussian() - laplace()", "shift(laplace(), 0.7)", "-2 * shift_gaussian(by=1)[0]",
                                  "shift(matern(1.5), 1) - gaussian()", "stretch(shift_gaussian(by=1), 3)"],
)  # fmt: skip
def test_what_masses_add_up_to(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    masses = facts.masses
    assert float(masses.real_positive - masses.real_negative) == pytest.approx(float(facts.k0), abs=1e-9)
    assert float(masses.imaginary_positive) == pytest.approx(float(masses.imaginary_negative), rel=1e-12)
    assert abs(float(facts.k0)) <= float(masses.total_variation) + 1e-12
    assert float(masses.total_variation) <= float(masses.jordan) + 3 * masses.error + 1e-12


def test_a_series_where_there_are_symbols() -> None:
    masses = ks.analyze("param s > 0\nshift_gaussian(scale=s, by=1)", dim=2).masses
    s, k = sympy.Symbol("s", positive=True), sympy.Symbol("k", integer=True, positive=True)
    term = sympy.exp(-4 * k**2 / s**2) / (4 * k**2 - 1)
    assert sympy.simplify(masses.imaginary_positive - (1 - 2 * sympy.Sum(term, (k, 1, sympy.oo))) / sympy.pi) == 0
    assert sympy.simplify(masses.real_positive - masses.real_negative - sympy.exp(-1 / s**2)) == 0
    assert masses.total_variation == 1


def test_refusals() -> None:
    with pytest.raises(NotStationaryError, match="no spectral measure"):
        _ = ks.analyze("gaussian() * match()", dim=1).masses
    with pytest.raises(ParameterError):
        _ = ks.analyze("param s > 0\ngaussian(s) - laplace()", dim=1).masses
    with pytest.raises(NotAvailableYet, match="need its density"):
        _ = ks.analyze("gaussian() * exponential() - matern(3) * exponential()[0] * cauchy()", dim=3).masses


@pytest.mark.long
def test_a_narrow_bump_far_from_zero_makes_a_part_below_zero() -> None:
    text = "radial(t -> 0.95*exp(-t) + 0.05*exp(-400*(t-30)**2))"
    masses = integrate_masses(*measure_of_text(text, 1))
    edges = np.linspace(0, 300, 30_001)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    omega = ((edges[1:] + edges[:-1]) / 2)[:, None] + 0.005 * nodes
    bump = 0.05 * np.sqrt(np.pi / 400) * np.exp(-(omega**2) / 1600) * np.cos(30 * omega)
    below = 2 / np.pi * np.maximum(-(0.95 / (1 + omega**2) + bump), 0)  # both sides of 0; nothing beyond 300
    expected = 0.005 * float((below * weights).sum())
    assert expected > 0.005
    assert abs(masses.real_negative - expected) <= masses.error <= 0.1 * expected
    points = np.random.default_rng(0).normal(size=(50, 1))
    with pytest.raises(ks.PlanError, match="one set of features represents another kernel"):
        ks.KernelFeatures(text, n_features=64, random_state=0).fit(points)
