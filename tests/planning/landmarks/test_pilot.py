"""Tests of `planning/landmarks/pilot.py`."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.planning.landmarks.landmarks import Residual
from kernelspec.planning.landmarks.pilot import (
    FINE_PILOT,
    Pilots,
    landmark_bias,
    landmark_variance,
    products_of_sizes,
    screened,
)
from kernelspec.planning.landmarks.pivots import SampleColumns
from kernelspec.planning.strata import Stratum
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from tests.laws.texts import law
from tests.planning.landmarks.kernels import POSITIONS, grid, landmarks_of, rows, strata_of

X = rows(30, 5)


def residual_of(stratum: Stratum, n: int, text: str) -> Residual:
    return Residual.on(grid(X, X), landmarks_of(text, rows(n)), [stratum])


def test_far_from_the_landmarks_it_is_the_formula() -> None:
    """Landmarks a hundred scales away say nothing: (1 + k(2Δ))/2 - k²."""
    text = "gaussian(scale=2)"
    (stratum,) = strata_of(text)
    far = Residual.on(grid(X, X), landmarks_of(text, rows(5, spread=1e4)), [stratum])
    expected = stratum.law.variance(grid(X, X), 1, "paired")
    found = Pilots().variance(stratum, far)
    assert np.sqrt(found.sum() / expected.sum()) == pytest.approx(1, abs=0.05)  # five standard errors of 1,024 samples


def test_samples_of_several_terms() -> None:
    """A sample that is the sum of all columns does not vary, whatever the landmarks leave of it."""
    stratum = Stratum(1.0, law("linear()", 3, "exact"), POSITIONS)
    residual = residual_of(stratum, 2, "linear()")
    assert Pilots().variance(stratum, residual).max() < 1e-9
    assert Pilots().variance(stratum, residual).sum() < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("text", ["linear()*gaussian(scale=3)", "(linear()[0] + constant())**2 * gaussian()[1]"])
def test_terms_of_one_sample_are_not_taken_for_samples(text: str) -> None:
    """One by one, what is left of them sums to far less than what is left of the samples."""
    stratum = Stratum(1.0, law(text, 3, "exact"), POSITIONS)
    samples = SampleColumns.drawn(stratum, 16)
    assert samples is None or len(samples.batch) > 16
    data = rows(200).dense()
    fmap = ks.compile(text, data=data, n_features=48, method="landmarks", seed=1)
    assert fmap.plan.chosen.named == ("exact",)
    assert fmap.plan.chosen.error == pytest.approx(fmap.predicted_error(data), rel=0.5)  # it was 0 for the second


def test_the_prediction_is_what_other_samples_vary() -> None:
    """64 means of 64 samples each, none of them the pilot's."""
    text = "laplace(scale=3)"
    (stratum,) = strata_of(text)
    residual = residual_of(stratum, 12, text)
    exact, squares = residual.kernel(stratum), 0.0
    for seed in range(64):
        (batch,) = stratum.law.draw(Stream(seed + 1), 64, POSITIONS)
        squares += np.square(residual.products(*residual.sides(batch)) / 64 - exact).sum() / 64
    assert squares == pytest.approx(Pilots().variance(stratum, residual).sum() / 64, rel=0.15)


SCREENED = np.random.default_rng(4).standard_normal((300, 4))


def left_by(text: str, landmarks: int = 64) -> tuple[Residual, list]:
    fmap = ks.compile(text, data=SCREENED, n_features=2 * landmarks, method="landmarks", draws="independent", seed=1)
    rows, plan = Rows(SCREENED[:60]), fmap.plan
    assert plan.landmarks is not None
    residual = Residual.on(NumericPairs(rows, rows), plan.landmarks, plan.strata)
    return residual, [stratum.independent for stratum in plan.strata]


def test_sums_over_pairs_of_rows() -> None:
    generator = np.random.default_rng(0)
    left, right = (generator.standard_normal((n, 3)) + 1j * generator.standard_normal((n, 3)) for n in (5, 4))
    every = np.square((left[:, None] * np.conj(right)[None]).real).sum(axis=(0, 1))
    np.testing.assert_allclose(products_of_sizes(left, right), every, rtol=1e-13)


@pytest.mark.long
@pytest.mark.parametrize("text", ["dual(relu, gaussian(scale=2))", "gaussian(scale=2)", "matern(nu=1/2, scale=2)"])
def test_means_are_those_of_all_candidates(text: str) -> None:
    """Σ w f is within five standard errors of a mean over 200,000 other samples, and f = 1 within rounding's reach."""
    residual, strata = left_by(text)
    stratum = strata[-1]
    found = screened(stratum, residual, FINE_PILOT)
    assert found is not None
    assert len(found.weights) <= FINE_PILOT
    assert found.weights.max() <= 2 / FINE_PILOT * (1 + 1e-9)
    assert found.weights.sum() == pytest.approx(1, abs=0.05)
    few = residual.some(30)
    values = products_of_sizes(*few.sides(found.batch))
    (many,) = stratum.law.draw(Stream(77), 200_000, stratum.positions)
    others = np.concatenate(
        [products_of_sizes(*few.forgetting().sides(many.take(np.arange(i, i + 4000)))) for i in range(0, 200_000, 4000)]
    )
    # of the 32,768 candidates, of the choice among them, and of the others
    spread = others.var() / 32_768 + (found.weights**2 * values**2).sum() + others.var() / len(others)
    assert abs(found.weights @ values - others.mean()) <= 5 * np.sqrt(spread)


@pytest.mark.slow
def test_a_fraction_of_the_spread_of_plain_pilots() -> None:
    """Of a dual, whose few samples of large degree make most of what is left."""
    residual, strata = left_by("dual(relu, gaussian(scale=2))")
    stratum, few = strata[-1], residual.some(30)
    (many,) = stratum.law.draw(Stream(78), 200_000, stratum.positions)
    others = np.concatenate(
        [products_of_sizes(*few.forgetting().sides(many.take(np.arange(i, i + 4000)))) for i in range(0, 200_000, 4000)]
    )
    plain = others.std() / np.sqrt(FINE_PILOT)
    found = screened(stratum, residual, FINE_PILOT)
    assert found is not None
    values = products_of_sizes(*few.sides(found.batch))
    assert np.sqrt((found.weights**2 * values**2).sum()) < plain / 2


@pytest.mark.slow
def test_what_cannot_be_screened_is_sampled_plainly() -> None:
    residual, strata = left_by("linear() ** 2 + gaussian()")
    kinds = [screened(stratum, residual, FINE_PILOT) is None for stratum in strata]
    assert screened(strata[0], residual, 20_000) is None
    for stratum, plain in zip(strata, kinds, strict=True):
        variance = Pilots(FINE_PILOT, chosen=True).variance(stratum, residual).sum()
        assert (variance == Pilots(FINE_PILOT).variance(stratum, residual).sum()) == plain


VARIED = np.random.default_rng(0).standard_normal((200, 3))
Y = np.random.default_rng(1).standard_normal((20, 3))


def test_landmarks_alone_do_not_vary_and_their_bias_is_known() -> None:
    fmap = ks.compile("laplace(scale=3)", data=VARIED, n_features=64, method="nystrom")
    plan, rows = fmap.plan, fmap.plan.layout.read(Y)
    assert plan.landmarks is not None
    pairs = NumericPairs(rows, rows)
    assert not landmark_variance(plan.parts, plan.landmarks, pairs).any()
    error = fmap.approximate(Y) - ks.parse("laplace(scale=3)").gram(Y)
    np.testing.assert_allclose(landmark_bias(plan.strata, plan.landmarks, pairs), error, atol=1e-9)
    assert fmap.predicted_error(Y) == pytest.approx(np.linalg.norm(error) / np.linalg.norm(error - fmap.approximate(Y)))


@pytest.mark.slow
def test_pairs_one_by_one_are_those_of_the_grid() -> None:
    plan = ks.compile("laplace(scale=3)", data=VARIED, n_features=64, method="landmarks").plan
    rows = plan.layout.read(Y)
    assert plan.landmarks is not None
    grid = landmark_variance(plan.parts, plan.landmarks, NumericPairs(rows, rows))
    single = landmark_variance(plan.parts, plan.landmarks, NumericPairs(rows, rows, grid=False))
    np.testing.assert_allclose(single, np.diagonal(grid), atol=1e-12)


def variance_by_quadrature(scale: float, x: np.ndarray, landmarks: np.ndarray, n: int) -> np.ndarray:
    """Of the mean of n remainders Re l(x) l(y)* of Matérn's kernel with ν = 3/2 on a line.

    l(x) = e^{iωx} − Σ_j a_j(x) e^{iωL_j}. By the midpoint rule over the density 2λ³/π/(λ² + ω²)², λ = √3/scale, of
    which at most 3e-10 is beyond 2,000.
    """
    rate, step = np.sqrt(3) / scale, 0.01

    def kernel(s: np.ndarray, t: np.ndarray) -> np.ndarray:
        distances = rate * np.abs(np.subtract.outer(s, t))
        return (1 + distances) * np.exp(-distances)

    a = np.linalg.solve(kernel(landmarks, landmarks), kernel(landmarks, x)).T
    mean = kernel(x, x) - a @ kernel(landmarks, x)
    squares = np.zeros(mean.shape)
    for first in range(0, 2000, 20):
        omega = first + step * (np.arange(2000) + 0.5)
        chances = 4 * rate**3 / np.pi / (rate**2 + omega**2) ** 2 * step
        left = np.exp(1j * np.outer(x, omega)) - a @ np.exp(1j * np.outer(landmarks, omega))
        squares += np.array([np.square((row * left.conj()).real) @ chances for row in left])
    return (squares - mean**2) / n


@pytest.mark.long
@pytest.mark.parametrize("scale", [2, 4])
def test_rare_samples_that_have_most_of_the_variance_are_seen(scale: float) -> None:
    """Landmarks explain all but a few frequencies in 10,000: 1,024 samples show 0.1 and 0.0005 of the variance."""
    data = np.random.default_rng(0).standard_normal((40, 1))
    text = f"matern(nu=3/2, scale={scale})"
    fmap = ks.compile(text, data=data, n_features=64, draws="independent", method="landmarks", seed=0)
    assert fmap.plan.landmarks is not None
    landmarks = np.asarray(fmap.plan.landmarks.left.numbers)[:, 0]
    expected = variance_by_quadrature(scale, data[:, 0], landmarks, fmap.plan.chosen.counts[0])
    found = fmap.predicted_variance(data)
    assert 1 / 2 < found.sum() / expected.sum() < 2
