"""Tests of `activations/activation.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import ClassVar

import mpmath
import numpy as np
import pytest
import scipy.stats

from kernelspec.activations.activation import load_activation
from kernelspec.activations.analytic import Cos, Exp, Sin
from kernelspec.activations.piecewise import Relu
from kernelspec.activations.series import FiniteSeries, Hermite, central_binomial, first_return_at, half_binomial_at
from kernelspec.errors import UnknownNameError
from kernelspec.expressions.arguments import Scalar
from kernelspec.random.streams import Stream
from tests.activations.standard import standard_activation_tests
from tests.laboratory import assert_proportions


def test_the_law_exists_where_its_normalisation_overflows() -> None:
    assert float(Exp(c=1e3).dual_absolute(np.array(3.0))) == np.inf
    drawn = Exp(c=1e3).draw_degrees(Stream(1), 1000, weight=3.0)
    assert drawn.mean() == pytest.approx(3000, abs=6 * np.sqrt(3))


def test_the_standard_tests_can_fail() -> None:
    test = standard_activation_tests([])
    parameters = {mark.args[0]: mark.args[1] for mark in test.pytestmark}["check"]
    checks = [parameter.values[0] for parameter in parameters]

    class Wrong(Relu):
        def series(self, x: np.ndarray) -> np.ndarray:
            return super().series(x) ** 1.001

        def coefficient(self, degree: np.ndarray) -> np.ndarray:
            return 1.001 * super().coefficient(degree)

        def mean_degree(self, weight: float = 1.0) -> float:
            return np.inf

        def radius(self) -> Scalar:
            return 1.1

        def evaluate(self, x: np.ndarray) -> np.ndarray:
            return np.maximum(x, 0)

        def propose_degrees(self, stream: Stream, n: int, weight: float) -> np.ndarray:
            return super().propose_degrees(stream, n, 1.02 * weight)[::-1]

    caught = set()
    for check in checks:
        try:
            check(Wrong(), lambda x: np.maximum(x, 0))
        except (AssertionError, RuntimeWarning, pytest.fail.Exception):
            caught.add(check.__name__)
    harmless = {"symbols", "rounding", "deep_stack", "refused_weights"}
    assert caught >= {check.__name__ for check in checks} - harmless


def test_unknown_name() -> None:
    with pytest.raises(UnknownNameError, match="unknown activation 'tanh': use one of abs, cos"):
        load_activation("tanh")


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("abs", lambda stax: stax.Abs()),
        ("cos", lambda stax: stax.Cos()),
        ("erf", lambda stax: stax.Erf()),
        ("gelu", lambda stax: stax.Gelu()),
        ("relu", lambda stax: stax.Relu()),
        ("sin", lambda stax: stax.Sin()),
    ],
    ids=["abs", "cos", "erf", "gelu", "relu", "sin"],
)
def test_against_neural_tangents(name: str, theirs: object) -> None:
    """Passes with neural-tangents 0.6.5 on jax and jaxlib 0.4.30 and tf2jax 0.3.6, with NumPy 2.4.

    On jax 0.10.2 its imports fail: `jax.core` has no `Jaxpr` there. Then there is nothing to compare with.
    """
    stax = pytest.importorskip("neural_tangents", exc_type=ImportError).stax
    assert callable(theirs)
    _, _, kernel = stax.serial(stax.Dense(1, W_std=1.0, b_std=0.0), theirs(stax))
    angle = np.linspace(0, np.pi, 9)
    rows = np.sqrt(2) * np.stack([np.cos(angle), np.sin(angle)], axis=1)  # rows of mean square one
    found = np.asarray(kernel(rows, None, "nngp"))
    activation = load_activation(name)()
    np.testing.assert_allclose(found / found[0, 0], activation.dual(rows @ rows.T / 2), atol=1e-5)


def test_small_ones_exactly() -> None:
    k = np.arange(500)
    exact = [comb(2 * n, n) / 4**n for n in range(500)]
    np.testing.assert_allclose(central_binomial(k), exact, rtol=4e-16)


@pytest.mark.parametrize("k", [255, 256, 10**3, 10**6, 10**9, 10**12, 10**15])
def test_large_ones(k: int) -> None:
    with mpmath.workdps(40):
        exact = mpmath.gammaprod([k + mpmath.mpf("0.5")], [mpmath.mpf("0.5"), k + 1])
    assert float(central_binomial(np.array(k))) == pytest.approx(float(exact), rel=6e-16)


@pytest.mark.parametrize("k", [1, 2, 7, 254, 255, 256, 257, 1000, 10**5, 10**7])
def test_inversion_at_the_edges(k: int) -> None:
    """K = k exactly for c_k < u ≤ c_{k−1}."""
    below, above = central_binomial(np.array([k, k - 1]))
    u = np.array([below * (1 + 1e-13), (below + above) / 2, above * (1 - 1e-13)])
    assert first_return_at(u).tolist() == [k, k, k]
    assert first_return_at(np.array([below * (1 - 1e-13)])).tolist() == [k + 1]


def test_inversion_far_out() -> None:
    for u in (1e-6, 1e-9, 2.0**-53):
        assert float(first_return_at(np.array(u))) == pytest.approx(1 / (np.pi * u**2), rel=1e-9)


@dataclass(frozen=True, kw_only=True)
class Sparse(FiniteSeries):
    name: ClassVar[str] = "sparse"
    formula: ClassVar[str] = "none"
    reference: ClassVar[str] = "none"

    def terms(self) -> Sequence[tuple[int, Scalar]]:
        return ((0, 0.25), (1, 0.25), (7, 0.375), (900, 0.125))

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        raise NotImplementedError


def test_series_over_gaps() -> None:
    x = np.array([-1.2, -1.0, -0.3, 0.0, 0.99, 1.0, 1.1])
    expected = 0.25 + 0.25 * x + 0.375 * x**7 + 0.125 * x**900
    np.testing.assert_allclose(Sparse().dual_at(x), expected, rtol=1e-13)
    assert float(Sparse().dual_absolute(np.array(4.0))) == np.inf


def test_coefficients_and_slope() -> None:
    assert Sparse().coefficient(np.array([0, 1, 2, 7, 899, 900, 901, 10**12])).tolist() == [
        0.25,
        0.25,
        0,
        0.375,
        0,
        0.125,
        0,
        0,
    ]
    assert Sparse().mean_degree() == pytest.approx(0.25 + 7 * 0.375 + 112.5, rel=1e-14)


@pytest.mark.parametrize("weight", [1.0, 0.5, 1.01])
def test_degrees(weight: float) -> None:
    drawn = Sparse().draw_degrees(Stream(1), 100_000, weight)
    masses = np.array([0.25, 0.25 * weight, 0.375 * weight**7, 0.125 * weight**900])
    counts = [(drawn == degree).sum() for degree in (0, 1, 7, 900)]
    assert sum(counts) == 100_000
    assert_proportions(counts, masses / masses.sum(), budget=1e-8)


def test_weights_whose_powers_overflow() -> None:
    assert (Sparse().draw_degrees(Stream(1), 100, 1e9) == 900).all()
    assert (Hermite(n=10_000).draw_degrees(Stream(1), 100, 1e-9) == 10_000).all()


@pytest.mark.parametrize("complement", [0.95, 0.5, 0.01, 1e-6, 1e-12])
def test_the_law(complement: float) -> None:
    law = scipy.stats.nbinom(0.5, complement)
    drawn = half_binomial_at(Stream(7).uniforms("test", (200_000, 2)), complement)
    scale = max(1.0, 1 / complement)
    edges = np.unique(np.floor(scale * np.array([1e-6, 1e-4, 1e-3, 0.01, 0.1, 0.3, 1, 2, 3, 5])))
    chances = np.diff([0.0, *law.cdf(edges), 1.0])
    counts = np.histogram(drawn, [-1, *(edges + 0.5), np.inf])[0]
    assert_proportions(counts, chances, budget=1e-8)


@pytest.mark.parametrize("c", [1e-12, 0.3, 5.0, 1e3, 1e8])
def test_probabilities(c: float) -> None:
    degrees = np.unique(np.abs(np.round([0, 1, 2, 15, 16, 40, c, c + np.sqrt(c), c - 5 * np.sqrt(c), 2 * c + 9])))
    found = Exp(c=c).coefficient(degrees)
    with mpmath.workdps(50):
        for degree, value in zip(degrees, found, strict=True):
            n = mpmath.mpf(float(degree))
            exact = mpmath.exp(-mpmath.mpf(c) + n * mpmath.log(c) - mpmath.loggamma(n + 1))
            assert float(value) == pytest.approx(float(exact), rel=1e-11, abs=1e-290)


def test_degrees_of_a_fast_cosine_and_sine_are_even_and_odd_poisson_numbers() -> None:
    for law, parity in ((Cos(a=7.0), 0), (Sin(a=7.0), 1)):
        drawn = law.draw_degrees(Stream(6), 100_000, weight=2.0)
        assert (drawn % 2 == parity).all()
        degrees = np.arange(250)
        chances = Exp(c=98.0).coefficient(degrees) * (degrees % 2 == parity)
        assert_proportions(np.bincount(drawn, minlength=250), chances / chances.sum(), budget=1e-8)
