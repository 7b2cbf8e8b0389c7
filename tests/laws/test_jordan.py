"""Tests of `laws/jordan.py`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.stats import norm

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.gaussian_directions import CoshGaussian, GaussianDirection, ShiftGaussian, SinhGaussian
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.jordan import JordanPart, jordan, rejection, shifts
from kernelspec.laws.rules import schemes_of
from kernelspec.laws.sums_and_products import MixtureLaw, ProductLaw
from kernelspec.laws.translation import DoubledPhase, PolarLaw, SinhRowsLaw
from kernelspec.maps.dense import DenseFeatures
from kernelspec.measures.masses import NEGLIGIBLE
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples, Side
from kernelspec.special.wave_parts import WavePart
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.kernels.asymmetric import make, rows
from tests.laboratory import assert_proportions


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


def test_which_kernels_have_which_schemes() -> None:
    both = {"jordan", "rejection"}
    for kernel, schemes in (
        (Gaussian(dim=2), set()),
        (make("shift", 2), both | {"polar"}),
        (make("shift", 2, by=(0.0, 0.0)), set()),
        (make("cosh", 2), both | {"polar", "rows"}),
        (make("sinh", 2), both | {"polar", "rows", "shifts"}),
        (make("sinh", 2, by=(0.0, 0.0)), set()),
    ):
        assert set(schemes_of(kernel)) == schemes


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
    with pytest.raises(PlanError, match=r"mass 8.79e-09: rejection would need 1.14e\+08 proposals .* at most 1000"):
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


def test_the_size_is_one_and_the_gain() -> None:
    """1 + e^{σ²‖β‖²/2}: each shifted Gaussian has half of it."""
    law = shifts(make("sinh", 2, scale=1.5, by=(0.3, -0.4)))
    assert law is not None
    gain = np.exp(1.5**2 * 0.25 / 2)
    np.testing.assert_allclose([float(w) for w in law.weights], [1, gain / 2, -gain / 2], rtol=1e-14)
    assert float(law.magnitude()) == pytest.approx(1 + gain, rel=1e-14)


X = np.random.default_rng(0).standard_normal((5, 3))
BETA = (0.5, -0.25)


def test_keys_with_a_real_amplitude_cost_one_entry() -> None:
    feature_map = ks.compile("tilt(laplace(), by=[0.2, 0, 0.1])", dim=3, n_features=40, method="binning", buckets=8)
    (part,) = feature_map.keyed
    assert part.phasors is None
    assert len(part) == 40
    assert part.entries("paired") == 1
    table = Rows(X)
    left = np.asarray(part.amplitudes(table, "left", "paired", np.dtype(float)))[0]
    np.testing.assert_allclose(left, np.sqrt(part.weight) * np.exp(X @ [0.2, 0, 0.1])[:, None], rtol=1e-12)


def values(batch: Samples, table: np.ndarray, side: Side) -> np.ndarray:
    assert batch.phasors is not None
    zeros = np.zeros(len(batch))
    part = DenseFeatures(batch.phasors, batch.weight, batch.sign, zeros, batch.growth)
    out = np.empty((len(table), len(batch)), dtype=complex)
    part.evaluate(Rows(table), side, "complex", np.dtype(np.float64), out)
    return out * batch.sign


def test_against_integration_over_frequencies() -> None:
    kernel, lag = SinhGaussian(scale=0.8, by=(0.9, -0.5), dim=2), np.array([0.3, 0.4])

    # sums over a lattice: an error below 1e-16 for what is smooth and falls as exp(-0.3 ω²)
    points = np.arange(-12, 12, 0.1)
    omega = np.stack(np.meshgrid(points, points), axis=-1).reshape(-1, 2)
    density = np.asarray(measure_of(kernel).density(omega), dtype=complex)
    expected = 0.1**2 * (np.abs(density) * np.cos(2 * omega @ lag + 2 * np.angle(density))).sum()
    found = NumericPairs.of_vectors(lag[None]).of(DoubledPhase(kernel))
    assert float(found[0]) == pytest.approx(expected, abs=1e-12)


def test_expression() -> None:
    exact = SinhGaussian(scale=sympy.Rational(4, 5), by=(sympy.Rational(9, 10), sympy.Rational(-1, 2)), dim=2)
    frequency = SymbolicPairs.frequency(2)
    stated = sympy.lambdify(frequency.components(), frequency.of(DoubledPhase(exact)), "scipy")
    numeric = SinhGaussian(scale=0.8, by=(0.9, -0.5), dim=2)
    assert stated(0.3, 0.4) == pytest.approx(
        float(NumericPairs.of_vectors(np.array([[0.3, 0.4]])).of(DoubledPhase(numeric))[0]), abs=1e-9
    )


KERNELS: list[GaussianDirection] = [
    ShiftGaussian(scale=0.7, by=(1.0, -2.0), dim=2),
    CoshGaussian(scale=1.3, by=(0.4, 0.3), dim=2),
    SinhGaussian(scale=1.3, by=(0.8, -0.6), dim=2),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_modulus_and_phase(kernel: GaussianDirection) -> None:
    n = 40_000
    (batch,) = PolarLaw(kernel).draw(Stream(5), n, (3, 1))
    assert batch.phasors is not None
    assert batch.phasors.columns == (1, 3)
    omega = batch.phasors.frequencies[:, [1, 0]]
    density = measure_of(kernel).density(omega)
    np.testing.assert_allclose(np.exp(1j * batch.phasors.left), density / np.abs(density), atol=1e-10)
    assert not batch.phasors.right.any()
    np.testing.assert_allclose(batch.weight, kernel.total_variation())
    # along the direction the law is |h|φ/‖μ‖, across it normal
    unit, sigma = kernel.unit(), float(kernel.scale)
    along, across = sigma * omega @ unit, sigma * omega @ [-unit[1], unit[0]]
    edges = np.linspace(-2.5, 2.5, 41)
    fine = np.linspace(-2.5, 2.5, 40 * 50 + 1)
    middle = (fine[1:] + fine[:-1]) / 2
    size = np.abs(kernel.wave(float(kernel.frequency) * middle)) * norm.pdf(middle) / float(kernel.total_variation())
    inside = (size * (fine[1] - fine[0])).reshape(40, 50).sum(axis=1)
    counts = np.histogram(along, edges)[0]
    assert_proportions(np.append(counts, n - counts.sum()), np.append(inside, 1 - inside.sum()), budget=1e-8)
    normal = np.diff(norm.cdf(np.array([-np.inf, -1.5, -0.5, 0.5, 1.5, np.inf])))
    assert_proportions(np.histogram(across, [-np.inf, -1.5, -0.5, 0.5, 1.5, np.inf])[0], normal, budget=1e-8)
    assert_mean(along * across, [0.0], budget=1e-8)


COLUMNS = (2, 0)


def total(batches: list, n: int) -> np.ndarray:  # type: ignore[type-arg]
    p = np.zeros((n, len(X), len(X)), dtype=complex)
    for batch in batches:
        zeros = values(batch, X, "left")[:, None] * (values(batch, X, "right") * batch.sign).conj()
        np.add.at(p, batch.index, np.moveaxis(zeros, 2, 0))
    return p


def test_products_of_sums_are_taken_term_by_term() -> None:
    base = FourierLaw(Gaussian(dim=2))
    sinh = SinhRowsLaw(base, BETA)
    product = ProductLaw((sinh, base, sinh))
    assert product.n_terms == 9
    stream = Stream(4)
    factors = [total(part.draw(stream.child(i), 20, COLUMNS), 20) for i, part in enumerate(product.factors)]
    batches = product.draw(stream, 20, COLUMNS)
    assert sum(len(batch) for batch in batches) == 180
    np.testing.assert_allclose(total(batches, 20), factors[0] * factors[1] * factors[2], rtol=1e-9, atol=1e-12)
