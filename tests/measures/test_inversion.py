"""Tests of `measures/inversion.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy.special import jv, voigt_profile, wofz
from scipy.stats import cauchy, multivariate_t, norm

import kernelspec as ks
from kernelspec.errors import NoDensityError
from kernelspec.measures.inversion import (
    invert_line,
    invert_plane,
    invert_radial,
    marginals,
)
from tests.measures import oracles as o
from tests.measures.algebra.referees import measure_of_text

OMEGA = np.array([0.0, 0.01, 0.7, 3.0, 9.0])


@pytest.mark.parametrize(
    ("text", "density"),
    [
        ("gaussian(0.01)", lambda w: norm.pdf(w, scale=100)),
        ("laplace(30)", lambda w: cauchy.pdf(w, scale=1 / 30)),
        ("cauchy()", lambda w: np.exp(-np.abs(w)) / 2),
        ("triangle()", lambda w: np.sinc(w / 2 / np.pi) ** 2 / (2 * np.pi)),
    ],
)
def test_on_the_line(text: str, density: o.Oracle) -> None:
    np.testing.assert_allclose(invert_line(o.measure_of_text(text, 1), OMEGA)[0], density(OMEGA), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("dim", [2, 3, 5])
def test_of_the_radius(dim: int) -> None:
    points = OMEGA[:, None] * np.eye(1, dim)
    expected = multivariate_t(shape=np.eye(dim) / 4, df=3).pdf(points)
    np.testing.assert_allclose(
        invert_radial(o.measure_of_text("matern(1.5, 2)", dim), OMEGA)[0], expected, rtol=1e-6, atol=1e-9
    )


def test_product_of_radial_kernels_in_three_dimensions() -> None:
    """f₃(ρ) = −f₁′(ρ)/2πρ, and the derivative of the Voigt profile is that of the Faddeeva function."""
    radius = OMEGA[2:]
    z = (radius + 1j) / np.sqrt(2)
    slope = (-2 * z * wofz(z) + 2j / np.sqrt(np.pi)).real / np.sqrt(2) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(voigt_profile(radius, 1, 1), wofz(z).real / np.sqrt(2 * np.pi), rtol=1e-12)
    points = radius[:, None] * np.array([[0.6, 0.0, -0.8]])
    found = o.measure_of_text("gaussian()*exponential()", 3).density(points)
    np.testing.assert_allclose(found, -slope / (2 * np.pi * radius), rtol=1e-6)


@pytest.mark.long
def test_product_of_radial_kernels_in_two_dimensions() -> None:
    """(1/2π) ∫ r J₀(rρ) k(r) dr by Gauss's rule: the Gaussian ends the integral."""
    r, weight = np.polynomial.legendre.leggauss(400)
    r, weight = 6 * (r + 1), 6 * weight
    for rho in (0.0, 0.5, 2.5):
        expected = weight @ (r * jv(0, r * rho) * np.exp(-(r**2) / 2 - r)) / (2 * np.pi)
        found = o.measure_of_text("gaussian()*exponential()", 2).density(np.array([[0.6 * rho, 0.8 * rho]]))[0]
        assert found == pytest.approx(expected, rel=1e-6)


ASYMMETRIC = {
    # six digits from an independent audit; the second in closed form
    "shift_gaussian(by=0.5)*laplace()": (0.0, 0.195537, 1e-6),
    "shift_gaussian(by=0.4)**2": (0.0, 1 / (2 * np.sqrt(np.pi)), 1e-12),
    "tilt(gaussian()*cauchy(), by=0.5)": (1.0, 0.207420 - 0.053362j, 1e-6),
}


@pytest.mark.parametrize("text", ASYMMETRIC)
def test_complex_measures_take_both_transforms(text: str) -> None:
    at, expected, rounding = ASYMMETRIC[text]
    found = o.measure_of_text(text, 1).density(np.array([[at], [-at]]))
    assert abs(found[0] - expected) < rounding
    assert found[1] == np.conj(found[0])


@pytest.mark.parametrize("omega", [0.0, 1e-3, 2.0])
def test_a_tilt_that_overflows_far_away(omega: float) -> None:
    """∫ e^{−t²/2 − at} over t > 0 is √(π/2) erfcx(a/√2), here a = 1 ∓ 0.3 ± iω."""
    half = [np.sqrt(np.pi / 2) * wofz(1j * (a + sign * 1j * omega) / np.sqrt(2)) for a, sign in ((0.7, 1), (1.3, -1))]
    values, errors = o.measure_of_text("tilt(laplace(), by=0.3)*gaussian()", 1).density_and_error(np.array([[omega]]))
    assert abs(values[0] - sum(half) / (2 * np.pi)) <= errors[0] + 1e-15
    assert errors[0] < 1e-12


def test_what_is_not_finite_is_refused() -> None:
    with pytest.raises(NoDensityError, match="not finite at t"):
        invert_line(o.measure_of_text("cosh_gaussian(0.5, by=48)**3*laplace()", 1), OMEGA)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_bars_of_radial_inversion_hold_against_closed_forms(seed: int) -> None:
    """Products of Matérn kernels, and with a Gaussian in odd dimensions, of scales up to 10⁴ apart."""
    rng = np.random.default_rng(seed)
    dim = int(rng.choice([2, 3, 4, 5, 7]))
    scales = 10 ** rng.uniform(-2, 2, 2)
    first, second = (
        f"matern({nu}, {scale:.4g})" for nu, scale in zip(rng.choice(["1/2", "3/2", "5/2"], 2), scales, strict=True)
    )
    if dim % 2 and rng.random() < 0.6:
        second = f"gaussian({scales[1]:.4g})"
    measure = o.measure_of_text(f"{first}*{second}", dim)
    radii = np.append(0, 10 ** rng.uniform(-2, 2.5, 8)) / min(scales)
    closed, none = measure.density_and_error(radii[:, None] * np.eye(1, dim))
    assert not none.any()
    values, errors, _ = invert_radial(measure, radii)
    assert (np.abs(values - closed) <= errors).all()


@pytest.mark.long
@pytest.mark.parametrize("dim", [2, 3, 5, 8, 12])
@pytest.mark.parametrize(
    "text",
    ["gaussian()", "exponential()", "matern(1/4)", "matern(5/2)", "rational_quadratic(1)", "rational_quadratic(20)"],
)
def test_bars_of_radial_inversion_hold_for_the_catalogue(text: str, dim: int) -> None:
    measure = o.measure_of_text(text, dim)
    radii = np.array([1e-3, 0.03, 0.3, 1.0, 3.0, 10.0, 100.0, 1000.0])
    values, errors, _ = invert_radial(measure, radii)
    assert (np.abs(values - measure.density(radii[:, None] * np.eye(1, dim))) <= errors).all()


@pytest.mark.parametrize(
    "text",
    ["stretch(laplace(), [1, 3])*cauchy()[0]", "gaussian()[1]*laplace()[0]", "stretch(laplace(), [1, 3])[1, 0]*sinc()"],
)
def test_coordinates_are_independent(text: str) -> None:
    measure = o.measure_of_text(text, 2)
    first, second = marginals(measure) or (None, None)
    at = np.random.default_rng(0).normal(size=(6, 2))
    product = first.characteristic_function(at[:, :1]) * second.characteristic_function(at[:, 1:])
    np.testing.assert_allclose(measure.characteristic_function(at), product, rtol=1e-12)


def test_gaussians_scaled_apart_and_smoothed() -> None:
    """N(0, 1/s_i²) in every column, through a convolution that is inverted coordinate by coordinate."""
    omega = np.array([[0.2, 0.4], [1.0, -2.0]])
    expected = norm.pdf(omega[:, 0], scale=np.sqrt(1 + 1)) * norm.pdf(omega[:, 1], scale=np.sqrt(1 + 1 / 9))
    found = o.measure_of_text("stretch(gaussian(), [1, 3])*gaussian()", 2).density(omega)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


OMEGA_OF_PLANE_INVERSION = np.array([[0.0, 0.0], [0.7, -0.2], [-1.5, 2.0], [3.0, 3.0]])


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["laplace()*gaussian()", "shift_gaussian(by=[0.5, -1])*laplace()", "matern(nu=1/2)*matern(nu=7/2)"]
)
def test_against_closed_forms(text: str) -> None:
    values, errors, peak = invert_plane(measure_of_text(text, 2), OMEGA_OF_PLANE_INVERSION)
    exact = measure_of_text(text, 2).density(OMEGA_OF_PLANE_INVERSION)
    assert (np.abs(values - exact) <= errors).all()
    assert (errors <= 1e-12 * peak).all()


@pytest.mark.long
def test_against_the_radius_alone() -> None:
    """Two laws of the radius that are not elementary."""
    measure = measure_of_text("matern(nu=1)*powered_exponential(alpha=3/2)", 2)
    values, errors, peak = invert_plane(measure, OMEGA_OF_PLANE_INVERSION)
    expected, doubt, _ = invert_radial(measure, np.linalg.norm(OMEGA_OF_PLANE_INVERSION, axis=1))
    assert (np.abs(values - expected) <= errors + doubt).all()
    assert (errors <= 1e-9 * peak).all()


@pytest.mark.long
def test_a_radial_kernel_times_a_product_over_the_columns() -> None:
    """exp(−‖Δ‖)·exp(−|Δ₁| − |Δ₂|): in polar coordinates the radius integrates in closed form, and mpmath the angle."""
    omega = (0.7, -0.2)
    found = ks.analyze("exponential()*laplace()", dim=2)
    value, error = found.spectral_density_at([omega])[0], found.spectral_density_error_at([omega])[0]

    def over_radii(angle):
        c, s = mp.cos(angle), mp.sin(angle)
        return 1 / (1 + abs(c) + abs(s) + 1j * (omega[0] * c + omega[1] * s)) ** 2

    exact = mp.quad(over_radii, [n * mp.pi / 2 for n in range(5)]).real / (4 * mp.pi**2)
    assert 0 < error < 1e-12
    assert abs(value - float(exact)) <= error


@pytest.mark.long
@pytest.mark.parametrize("text", ["triangle()*gaussian()", "shift(laplace(), by=0.4)*gaussian()"])
def test_errors_hold_where_the_rule_does_not_fit(text: str) -> None:
    """Corners off the axes: in closed form, so that the error can be seen."""
    measure = measure_of_text(text, 2)
    values, errors, _ = invert_plane(measure, OMEGA_OF_PLANE_INVERSION)
    assert (np.abs(values - measure.density(OMEGA_OF_PLANE_INVERSION)) <= errors).all()


def test_what_is_refused() -> None:
    with pytest.raises(NoDensityError, match="at most 500,000"):
        invert_plane(measure_of_text("cauchy()*cauchy(2)", 2), OMEGA_OF_PLANE_INVERSION)
    with pytest.raises(NoDensityError, match="at most 500,000"):
        invert_plane(measure_of_text("laplace()*gaussian()", 2), np.array([[1e4, 0.0]]))
    with pytest.raises(NoDensityError, match="does not fall"):
        invert_plane(measure_of_text("constant()", 2), OMEGA_OF_PLANE_INVERSION)
    with pytest.raises(NoDensityError, match="without closed form"):
        ks.analyze("matern(nu=3/2)*laplace()", dim=3).spectral_density_at(np.ones((1, 3)))
    with pytest.raises(NoDensityError):  # corners, and so an error beyond a millionth of the peak
        ks.analyze("triangle(2)*exponential()", dim=2).spectral_density_at(OMEGA_OF_PLANE_INVERSION)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["matern(5/2, 0.06772)*gaussian(20.6)", "matern(13/2)*gaussian(30)"])
def test_far_out_the_density_of_a_smooth_product_is_not_zero(text: str) -> None:
    """Derivatives below the first that jumps vanish, which says nothing of how small the rest of the series is."""
    measure = o.measure_of_text(text, 5)
    radii = np.array([20.0, 40.0, 57.6])
    closed, _ = measure.density_and_error(radii[:, None] * np.eye(1, 5))
    values, errors, _ = invert_radial(measure, radii)
    assert (np.abs(values - closed) <= errors).all()
    assert (closed > 0).all()


_BUMPS: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray], float, float]] = {
    "a Gaussian": ("0.1*exp(-400*(t-50)**2)", lambda t: 0.1 * np.exp(-400 * (t - 50) ** 2), 50, 0.5),
    "a Gaussian of width 1e-4": ("0.1*exp(-1e8*(t-70)**2)", lambda t: 0.1 * np.exp(-1e8 * (t - 70) ** 2), 70, 1e-3),
    "with its square written out": (
        "0.1*exp(-900*t**2 + 72000*t - 1440000)",
        lambda t: 0.1 * np.exp(-900 * (t - 40) ** 2),
        40,
        0.4,
    ),
    "0 in the middle": ("(t-40)*exp(-900*(t-40)**2)", lambda t: (t - 40) * np.exp(-900 * (t - 40) ** 2), 40, 0.4),
    "of a logarithm": (
        "0.1*exp(-4000*(log(t+1)-3)**2)",
        lambda t: 0.1 * np.exp(-4000 * (np.log(t + 1) - 3) ** 2),
        np.e**3 - 1,
        4.5,
    ),
    "a pole off the axis, cut": (
        "0.1*max(0, 1/(1+1e4*(t-50)**2) - 1/101)",
        lambda t: 0.1 * np.maximum(0, 1 / (1 + 1e4 * (t - 50) ** 2) - 1 / 101),
        50,
        0.1,
    ),
}
"""Bumps far from 0, as text and in NumPy, where they are, and within which distance."""


@pytest.mark.long
@pytest.mark.parametrize("bump", _BUMPS.values(), ids=_BUMPS)
@pytest.mark.parametrize(
    ("spec", "dim"), [("product(t -> {})", 1), ("radial(t -> {})", 3), ("gaussian(1e9)*product(t -> {})", 1)]
)
def test_a_narrow_bump_far_from_zero_is_seen(spec: str, dim: int, bump: Any) -> None:
    text, f, place, reach = bump
    facts = ks.analyze(spec.format(f"0.9*exp(-t) + {text}"), dim=dim)
    edges = np.linspace(place - reach, place + reach, 201)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    t = ((edges[1:] + edges[:-1]) / 2)[:, None] + reach / 200 * nodes
    for omega in (0.3, 2.0, 7.0):
        smooth = {1: 0.9 / np.pi / (1 + omega**2), 3: 0.9 / np.pi**2 / (1 + omega**2) ** 2}[dim]
        wave = {1: np.cos(omega * t) / np.pi, 3: t * np.sin(omega * t) / omega / (2 * np.pi**2)}[dim]
        expected = smooth + reach / 200 * float((f(t) * wave * weights).sum())
        found, error = (
            value([[omega, *[0.0] * (dim - 1)]])[0]
            for value in (facts.spectral_density_at, facts.spectral_density_error_at)
        )
        assert error < 1e-9
        assert abs(found - expected) <= error + 1e-13


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "reach"), [(400, 0.5), (1e8, 1e-3)])
def test_a_narrow_ring_in_the_plane_is_seen(rate: float, reach: float) -> None:
    text = f"gaussian(scale=100)[0]*radial(t -> 0.9*exp(-t) + 0.1*exp(-{rate:.0f}*(t-50)**2))"
    angles = np.linspace(0, 2 * np.pi, 4001)[:-1]
    nodes, weights = np.polynomial.legendre.leggauss(40)

    def over(first: float, last: float, count: int, f: Callable[[np.ndarray], np.ndarray]) -> float:
        edges = np.linspace(first, last, count + 1)
        half = (last - first) / count / 2
        r = (((edges[1:] + edges[:-1]) / 2)[:, None] + half * nodes).ravel()
        x, y = np.multiply.outer(r, np.cos(angles)), np.multiply.outer(r, np.sin(angles))
        around = 2 * np.pi * (np.exp(-((x / 100) ** 2) / 2) * np.cos(0.3 * x + 0.2 * y)).mean(axis=1)
        return float((half * np.tile(weights, count) * r * f(r) * around).sum()) / (2 * np.pi) ** 2

    expected = over(0, 45, 60, lambda r: 0.9 * np.exp(-r))
    expected += over(50 - reach, 50 + reach, 40, lambda r: 0.1 * np.exp(-rate * (r - 50) ** 2))
    facts = ks.analyze(text, dim=2)
    error = facts.spectral_density_error_at([[0.3, 0.2]])[0]
    assert error < 1e-9
    assert abs(facts.spectral_density_at([[0.3, 0.2]])[0] - expected) <= error + 1e-13


@pytest.mark.parametrize("factor", ["{}[0]", "{}", "shift({}, by=1)[0]"])
def test_a_narrow_bump_along_a_line_in_the_plane_is_refused(factor: str) -> None:
    bump = factor.format("product(t -> 0.9*exp(-t) + 0.1*exp(-1e6*(t-50)**2))")
    facts = ks.analyze(f"{bump}*radial(t -> exp(-t))", dim=2)
    with pytest.raises(NoDensityError, match="bumps too narrow"):
        facts.spectral_density_at([[0.3, 0.2]])
