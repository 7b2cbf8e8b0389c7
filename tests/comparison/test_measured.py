"""Bias with an interval, variance against prediction: of samplers whose errors are known."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.errors import PlanError
from kernelspec.exchange.audit import measure_sampler

X = np.random.default_rng(3).standard_normal((5, 2))
FEATURES = 32


def features(X: np.ndarray, generator: np.random.Generator, size: float = 2.0) -> np.ndarray:
    frequencies, phases = generator.standard_normal((2, FEATURES)), generator.uniform(0, 2 * np.pi, FEATURES)
    return np.sqrt(size / FEATURES) * np.cos(X @ frequencies + phases)


def variance(X: np.ndarray) -> np.ndarray:
    squares = np.square(X[:, None] - X[None]).sum(axis=-1)
    return (1 + np.exp(-2 * squares) / 2 - np.exp(-squares)) / FEATURES


def measured(sampler, n_maps=400, seed=0, predicted=variance):
    return measure_sampler(
        sampler, X, "gaussian()", name="mine", claims="a Gaussian", variance=predicted, n_maps=n_maps, seed=seed
    )


@pytest.mark.parametrize("seed", [0, 1000, 2000])
def test_a_right_sampler(seed: int) -> None:
    found = measured(features, seed=seed)
    assert not found.is_biased
    assert found.n_pairs == 15
    low, high = found.ratio_interval
    assert low < 1 < high


def test_a_bias_of_known_size() -> None:
    found = measured(lambda X, generator: features(X, generator, size=2.4))
    assert found.is_biased
    low, high = found.interval
    i, j = found.pair
    known = 0.2 * np.exp(-np.square(X[i] - X[j]).sum() / 2)  # every value is 1.2 times what it should be
    assert low < known < high
    assert found.ratio_interval[0] > 1  # and every variance 1.44 times


def test_a_variance_of_known_size() -> None:
    found = measured(features, predicted=lambda X: 2 * variance(X))
    assert found.ratio_interval[0] < 0.5 < found.ratio_interval[1]


def test_a_sampler_without_randomness() -> None:
    root = np.linalg.cholesky(np.exp(-np.square(X[:, None] - X[None]).sum(axis=-1) / 2) + 1e-3 * np.eye(5))
    found = measured(lambda X, generator: root, predicted=None)
    assert found.is_biased
    assert found.bias == pytest.approx(1e-3)
    assert found.pair[0] == found.pair[1]
    assert found.ratio is None


def test_words() -> None:
    assert str(measured(features)).startswith("mine for a Gaussian: no bias seen, ")
    assert str(measured(features, predicted=None)).endswith("; no variance is predicted")
    with pytest.raises(PlanError, match="n_maps must be at least 30, not 5"):
        measured(features, n_maps=5)
