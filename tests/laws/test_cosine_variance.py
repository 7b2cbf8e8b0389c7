"""Variances of the estimators of e^{−γ(1−ρ)}, against simulation of the estimators themselves."""

import numpy as np
import pytest

from kernelspec.laws.fourier import (
    minmax_limit,
    minmax_variance,
    normalized_variance,
    paired_variance,
    phase_variance,
    rbf_of_cosine,
    rbf_of_minmax,
)
from kernelspec.testing.laboratory import assert_mean, assert_variance

RHO = np.array([-0.8, 0.0, 0.3, 0.9, 0.99, 1.0])
CASES = [(rho, gamma) for rho in (-0.5, 0.2, 0.9) for gamma in (0.3, 1.0, 4.0)]


@pytest.mark.parametrize("gamma", [0.1, 1.0, 7.0])
def test_the_kernel_is_the_gaussian_on_unit_vectors(gamma: float) -> None:
    angle = np.arccos(RHO)
    x, y = np.array([1.0, 0.0]), np.stack([np.cos(angle), np.sin(angle)], axis=1)
    expected = np.exp(-gamma * np.square(x - y).sum(axis=1) / 2)
    np.testing.assert_allclose(rbf_of_cosine(RHO, gamma), expected, rtol=1e-12)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 7.0])
def test_pairs_are_never_worse_than_normalized_features(gamma: float) -> None:
    k = rbf_of_cosine(RHO, gamma)
    gap = normalized_variance(RHO, gamma) - paired_variance(RHO, gamma)
    np.testing.assert_allclose(gap, k**2 * (1 - k**2) ** 2 / 4, atol=1e-12)
    assert (gap >= -1e-15).all()


def _columns(rho: float, gamma: float, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Projections of both rows and offsets."""
    rng = np.random.default_rng(int(1000 * gamma) + int(100 * (rho + 1)))
    first, second = np.sqrt(gamma) * rng.standard_normal((2, *shape))
    return first, rho * first + np.sqrt(1 - rho**2) * second, 2 * np.pi * rng.random(shape)


@pytest.mark.parametrize(("rho", "gamma"), CASES)
def test_phase_and_paired_columns(rho: float, gamma: float) -> None:
    u, v, b = _columns(rho, gamma, (200_000, 1))
    k = rbf_of_cosine(rho, gamma)
    phase = 2 * np.cos(u + b) * np.cos(v + b)
    assert_mean(phase, [k])
    assert_variance(phase, [phase_variance(rho, gamma)])
    assert_variance(np.cos(u - v) * np.sqrt(2), [paired_variance(rho, gamma)])


@pytest.mark.parametrize(("rho", "gamma"), CASES)
def test_normalized_columns(rho: float, gamma: float) -> None:
    # the linearised estimate has exactly the asymptotic variance
    u, v, b = _columns(rho, gamma, (200_000, 1))
    k = rbf_of_cosine(rho, gamma)
    x, y = np.sqrt(2) * np.cos(u + b), np.sqrt(2) * np.cos(v + b)
    assert_variance(x * y - k / 2 * (x**2 + y**2), [normalized_variance(rho, gamma)])


@pytest.mark.slow
def test_a_thousand_normalized_columns_have_that_variance() -> None:
    u, v, b = _columns(0.6, 1.0, (4_000, 1_000))
    x, y = np.cos(u + b), np.cos(v + b)
    estimate = (x * y).sum(axis=1) / np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    # order 1/k corrections to the variance are 0.1 %, far below its standard error of 2 %
    assert_variance(np.sqrt(1_000) * estimate[:, None], [normalized_variance(0.6, 1.0)])


@pytest.mark.slow
@pytest.mark.parametrize("rho", [-0.4, 0.5, 0.95])
def test_the_limit_of_the_minmax_kernel(rho: float) -> None:
    rng = np.random.default_rng(3)
    u, w = rng.standard_normal((2, 400, 5_000))
    v = rho * u + np.sqrt(1 - rho**2) * w
    sides = [np.concatenate([np.maximum(row, 0), np.maximum(-row, 0)], axis=1) for row in (u, v)]
    least, most = np.minimum(*sides).sum(axis=1), np.maximum(*sides).sum(axis=1)
    # a ratio of sums: the linearised estimate is unbiased for the limit
    g = minmax_limit(rho)
    assert_mean((least - g * most)[:, None], [0.0])
    assert rbf_of_minmax(g, 2.0) == pytest.approx(float(rbf_of_cosine(rho, 2.0)))


@pytest.mark.parametrize(("rho", "gamma"), CASES)
def test_the_variance_of_the_estimate_from_keys(rho: float, gamma: float) -> None:
    # the delta method: V_g = g(1 − g) · (d/dX e^{…})², the derivative by differences
    g, step = float(minmax_limit(rho)), 1e-5
    slope = float(rbf_of_minmax(g + step, gamma) - rbf_of_minmax(g - step, gamma)) / (2 * step)
    assert float(minmax_variance(rho, gamma)) == pytest.approx(g * (1 - g) * slope**2, rel=1e-6)
