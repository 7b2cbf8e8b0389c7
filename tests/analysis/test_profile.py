"""Tests of `analysis/profile.py`."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import sympy
from scipy import stats
from scipy.integrate import quad

import kernelspec as ks
from kernelspec.analysis.profile import LineSpectrum, Profile, line_spectrum
from kernelspec.errors import DimensionError, NotStationaryError, ParameterError


def spectrum_of(text: str, axis: int = 0, dim: int | None = None) -> LineSpectrum:
    spec = ks.parse(text)
    names = spec.columns().names
    return line_spectrum(ks.analyze(spec, dim if names is None else None, columns=names), axis)


def transform(spectrum: LineSpectrum, lag: float) -> float:
    """2 ∫_0^∞ cos(ωt) p(ω) dω by QUADPACK's Fourier rule, and the sum over the atoms."""
    value = float(np.sum(spectrum.weights * np.cos(spectrum.points * lag)))
    if spectrum.density is not None:
        density = spectrum.density
        value += 2 * quad(lambda w: float(density(np.array([w]))[0]), 0, np.inf, weight="cos", wvar=lag, limlst=200)[0]
    return value


def gauss(t: float) -> float:
    return math.exp(-t * t / 2)


def periodic(t: float) -> float:
    return math.exp(-2 * math.sin(math.pi * t / 2) ** 2)


ALONG = {
    "gaussian()": gauss,
    "0.5*gaussian() + 0.5*periodic(period=2)": lambda t: 0.5 * gauss(t) + 0.5 * periodic(t),
    "(0.5*gaussian() + 0.5*cosine(by=3))**2": lambda t: (0.5 * gauss(t) + 0.5 * math.cos(3 * t)) ** 2,
    "stretch(0.5*gaussian() + 0.5*cosine(by=3), 2)": lambda t: 0.5 * gauss(t / 2) + 0.5 * math.cos(1.5 * t),
    "gaussian()[a]*laplace()[b] + 0.2*laplace()[b]": lambda t: gauss(t) + 0.2,
    "matern(nu=3/2)[a, b]": lambda t: (1 + math.sqrt(3) * t) * math.exp(-math.sqrt(3) * t),
    "gaussian()[a]*periodic(period=2)[a]*gaussian()[b]": lambda t: gauss(t) * periodic(t),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", ALONG)
@pytest.mark.parametrize("lag", [0.3, 1.7])
def test_the_transform_is_the_kernel_along_the_first_column(text: str, lag: float) -> None:
    assert transform(spectrum_of(text, dim=1), lag) == pytest.approx(ALONG[text](lag), abs=1e-7)


def test_another_column() -> None:
    spectrum = spectrum_of("gaussian()[a]*laplace()[b]", axis=1)
    assert transform(spectrum, 0.8) == pytest.approx(math.exp(-0.8), abs=1e-7)


def test_a_matrix_takes_the_length_of_its_column() -> None:
    # k(AΔ) of a radial kernel, Δ = t e: φ(t ‖A e‖)
    spectrum = spectrum_of("stretch(gaussian(), [[1, 2], [0, 1]])", axis=1, dim=2)
    assert transform(spectrum, 0.6) == pytest.approx(gauss(0.6 * math.sqrt(5)), abs=1e-9)


def test_atoms_of_a_plane_wave_are_projected() -> None:
    spectrum = spectrum_of("cosine(by=[1, 2])", axis=1, dim=2)
    assert spectrum.density is None
    assert sorted(zip(spectrum.points, spectrum.weights, strict=True)) == [(-2, 0.5), (2, 0.5)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("stretch(laplace(), [[1, 2], [0, 1]])", "cannot be evaluated"),
        ("(0.5*gaussian() + 0.5*cosine(by=3))**7", "more than 64 terms"),
    ],
)
def test_what_cannot_be_said_has_a_reason(text: str, reason: str) -> None:
    spectrum = spectrum_of(text, dim=2 if "[[" in text else 1)
    assert spectrum.density is None
    assert len(spectrum.points) == 0
    assert spectrum.unknown is not None
    assert reason in spectrum.unknown


def test_numerical_integrals_are_costly_and_closed_forms_are_not() -> None:
    assert spectrum_of("gaussian()*powered_exponential(alpha=1.5)", dim=1).is_costly
    assert not spectrum_of("gaussian()*laplace()", dim=1).is_costly
    assert not spectrum_of("gaussian()*cosine(by=3)", dim=1).is_costly


LAGS = np.array([0.0, 0.4, 1.0, 2.5])


def profile(text: str) -> Profile:
    return Profile.of(ks.parse(text))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("laplace()", np.exp(-LAGS)),
        ("gaussian()[a]*laplace()[b] + 0.2*laplace()[b]", np.exp(-(LAGS**2) / 2) + 0.2),
        ("laplace()[1]*gaussian()[2]", np.exp(-LAGS)),
        ("stretch(gaussian(), [2, 1])", np.exp(-(LAGS**2) / 8)),
    ],
    ids=["one column", "names", "positions", "a vector"],
)
def test_values_along_the_first_column(text: str, values: np.ndarray) -> None:
    np.testing.assert_allclose(profile(text).kernel(LAGS), values, rtol=1e-14)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("gaussian()", None),
        ("gaussian()[age]", None),
        ("laplace()[b]*gaussian()[a]", "b"),
        ("laplace()[1]*gaussian()[2]", "column 1"),
    ],
)
def test_the_column_in_words(text: str, column: str | None) -> None:
    assert profile(text).column == column


@pytest.mark.parametrize(
    ("text", "lag"),
    [
        ("gaussian(scale=3)", 3 * math.sqrt(2 * math.log(50))),
        ("laplace(scale=0.01)", 0.01 * math.log(50)),
        ("cauchy()", 7.0),  # 1/(1 + t²) = 1/50
        ("periodic(period=5)", 15.0),  # three periods
        ("cosine(by=4)", 3 * math.pi / 2),
        ("0.5*gaussian(scale=1/10) + 0.5*periodic(period=5)", 15.0),
    ],
    ids=["gaussian", "laplace", "cauchy", "periodic", "cosine", "mixed"],
)
def test_the_kernel_has_ended_at_its_reach(text: str, lag: float) -> None:
    assert profile(text).lag_reach == pytest.approx(lag, rel=0.05)


@pytest.mark.parametrize(
    ("text", "frequency", "heavy"),
    [
        ("gaussian(scale=2)", stats.norm.ppf(0.9975) / 2, False),
        ("modulate(gaussian(), by=30)", 30 + stats.norm.ppf(0.995), False),
        ("sinc()", 1.0, False),
        ("laplace(scale=3)", 8 / 3, True),  # eight times the median of the Cauchy law
        ("bochner(student_t(dof=3))", 8 * stats.t.ppf(0.75, 3), True),
        ("cosine(by=7)", 7.0, False),
        ("gaussian()[a] - 0.5*gaussian()[b]", stats.norm.ppf(0.9975), False),
    ],
    ids=["light", "far away", "bounded", "cauchy", "student", "atoms", "mixed"],
)
def test_most_of_the_mass_lies_within_the_reach(text: str, frequency: float, heavy: bool) -> None:
    found = profile(text)
    assert found.frequency_reach == pytest.approx(1.1 * frequency, rel=0.06)
    assert found.has_heavy_tail == heavy


@pytest.mark.parametrize("text", ["0*gaussian()", "gaussian() - gaussian()"])
def test_the_zero_kernel_has_ranges_too(text: str) -> None:
    assert (profile(text).lag_reach, profile(text).frequency_reach) == (1.0, 1.0)


def test_both_directions_count_for_a_kernel_that_is_not_symmetric() -> None:
    # exp(−(t + 5)²/2): ended at −5 − 2.8, not at 0
    gaussian = ks.parse("gaussian()")
    facts = SimpleNamespace(
        columns=gaussian.columns(1),
        mapped=gaussian.columns(1),
        verdict=SimpleNamespace(symmetric=False),
        spec=gaussian,
        characteristic_function=lambda lags: np.exp(-((lags[:, 0] + 5) ** 2) / 2),
        spectral_density_at=lambda w: stats.norm.pdf(np.asarray(w)[:, 0]) * np.exp(5j * np.asarray(w)[:, 0]),
    )
    shifted = Profile(cast(Any, facts))
    assert shifted.lag_reach == pytest.approx(5 + math.sqrt(2 * math.log(50)), rel=0.05)
    assert shifted.frequency_reach == pytest.approx(1.1 * stats.norm.ppf(0.9975), rel=0.05)


def test_refusals() -> None:
    with pytest.raises(NotStationaryError, match=r"not a function of the lag alone.*match\(\) compares categories"):
        profile("gaussian()[age]*match()[country]")
    with pytest.raises(NotStationaryError, match=r"not a function of the lag alone.*inner product"):
        profile("dual(relu, sphere())")
    with pytest.raises(ParameterError, match="parameter 's' has no value"):
        profile("param s > 0\ngaussian(scale=s)")
    with pytest.raises(DimensionError, match=r"entries|columns"):
        profile("stretch(gaussian(), [1, 2])*stretch(gaussian(), [1, 2, 3])")


def test_a_kernel_without_a_form_of_its_measure() -> None:
    found = profile("dual(step, laplace())")
    np.testing.assert_allclose(found.kernel(LAGS), 0.5 + np.arcsin(np.exp(-LAGS)) / np.pi, rtol=1e-14)
    # it falls from 1 to 1/2, and that is the atom at 0
    assert (found.spectrum.density, found.spectrum.points.tolist()) == (None, [0.0])
    assert found.spectrum.weights == pytest.approx([0.5], rel=1e-12)
    assert found.spectrum.unknown is not None
    assert found.lag_reach == pytest.approx(-math.log(math.sin(math.pi / 100)), rel=0.05)  # 2 % of what falls


def test_a_skeleton_on_as_many_columns_as_its_image_has() -> None:
    found = profile("full(exp(c=2), input=image(9, 9, 1))")
    assert found.facts.columns.count == 81
    np.testing.assert_allclose(found.kernel(LAGS), np.exp(2 * (np.cos(LAGS) - 1) / 81), rtol=1e-13)
    assert len(found.spectrum.points) == 0
    assert found.lag_reach > 2 * math.pi  # at least one period
    layered = profile("layer(relu, circle()[1], gaussian()[2])")
    assert layered.column == "column 1"


def test_jordan_and_polar_samples_have_the_total_variation_as_their_modulus() -> None:
    facts = ks.analyze("sinh_gaussian(by=1)", dim=1)
    assert facts.norm == pytest.approx(math.sqrt(float(facts.masses.total_variation)), rel=1e-9)


@pytest.mark.parametrize(
    ("text", "mean", "inverse_mean", "area"),
    [
        ("polya(gamma(shape=3, scale=2))", 6, sympy.Rational(1, 4), 6),
        ("polya(gamma(shape=3, scale=2), area=1)", 6, sympy.Rational(1, 4), 1),
        ("polya(exponential())[0]", 1, sympy.oo, 1),
        ("laplace(scale=3)", 6, sympy.Rational(1, 3), 6),
        ("triangle(width=3)[0, 1]", 3, sympy.Rational(1, 3), 3),
    ],
)
def test_facts(text: str, mean: object, inverse_mean: object, area: object) -> None:
    found = ks.analyze(text, dim=2).polya
    assert found is not None
    assert [sympy.nsimplify(value) for value in (found.mean, found.inverse_mean, found.area)] == [
        mean,
        inverse_mean,
        area,
    ]


@pytest.mark.parametrize("text", ["gaussian()", "laplace()*laplace()[0]", "2*laplace() + triangle()", "match()"])
def test_other_kernels_have_none(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    assert facts.polya is None
    assert facts.mean is None


def test_symbols_and_any_number_of_columns() -> None:
    s = sympy.Symbol("s", positive=True)
    found = ks.analyze("param s > 0\npolya(rayleigh(scale=s))").polya
    assert found is not None
    assert sympy.simplify(found.mean - s * sympy.sqrt(sympy.pi / 2)) == 0
    assert found.distribution == "rayleigh(scale=s)"
