"""Variances in SymPy, against simulated features."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from scipy.stats import norm

import kernelspec as ks
from kernelspec.analysis.variances import methods_by_variance
from kernelspec.elaboration.scope import Columns
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream
from tests.analysis.evaluation import X, Y, evaluate
from tests.elaboration.specs import STATIONARY

N = 100_000


def assert_variance(samples: np.ndarray, expected: np.ndarray, mean: np.ndarray) -> None:
    """Mean and variance of independent samples (N, pairs), by z-scores; the variance's own from the fourth moment."""
    deviations = samples - mean
    spread = np.sqrt((deviations**2).mean(axis=0))
    limit = norm.isf(1e-6 / (4 * len(mean)))
    fixed = spread < 1e-12
    np.testing.assert_allclose(expected[fixed], 0, atol=1e-12)
    moving = ~fixed
    assert (np.abs(deviations.mean(axis=0))[moving] < limit * spread[moving] / np.sqrt(N)).all()
    squares = deviations[:, moving] ** 2
    assert (np.abs(squares.mean(axis=0) - expected[moving]) < limit * squares.std(axis=0) / np.sqrt(N)).all()


@pytest.mark.slow
@pytest.mark.parametrize("text", [t for t in STATIONARY if t.count("(") < 12])
def test_variance_of_fourier_features(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    omega = measure_of(ks.parse(text).kernel(Columns(2))).sample(Stream(4), N)
    k0, mean = float(facts.k0), np.diag(ks.parse(text).gram(X, Y))
    paired = k0 * np.cos(omega @ (X - Y).T)
    assert_variance(paired, evaluate(facts.variance["paired"]), mean)
    offset = np.random.default_rng(1).uniform(0, 2 * np.pi, (N, 1))
    phase = 2 * k0 * np.cos(omega @ X.T + offset) * np.cos(omega @ Y.T + offset)
    assert_variance(phase, evaluate(facts.variance["phase"]), mean)


def test_variance_of_a_difference() -> None:
    """2g − l by choice: a sample of weight 3, a minus sign for one in three."""
    rng = np.random.default_rng(2)
    minus = rng.random(N) < 1 / 3
    omega = np.where(minus[:, None], rng.standard_cauchy((N, 2)), rng.standard_normal((N, 2)))
    samples = np.where(minus, -3, 3)[:, None] * np.cos(omega @ (X - Y).T)
    mean = np.diag(ks.parse("2*gaussian() - laplace()").gram(X, Y))
    assert_variance(samples, evaluate(ks.analyze("2*gaussian() - laplace()", dim=2).variance["paired"]), mean)


@pytest.mark.parametrize("form", ["paired", "phase"])
def test_variance_with_keys(form: str) -> None:
    """3·g + match()[1]: a key needs no offset, so its samples are the same in both forms."""
    rng = np.random.default_rng(3)
    omega, offset = rng.standard_normal((N, 2)), rng.uniform(0, 2 * np.pi, (N, 1))
    wave = np.cos(omega @ (X - Y).T)
    if form == "phase":
        wave = 2 * np.cos(omega @ X.T + offset) * np.cos(omega @ Y.T + offset)
    samples = 4 * np.where(rng.random((N, 1)) < 0.75, wave, 1.0 * (X[:, 1] == Y[:, 1]))
    mean = np.diag(ks.parse("3*gaussian() + match()[1]").gram(X, Y))
    assert_variance(samples, evaluate(ks.analyze("3*gaussian() + match()[1]", dim=2).variance[form]), mean)


@pytest.mark.parametrize("form", ["paired", "phase", "complex"])
def test_keys_alone_have_no_variance(form: str) -> None:
    np.testing.assert_allclose(evaluate(ks.analyze("match()", dim=2).variance[form]), 0, atol=1e-15)


def test_methods_of_one_variance_stand_together() -> None:
    x = sympy.Symbol("x")
    found = methods_by_variance({"paired": 1 - x**2, "phase": sympy.S(1), "complex": 1 - x**2})
    assert found == {1 - x**2: ["paired", "complex"], sympy.S(1): ["phase"]}


@pytest.mark.slow
@pytest.mark.parametrize("degree", [1, 4])
def test_variance_of_cut_degrees(degree: int) -> None:
    """Poisson(1) degrees, those beyond the cut zero, simulated as products of that many frequencies."""
    rng = np.random.default_rng(5)
    drawn = rng.poisson(1.0, N)
    waves = np.ones((N, len(X)), dtype=complex)
    for i in range(degree):
        waves *= np.where(i < drawn[:, None], np.exp(1j * rng.standard_normal((N, 2)) @ (X - Y).T), 1)
    samples = np.where(drawn[:, None] <= degree, waves, 0).real
    text = f"dual(exp(c=1), gaussian(), max_degree={degree})"
    k = np.diag(ks.parse("gaussian()").gram(X, Y))
    mean = sum(k**i / math.factorial(i) for i in range(degree + 1)) / math.e
    assert_variance(samples, evaluate(ks.analyze(text, dim=2).variance["paired"]), mean)


def test_many_degrees_stay_unevaluated() -> None:
    found = str(ks.analyze("dual(step, match(), max_degree=50)", dim=1).variance["paired"])
    assert found.count("(l, 0, 50)") == 2
    assert "asin" not in found
