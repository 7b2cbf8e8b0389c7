"""The law of one column's frequency: its transform is the kernel along that column."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

import kernelspec as ks
from kernelspec.analysis.profile import LineSpectrum, line_spectrum


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
        ("stretch(laplace(), [[1, 2], [0, 1]])", "has no form that can be evaluated"),
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
