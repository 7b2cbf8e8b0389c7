"""Masses: of positive measures, in series along one direction, by integration of all others."""

from __future__ import annotations

from functools import cache

import mpmath as mp
import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.errors import NotAvailableYet, NotStationaryError, ParameterError


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
@pytest.mark.parametrize("dim", [1, 2, 3, 7, 20, 57, 60])
@pytest.mark.parametrize("a", [1e-3, 0.02, 0.132, 0.7, 1.5, 4.0, pytest.param(50.0, marks=pytest.mark.long)])
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


def test_a_negative_multiple_swaps_the_real_parts() -> None:
    plain, turned = (ks.analyze(f"{w} * shift_gaussian(by=1)", dim=1).masses for w in (2, -2))
    assert (plain.real_positive, plain.real_negative) == (turned.real_negative, turned.real_positive)
    assert plain.total_variation == turned.total_variation == 2


def test_refusals() -> None:
    with pytest.raises(NotStationaryError, match="no spectral measure"):
        _ = ks.analyze("gaussian() * match()", dim=1).masses
    with pytest.raises(ParameterError):
        _ = ks.analyze("param s > 0\ngaussian(s) - laplace()", dim=1).masses
    with pytest.raises(NotAvailableYet, match="need its density"):
        _ = ks.analyze("gaussian() * exponential() - matern(3) * exponential()[0] * cauchy()", dim=3).masses
