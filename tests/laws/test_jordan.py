"""Tests of `laws/jordan.py`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.stats import norm

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.gaussian_directions import ShiftGaussian
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.jordan import JordanPart, jordan, rejection, shifts
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.polar import PolarLaw
from kernelspec.measures.masses import NEGLIGIBLE
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream
from kernelspec.special.wave_parts import WavePart
from kernelspec.testing.laboratory import assert_proportions
from tests.kernels.asymmetric import exact, make, rows


@pytest.mark.slow
def test_the_size_is_the_jordan_mass() -> None:
    """‖μ_R⁺‖ + ‖μ_R⁻‖ + 2‖μ_I⁺‖ = E |cos| + E |sin| of a normal angle, for a shifted Gaussian."""
    kernel = make("shift", 1, scale=0.7, by=(1.1,))
    law = jordan(kernel)
    assert law is not None
    z = np.linspace(-12, 12, 2_000_001)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    angle = 1.1 / 0.7 * z
    mass = np.trapezoid((np.abs(np.cos(angle)) + np.abs(np.sin(angle))) * density, z)
    assert float(law.magnitude()) == pytest.approx(mass, rel=1e-9)


def test_which_kernels_have_it() -> None:
    for scheme in (jordan, rejection):
        assert scheme(Gaussian(dim=2)) is None
        assert scheme(make("shift", 2, by=(0.0, 0.0))) is None


def test_what_has_no_mass_is_left_out_and_named() -> None:
    kernel = make("shift", 57, scale=2.0, by=(2 / 57,) * 57)  # a = 1/√57
    law = jordan(kernel)
    assert law is not None
    assert [part.wave for part in law.parts if isinstance(part, JordanPart)] == [
        WavePart.POSITIVE_COSINE,
        WavePart.POSITIVE_SINE,
    ]
    (line,) = law.parts[0].lines(tuple(range(57)))
    assert "left out: the negative real part, mass of 2.1" in line
    assert "e-34" in line
    pairs = NumericPairs(rows(57), rows(57, seed=5))
    np.testing.assert_allclose(law.value(pairs), kernel.value(pairs), atol=NEGLIGIBLE)


def test_parts_of_symbols_keep_all_their_masses() -> None:
    s = sympy.Symbol("s", positive=True)
    law = jordan(ShiftGaussian(scale=s, by=(sympy.S.One,), dim=1))
    assert law is not None
    assert len(law.parts) == 3


def parts_of(law: MixtureLaw | None) -> list[JordanPart]:
    assert law is not None
    return [part for part in law.parts if isinstance(part, JordanPart)]


KERNEL = ShiftGaussian(scale=0.8, by=(0.6, -0.9), dim=2)
PARTS = [part for scheme in (jordan, rejection) for part in parts_of(scheme(KERNEL))]


@pytest.mark.parametrize("part", PARTS, ids=lambda p: f"{p.wave.name}{' by rejection' if p.by_rejection else ''}")
def test_law_along_and_across(part: JordanPart) -> None:
    n = 40_000
    (batch,) = part.draw(Stream(5), n, (0, 1))
    assert batch.phasors is not None
    turn = np.rint(batch.phasors.left / (np.pi / 2))
    omega = batch.phasors.frequencies
    if part.wave.odd:
        np.testing.assert_allclose(batch.phasors.left, turn * np.pi / 2)
        assert_proportions([(turn > 0).sum(), (turn < 0).sum()], [0.5, 0.5], budget=1e-8)
        omega = omega * turn[:, None]  # (−ν, −i) comes from the same ν
    else:
        assert not batch.phasors.left.any()
    unit, sigma = KERNEL.unit(), 0.8
    along, across = sigma * omega @ unit, sigma * omega @ [-unit[1], unit[0]]
    fine = np.linspace(-3, 3, 30 * 200 + 1)
    middle = (fine[1:] + fine[:-1]) / 2
    size = part.wave.values(float(KERNEL.frequency) * middle) * norm.pdf(middle) / float(part.mass)
    inside = (size * (fine[1] - fine[0])).reshape(30, 200).sum(axis=1)
    inside[inside < 1e-12] = 0
    counts = np.histogram(along, fine[::200])[0]
    assert_proportions(np.append(counts, n - counts.sum()), np.append(inside, 1 - inside.sum()), budget=1e-8)
    edges = [-np.inf, -1.5, -0.5, 0.5, 1.5, np.inf]
    assert_proportions(np.histogram(across, edges)[0], np.diff(norm.cdf(edges)), budget=1e-8)


def test_rejection_is_bounded() -> None:
    thin = ShiftGaussian(scale=1.0, by=(0.3,), dim=1)
    part = next(p for p in parts_of(rejection(thin)) if p.wave.sign < 0)
    with pytest.raises(PlanError, match=r"mass 8.79e-09: rejection would take 1.14e\+08 proposals .* at most 1000"):
        part.draw(Stream(0), 1, (0,))
    assert part.work(3, 1.0) > 3e7


def test_arcs_do_not_mind_the_mass() -> None:
    thin = ShiftGaussian(scale=1.0, by=(0.3,), dim=1)
    part = next(p for p in parts_of(jordan(thin)) if p.wave.sign < 0)
    (batch,) = part.draw(Stream(0), 200, (0,))
    assert batch.phasors is not None
    assert (np.cos(0.3 * batch.phasors.frequencies) < 0).all()
    assert part.work(3, 1.0) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["shift", "sinh", "cosh"])
def test_parts_are_the_positive_parts_of_the_density(kind: str) -> None:
    kernel = make(kind, 1, scale=0.7, by=(1.1,))
    density = measure_of(kernel).density

    def part(omega: float, wave: WavePart) -> float:
        value = complex(density(np.array([[omega]]))[0])
        component = value.imag if wave.odd else value.real
        return max(wave.sign * component, 0.0)

    parts = jordan(kernel)
    assert parts is not None
    edges = np.pi / 2 / abs(float(kernel.step[0])) * np.arange(-60, 61)
    edges = edges[np.abs(edges) < 14]
    for weight, term in zip(parts.weights, parts.parts, strict=True):
        if not isinstance(term, JordanPart):
            continue
        times = 2 if term.wave.odd else 1

        def total(function: object, wave: WavePart = term.wave) -> float:
            pieces = pairwise(edges)
            return sum(quad(lambda w: part(w, wave) * function(w), lo, hi, epsabs=1e-13)[0] for lo, hi in pieces)  # type: ignore[operator]

        assert abs(weight) == pytest.approx(times * total(lambda w: 1.0), rel=1e-9)
        for lag in (0.4, -2.0):
            pairs = NumericPairs.of_vectors(np.array([[lag]]))
            mean = (lambda w, t=lag: -np.sin(w * t)) if term.wave.odd else (lambda w, t=lag: np.cos(w * t))
            doubled = (lambda w, t=lag: -np.cos(2 * w * t)) if term.wave.odd else (lambda w, t=lag: np.cos(2 * w * t))
            size = abs(weight) / times
            assert float(term.value(pairs)[0]) == pytest.approx(total(mean) / size, abs=1e-9)
            assert float(term.moments(pairs).b[0]) == pytest.approx(total(doubled) / size, abs=1e-9)


def test_parts_are_transforms_of_probabilities() -> None:
    """The real parts are positive definite with k(x, x) = 1, the imaginary one odd."""
    parts, own = parts_of(jordan(make("shift", 2))), NumericPairs(rows(2, 12), rows(2, 12))
    for part in parts:
        k = np.asarray(part.value(own))
        if part.wave.odd:
            np.testing.assert_allclose(k, -k.T, atol=1e-14)
            assert np.abs(k).max() > 0.1
        else:
            np.testing.assert_allclose(k, k.T, atol=1e-14)
            np.testing.assert_allclose(np.diag(k), 1, rtol=1e-12)
            assert np.linalg.eigvalsh(k).min() > -1e-12
        assert part.magnitude() == 1
    assert [part.wave.odd for part in parts] == [False, False, True]
    assert "imaginary part of shift_gaussian" in str(parts[2])
    assert parts[2].lines((0, 1))[0].endswith("arc by arc, on columns 0, 1")


@pytest.mark.parametrize("dim", [1, 3])
def test_three_terms_make_the_kernel(dim: int) -> None:
    kernel = make("sinh", dim)
    law = shifts(kernel)
    assert law is not None
    assert [type(part) for part in law.parts] == [FourierLaw, PolarLaw, PolarLaw]
    lags = rows(dim, 8).dense()
    np.testing.assert_allclose(law.value(NumericPairs.of_vectors(lags)), exact(kernel, lags), rtol=1e-11, atol=1e-13)


def test_the_size_is_one_and_the_gain() -> None:
    """1 + e^{σ²‖β‖²/2}: each shifted Gaussian has half of it."""
    law = shifts(make("sinh", 2, scale=1.5, by=(0.3, -0.4)))
    assert law is not None
    gain = np.exp(1.5**2 * 0.25 / 2)
    np.testing.assert_allclose([float(w) for w in law.weights], [1, gain / 2, -gain / 2], rtol=1e-14)
    assert float(law.magnitude()) == pytest.approx(1 + gain, rel=1e-14)


def test_which_kernels_have_it_shifts() -> None:
    for kernel in (make("shift", 2), make("cosh", 2), make("sinh", 2, by=(0.0, 0.0))):
        assert shifts(kernel) is None
