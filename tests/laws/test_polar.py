"""Tests of `laws/polar.py`."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.stats import norm

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.gaussian_directions import CoshGaussian, GaussianDirection, ShiftGaussian, SinhGaussian
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.polar import DoubledPhase, PolarLaw, SinhRowsLaw, rows
from kernelspec.laws.product import ProductLaw
from kernelspec.laws.translation import TiltLaw, TranslationLaw
from kernelspec.maps.dense import DenseFeatures
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples, Side
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean, assert_proportions
from tests.kernels.asymmetric import make
from tests.laws.texts import law

X = np.random.default_rng(0).standard_normal((5, 3))
BETA = (0.5, -0.25)
RISE = np.exp(X[:, [2, 0]] @ BETA)


def test_tilted_samples() -> None:
    base, columns = law("gaussian() - 0.5 * laplace()", 2), (2, 0)
    tilted = TiltLaw(base, BETA)
    for got, plain in zip(tilted.draw(Stream(3), 40, columns), base.draw(Stream(3), 40, columns), strict=True):
        np.testing.assert_allclose(values(got, X, "left"), values(plain, X, "left") * RISE[:, None], rtol=1e-12)
        np.testing.assert_allclose(values(got, X, "right"), values(plain, X, "right") / RISE[:, None], rtol=1e-12)
    twice = TiltLaw(tilted, BETA).draw(Stream(3), 4, columns)[0]
    assert twice.growth is not None
    assert twice.growth.columns == (0, 2)
    np.testing.assert_allclose(twice.growth.rates, np.tile(np.multiply(2, BETA)[::-1], (4, 1)))


def test_keys_with_a_real_amplitude_cost_one_entry() -> None:
    feature_map = ks.compile("tilt(laplace(), by=[0.2, 0, 0.1])", dim=3, n_features=40, method="binning", buckets=8)
    (part,) = feature_map.keyed
    assert part.phasors is None
    assert len(part) == 40
    assert part.entries("paired") == 1
    rows = Rows(X)
    left = np.asarray(part.amplitudes(rows, "left", "paired", np.dtype(float)))[0]
    np.testing.assert_allclose(left, np.sqrt(part.weight) * np.exp(X @ [0.2, 0, 0.1])[:, None], rtol=1e-12)


X_OF_TRANSLATION = np.random.default_rng(0).standard_normal((6, 3))


def values(batch: Samples, rows: np.ndarray, side: Side) -> np.ndarray:
    assert batch.phasors is not None
    zeros = np.zeros(len(batch))
    part = DenseFeatures(batch.phasors, batch.weight, batch.sign, zeros, batch.growth)
    out = np.empty((len(rows), len(batch)), dtype=complex)
    part.evaluate(Rows(rows), side, "complex", np.dtype(np.float64), out)
    return out * batch.sign


@pytest.mark.parametrize(
    "text", ["laplace()", "gaussian() - 0.5 * laplace()", "sinh_gaussian(by=0.3)", "tilt(laplace(), 0.2)"]
)
def test_products_are_those_at_moved_rows(text: str) -> None:
    base = law(text, 2)
    by = (0.5, -1.0)
    own = TranslationLaw(base, by)
    moved = X_OF_TRANSLATION + np.array([-1.0, 0, 0.5])
    for got, plain in zip(own.draw(Stream(3), 40, (2, 0)), base.draw(Stream(3), 40, (2, 0)), strict=True):
        found = values(got, X_OF_TRANSLATION, "left")[:, None] * values(got, X_OF_TRANSLATION, "right").conj()
        expected = values(plain, moved, "left")[:, None] * values(plain, X_OF_TRANSLATION, "right").conj()
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    assert own.has_phasor == base.has_phasor
    assert own.n_terms == base.n_terms
    assert own.lines((2, 0))[0] == "at x + (0.5, -1) and y:"


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


def test_which_kernels_have_it() -> None:
    assert isinstance(rows(make("cosh", 2)), TiltLaw)
    assert rows(make("shift", 2)) is None
    assert rows(make("sinh", 2, by=(0.0, 0.0))) is None


def total(batches: list, n: int) -> np.ndarray:  # type: ignore[type-arg]
    p = np.zeros((n, len(X), len(X)), dtype=complex)
    for batch in batches:
        zeros = values(batch, X, "left")[:, None] * (values(batch, X, "right") * batch.sign).conj()
        np.add.at(p, batch.index, np.moveaxis(zeros, 2, 0))
    return p


def test_three_terms_make_one_sample() -> None:
    base = FourierLaw(Gaussian(dim=2))
    law = SinhRowsLaw(base, BETA)
    assert law.n_terms == 3
    assert law.has_amplitude
    factor = 1 + np.sinh((X[:, None] - X[None])[..., [2, 0]] @ BETA)
    plain = total(base.draw(Stream(3), 30, COLUMNS), 30)
    np.testing.assert_allclose(total(law.draw(Stream(3), 30, COLUMNS), 30), plain * factor, rtol=1e-10, atol=1e-12)


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
