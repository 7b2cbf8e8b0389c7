"""Tests of `measures/translated.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.integrate import quad

import kernelspec as ks
from kernelspec.errors import NotStationaryError, PlanError
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream
from tests.measures.algebra import referees as r


@pytest.mark.slow
def test_tilts_of_triangles_close() -> None:
    facts = ks.analyze("tilt(triangle(2), by=0.5)", dim=1)
    expected = [r.density(r.tilted(r.triangle(2), 0.5), at, reach=2) for at in (0.3, -4.0)]
    np.testing.assert_allclose(facts.spectral_density_at([[0.3], [-4.0]]), expected, rtol=1e-12)
    assert (facts.spectral_density_error_at([[0.3]]) == 0).all()
    omega = next(iter(facts.spectral_density.free_symbols))
    assert complex(facts.spectral_density.subs(omega, 0.3).evalf(20)) == pytest.approx(expected[0], rel=1e-12)
    two = ks.analyze("tilt(triangle(2), by=0.5)*laplace()", dim=2)
    factors = [r.density(r.product(r.tilted(r.triangle(2), 0.5), r.laplace()), at, reach=2) for at in (0.3, -4.0)]
    np.testing.assert_allclose(two.spectral_density_at([[0.3, -4.0]]), [factors[0] * factors[1]], rtol=1e-11)


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


OMEGA = np.random.default_rng(1).standard_normal((5, 2))


def test_density_is_the_base_times_the_wave() -> None:
    plain, moved = (ks.analyze(t, dim=2) for t in ("matern(1.5)", "shift(matern(1.5), by=[0.5, 2])"))
    wave = np.exp(1j * (OMEGA @ [0.5, 2]))
    np.testing.assert_allclose(moved.spectral_density_at(OMEGA), plain.spectral_density_at(OMEGA) * wave, rtol=1e-13)
    np.testing.assert_allclose(
        moved.characteristic_function(OMEGA), plain.characteristic_function(OMEGA + np.array([0.5, 2])), rtol=1e-13
    )


def test_atoms_get_phases() -> None:
    atoms = ks.analyze("shift(cosine(2), by=0.3)", dim=1).atoms
    assert atoms is not None
    np.testing.assert_allclose(atoms.weights, 0.5 * np.exp(0.3j * atoms.points[:, 0]), rtol=1e-13)
    many = ks.analyze("shift(periodic(1), by=0.3) * cosine(1)", dim=1).atoms
    assert many is not None
    total = np.exp(1j * np.outer([0.0, 0.2], many.points[:, 0])) @ many.weights
    exact = ks.analyze("shift(periodic(1), by=0.3) * cosine(1)", dim=1).characteristic_function([[0.0], [0.2]])
    np.testing.assert_allclose(total, exact, atol=1e-9)


def test_sums_add_complex_densities() -> None:
    both = ks.analyze("shift(laplace(), 1) - 2 * gaussian()", dim=1)
    one, two = ks.analyze("shift(laplace(), 1)", dim=1), ks.analyze("gaussian()", dim=1)
    at = np.array([[0.3], [-1.1]])
    expected = one.spectral_density_at(at) - 2 * two.spectral_density_at(at)
    np.testing.assert_allclose(both.spectral_density_at(at), expected, rtol=1e-13)


def test_selected_and_stretched() -> None:
    facts = ks.analyze("stretch(shift(laplace(), [1, 2])[1, 0], [2, 4])", dim=2)
    plain = ks.analyze("laplace()", dim=2)
    inner = (OMEGA * [2, 4])[:, ::-1]  # k(Δ/s) has the density at sω; the base's first column is column 1
    expected = plain.spectral_density_at(inner) * 8 * np.exp(1j * (inner @ [1, 2]))
    np.testing.assert_allclose(facts.spectral_density_at(OMEGA), expected, rtol=1e-12)


def test_no_sampler_and_no_second_moment_of_its_own() -> None:
    spec = ks.parse("shift(laplace(), 1)")
    measure = measure_of(spec.kernel(spec.columns(1)))
    with pytest.raises(PlanError):
        measure.sample(Stream(0), 2)
    assert np.isnan(float(measure.second_moment()))


@pytest.mark.long
@pytest.mark.parametrize(
    "text", ["laplace(0.8)", "exponential(0.8)", "matern(1.5, 0.8)", "matern(0.8, 0.9)", "gaussian(0.7)"]
)
@pytest.mark.parametrize("beta", [0.4, -0.9])
def test_density_is_the_inverse_transform_tilted(text: str, beta: float) -> None:
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


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("tilt(laplace(0.5), by=[0, 2])", "< 1/σ = 2, not for 2"),
        ("tilt(matern(0.5, 2), by=[0.3, 0.4])", "= 0.5, not for 0.5"),
        ("tilt(exponential(1), by=1)", "= 1, not for 1.41421"),
        ("tilt(cauchy(), by=0.1)", "features exist, with scaled rows"),
    ],
)
def test_beyond_the_limit_there_is_none_tilted(text: str, limit: str) -> None:
    with pytest.raises(NotStationaryError) as caught:
        _ = ks.analyze(text, dim=2).spectral_measure
    assert limit in str(caught.value)


def test_sums_term_by_term() -> None:
    at = [[0.4], [1.0]]
    both = ks.analyze("tilt(laplace() - 2 * gaussian(), 0.3)", dim=1).spectral_density_at(at)
    parts = [ks.analyze(f"tilt({t}, 0.3)", dim=1).spectral_density_at(at) for t in ("laplace()", "gaussian()")]
    np.testing.assert_allclose(both, parts[0] - 2 * parts[1], rtol=1e-12)
