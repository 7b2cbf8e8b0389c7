"""Predicted variances of Fourier features, against those of frequencies drawn here with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.exchange.audit import COLUMNS, gaussian, variance_of_pairs, variance_of_phases

ROWS, MAPS = np.random.default_rng(0).gamma(2.0, 0.5, (4, 4)), 4000


def pairs(generator: np.random.Generator) -> np.ndarray:
    angles = ROWS @ generator.standard_normal((4, COLUMNS // 2))
    return np.hstack([np.cos(angles), np.sin(angles)]) / np.sqrt(COLUMNS // 2)


def phases(generator: np.random.Generator) -> np.ndarray:
    angles = ROWS @ generator.standard_normal((4, COLUMNS)) + generator.uniform(0, 2 * np.pi, COLUMNS)
    return np.sqrt(2 / COLUMNS) * np.cos(angles)


@pytest.mark.slow
@pytest.mark.parametrize(("features", "variance"), [(pairs, variance_of_pairs), (phases, variance_of_phases)])
def test_variances(features, variance) -> None:
    generator, off = np.random.default_rng(1), ~np.eye(4, dtype=bool)
    estimates = np.array([(z := features(generator)) @ z.T for _ in range(MAPS)])[:, off]
    predicted = variance(gaussian, ROWS)[off]
    assert np.abs(np.var(estimates, axis=0, ddof=1) / predicted - 1).max() < 6 * np.sqrt(3 / MAPS)  # kurtosis below 4
