"""Tests of `special/radial_table.py`."""

from __future__ import annotations

import ast
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

import kernelspec
import kernelspec as ks
from kernelspec.errors import NoDensityError, NotAvailableYet, NotFiniteError
from kernelspec.expressions.integrals import cosine_integral_between
from kernelspec.limits import counted_work, spend
from kernelspec.measures.masses import affordable_ratio
from kernelspec.special.hankel_pieces import hankel_pieces
from kernelspec.special.radial_spectrum import NumericalSpectrum, WaveSpectrum
from kernelspec.special.radial_table import SignedRadial, radial_table, radial_wave
from tests.measures.test_masses import measure_of_text

SHARES = np.array([1e-5, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-5])


@pytest.mark.long
def test_quantiles() -> None:
    table = radial_table(hankel_pieces(lambda r: np.exp(-r), np.zeros(1), 1.0, 1), 1.0)
    assert table.negative == 0
    np.testing.assert_allclose(2 / np.pi * np.arctan(table.quantile(SHARES)), SHARES, atol=2 * table.tolerance)
    assert table.quantile(np.array([1 - 1e-12]))[0] == pytest.approx(2e12 / np.pi, rel=0.01)  # beyond the table
    table = radial_table(hankel_pieces(lambda r: np.exp(-r * r / 2), np.zeros(1), 1.0, 3), 1.0)
    found = special.gammainc(1.5, table.quantile(SHARES) ** 2 / 2)
    np.testing.assert_allclose(found, SHARES, atol=2 * table.tolerance)


@pytest.mark.long
def test_negative_masses() -> None:
    """(1 − cr²)e^{−r²/2} on the line has the density (1 − c + cω²)φ(ω)."""
    table = radial_table(hankel_pieces(lambda r: (1 - r * r) * np.exp(-r * r / 2), np.zeros(1), 1.0, 1), 1.0)
    assert table.negative < table.tolerance
    table = radial_table(hankel_pieces(lambda r: (1 - 2 * r * r) * np.exp(-r * r / 2), np.zeros(1), 1.0, 1), 1.0)
    a = np.sqrt(0.5)
    mass = special.erf(a / np.sqrt(2))
    second = mass - 2 * a * np.exp(-a * a / 2) / np.sqrt(2 * np.pi)  # ∫ ω²φ over |ω| < a
    assert table.negative == pytest.approx(mass - 2 * second, abs=1e-4)


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_waves_of_spheres(dim: int) -> None:
    x = np.array([0.0, 1e-3, 9e-3, 1.1e-2, 0.7, 30.0])
    np.testing.assert_allclose(radial_wave(x, dim), special.hyp0f1(dim / 2, -x * x / 4), rtol=1e-9, atol=1e-12)


@pytest.mark.long
def test_the_parts_of_a_gaussian_times_a_polynomial() -> None:
    """(1 − r²)e^{−r²/2} on the plane has the density (ω² − 1)N(ω): with u = ω²/2 the mass (2u − 1)e^{−u}du."""
    table = radial_table(hankel_pieces(lambda r: (1 - r * r) * np.exp(-r * r / 2), np.zeros(1), 1.0, 2), 1.0)
    positive, negative = SignedRadial.of(table, 1), SignedRadial.of(table, -1)
    size = 2 * np.exp(-0.5) - 1
    assert negative.mass == pytest.approx(size, abs=2 * table.tolerance)
    assert positive.mass == pytest.approx(1 + size, abs=2 * table.tolerance)
    shares = np.array([1e-3, 0.2, 0.5, 0.9, 0.999])
    u = negative.quantile(shares) ** 2 / 2
    np.testing.assert_allclose((np.exp(-u) * (1 + 2 * u) - 1) / -size * -1, shares, atol=2 * table.tolerance / size)
    u = positive.quantile(shares) ** 2 / 2
    np.testing.assert_allclose(1 - np.exp(-u) * (1 + 2 * u) / (1 + size), shares, atol=4 * table.tolerance)
    r = np.array([0.0, 0.5, 2.0, 7.0])
    shells = np.linspace(0, 1, 20_001)  # the trapezoidal rule for the Hankel transform of the negative part
    exact = np.trapezoid(special.j0(np.outer(r, shells)) * (1 - shells**2) * shells * np.exp(-(shells**2) / 2), shells)
    np.testing.assert_allclose(negative.transform(r, 2), exact / size, atol=1e-5)
    many = np.linspace(0, 7, 3_000)
    np.testing.assert_allclose(negative.transform(many, 2)[[0, -1]], (exact / size)[[0, -1]], atol=1e-5)


@pytest.mark.long
def test_densities_that_fall_slowly_are_not_split() -> None:
    """The density of max(0, 1 − r) has the shells ρ^{(d−5)/2} cos ρ, far out: in d = 3 it is not integrable."""
    slow = NumericalSpectrum.of(lambda r: np.maximum(0, 1 - r), (0.0, 1.0), 3)
    assert slow.is_signed
    with pytest.raises(ArithmeticError, match="may not be absolutely integrable"):
        slow.masses()


def test_waves_are_projections_of_spheres() -> None:
    shares = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(WaveSpectrum(3, 2.0, 1).quantile(shares), 2 * shares)  # Archimedes
    np.testing.assert_array_equal(WaveSpectrum(3, 2.0, 3).quantile(shares), 2)
    density, _ = WaveSpectrum(3, 2.0, 1).density(np.array([0.0, 1.0, 3.0]))
    np.testing.assert_allclose(density, [0.25, 0.25, 0])
    density, _ = WaveSpectrum(3, 1.0, 2).density(np.array([0.6]))
    np.testing.assert_allclose(density, 1 / (2 * np.pi * 0.8))


@pytest.mark.long
def test_signed_measures_and_unresolved_ones_are_refused() -> None:
    signed = NumericalSpectrum.of(lambda r: np.maximum(0, 1 - r), (0.0, 1.0), 2)
    with pytest.raises(NotAvailableYet, match=r"both signs on 2 columns.*not known to be, to 0\.001, absolutely"):
        signed.check("this", None, is_positive=False)
    assert not signed.has_parts
    steep = NumericalSpectrum.of(lambda r: np.exp(-r), (0.0,), 12)
    with pytest.raises(NotAvailableYet, match=r"use fewer columns|not resolved"):
        steep.check("this", None, is_positive=True)


RADII = np.array([1e-3, 0.1, 1.0, 3.0, 10.0, 47.3, 300.0, 1e4])


def spherical(r: np.ndarray) -> np.ndarray:
    return 1 - 1.5 * np.minimum(r, 1) + 0.5 * np.minimum(r, 1) ** 3


def circular(r: np.ndarray) -> np.ndarray:
    h = np.minimum(r, 1)
    return 2 / np.pi * (np.arccos(h) - h * np.sqrt(1 - h * h))


BALLS: dict[str, tuple[Any, int, Any]] = {
    "Gaussian on 1": (lambda r: np.exp(-r * r / 2), 1, lambda w: special.gammainc(0.5, w * w / 2)),
    "Gaussian on 2": (lambda r: np.exp(-r * r / 2), 2, lambda w: special.gammainc(1, w * w / 2)),
    "Gaussian on 4": (lambda r: np.exp(-r * r / 2), 4, lambda w: special.gammainc(2, w * w / 2)),
    "exponential on 1": (lambda r: np.exp(-r), 1, lambda w: 2 / np.pi * np.arctan(w)),
    "exponential on 2": (lambda r: np.exp(-r), 2, lambda w: 1 - (1 + w * w) ** -0.5),
    "exponential on 3": (lambda r: np.exp(-r), 3, lambda w: 2 / np.pi * (np.arctan(w) - w / (1 + w * w))),
    "rational on 1": (lambda r: 1 / (1 + r * r), 1, lambda w: 1 - np.exp(-w)),
    "rational on 3": (lambda r: 1 / (1 + r * r), 3, lambda w: special.gammainc(2, w)),
}
"""With the distribution functions of the modulus: chi, Cauchy's, and gamma for the rational in space."""


@pytest.mark.parametrize("name", BALLS)
def test_mass_of_balls(name: str) -> None:
    function, dim, exact = BALLS[name]
    values, errors = hankel_pieces(function, np.zeros(1), 1.0, dim).ball(RADII)
    assert (np.abs(values - exact(RADII)) <= errors + 1e-15).all()
    assert errors[:6].max() < 1e-7


@pytest.mark.parametrize(("function", "dim", "volume"), [(circular, 2, np.pi / 4), (spherical, 3, np.pi / 6)])
def test_overlaps_of_balls_have_squared_densities(function: Any, dim: int, volume: float) -> None:
    """|transform of a ball of diameter 1|² / (volume (2π)^d) [Matérn 1960]."""
    ball = (np.pi / RADII) ** (dim / 2) * special.jv(dim / 2, RADII / 2)
    exact = ball**2 / volume / (2 * np.pi) ** dim
    values, errors = hankel_pieces(function, np.array([0.0, 1.0]), 1.0, dim).density(RADII)
    assert (np.abs(values - exact) <= errors + 1e-12 * exact).all()
    assert (errors < 1e-7 * exact[0]).all()


def test_tails_that_fall_below_any_number_before_the_ball_outgrows_them() -> None:
    """(1 + r²)^{−3} on R⁴ is the transform of 2^{−5} π^{−2} ρ K₁(ρ) [DLMF 10.22.46]: the tail counts near 0."""
    rho = np.array([1e-8, 1e-5, 1e-3, 0.5])
    values, errors = hankel_pieces(lambda r: (1 + r * r) ** -3.0, np.zeros(1), 0.5, 4).density(rho)
    exact = rho * special.k1(rho) / 32 / np.pi**2
    assert (np.abs(values - exact) <= errors + 1e-14 * exact).all()
    assert (errors < 1e-9 * exact).all()


def test_values_where_nothing_is_resolved_are_said_to_be_unknown() -> None:
    _, errors = hankel_pieces(lambda r: np.exp(-r), np.zeros(1), 1.0, 1).ball(np.array([1e20]))
    assert errors[0] == np.inf


def test_what_is_spent_is_counted_for_all_who_count() -> None:
    spend(1e9)  # nobody counts
    with counted_work() as outer:
        spend(1e6)
        with counted_work() as inner:
            spend(2e6)
        spend(4e6)
    assert (inner.done, outer.done) == (2.0, 7.0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "draws"), [("2 * gaussian() - laplace()", 1 << 16), ("product(t -> exp(-2*t**0.5)) - laplace()", 1 << 9)]
)
def test_draws_are_as_many_as_their_work_allows(text: str, draws: int) -> None:
    measure, _ = measure_of_text(text, 2)
    assert len(affordable_ratio(measure)[1]) == draws


def test_densities_that_would_take_minutes_are_left_open() -> None:
    measure, _ = measure_of_text("modulate(shift(product(t -> exp(-2*t**0.5)), by=[1000, 1000]), by=1)", 2)
    with pytest.raises(NoDensityError, match="every value of it is expensive"):
        affordable_ratio(measure)


WANTED = {"absolute": 1e-12, "relative": 1e-12}


def test_a_cosine_integral() -> None:
    found = cosine_integral_between(lambda t: math.exp(-t), 0, 50, 3, **WANTED)
    assert found == pytest.approx(1 / 10, abs=1e-12)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_number_that_is_not_finite_goes_in(value: float) -> None:
    with pytest.raises(NotFiniteError, match="integrand of a quadrature is"):
        cosine_integral_between(lambda t: value if t > 1 else 1.0, 0, 2, 3, **WANTED)
    with pytest.raises(NotFiniteError, match="upper limit"):
        cosine_integral_between(lambda t: 1.0, 0, value, 3, **WANTED)
    with pytest.raises(NotFiniteError, match="frequency"):
        cosine_integral_between(lambda t: 1.0, 0, 2, value, **WANTED)


@pytest.mark.long
def test_there_is_no_other_door() -> None:
    """SciPy's compiled quadrature is imported in one module alone."""
    package = Path(kernelspec.__file__).parent
    doors = []
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            is_used = isinstance(node, ast.Attribute) and node.attr == "integrate"
            names += [ast.unparse(node)] if is_used else []
            doors += [path.name for name in names if name.startswith("scipy.integrate")]
    assert doors == ["integrals.py"]


@pytest.mark.parametrize("power", [8, 40, 100])
def test_functions_that_vanish_in_between_have_their_transforms(power: int) -> None:
    """(cos r)^p e^{−r}: on a line a mixture of Cauchy laws about p, p − 2, …, −p; in space −g′/2πρ [Matheron 1973]."""
    places = np.arange(-power, power + 1, 2.0)
    shares = np.array([math.comb(power, k) for k in range(power + 1)], dtype=float) / 2.0**power
    rho = np.geomspace(1e-3, 30, 60)
    apart = rho[:, None] - places

    def function(r: np.ndarray) -> np.ndarray:
        return np.cos(r) ** power * np.exp(-r)

    line, space = (hankel_pieces(function, np.zeros(1), 0.1, dim) for dim in (1, 3))
    density = (1 / (np.pi * (1 + apart**2))) @ shares
    slope = (-2 * apart / (np.pi * (1 + apart**2) ** 2)) @ shares
    mass = (np.arctan(apart) - np.arctan(-rho[:, None] - places)) @ shares / np.pi
    for (values, errors), expected in (
        (line.density(rho), density),
        (line.ball(rho), mass),
        (space.density(rho), -slope / (2 * np.pi * rho)),
    ):
        assert (np.abs(values - expected) <= errors + 1e-12 * np.abs(expected) + 1e-13).all()
        assert errors.max() < 1e-6


@pytest.mark.long
def test_features_of_a_formula_that_vanishes_in_between_have_it_as_their_mean() -> None:
    """k(0, π) = e^{−π} over 24 maps, through the estimator; P(|t| > 7) < 1e-6 with 23 degrees of freedom."""
    rows = np.array([[0.0], [np.pi]])
    found = [
        features[0] @ features[1]
        for seed in range(24)
        for features in [
            ks.KernelFeatures(
                "product(t -> cos(t)**100*exp(-t))", n_features=2048, landmarks="never", random_state=seed
            ).fit_transform(rows)
        ]
    ]
    assert abs(np.mean(found) - np.exp(-np.pi)) < 7 * np.std(found, ddof=1) / np.sqrt(24)


def test_parts_that_cancel_are_not_taken_for_nothing() -> None:
    """e^{−t²} (cos 10t − cos 40t + cos 256t): the mass is 1, then 0, then 1 again."""

    def function(t: np.ndarray) -> np.ndarray:
        return np.exp(-t * t) * (np.cos(10 * t) - np.cos(40 * t) + np.cos(256 * t))

    spectrum = NumericalSpectrum.of(function, (0.0,), 1)
    assert spectrum.is_signed
    assert spectrum.masses()[:2] == pytest.approx((2, 1), abs=1e-4)


def test_bumps_of_opposite_signs_between_the_nodes_of_a_table_are_not_overlooked() -> None:
    """Masses of about 2 and 1, the latter at a frequency of 183; without a look at f, they were 1.008 and .008."""
    text = "radial(t -> exp(-t**2/2-t**4/20)*(1+cos(170*t)-cos(183*t)))"
    with pytest.raises(NotAvailableYet, match="not resolved between frequencies"):
        ks.compile(text, dim=1, n_features=64)
