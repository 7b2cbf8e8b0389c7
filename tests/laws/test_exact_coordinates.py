"""The columns themselves as features."""

from __future__ import annotations

import numpy as np

import kernelspec as ks
from kernelspec.laws.exact_coordinates import ExactCoordinatesSampler
from kernelspec.random.streams import Stream

X = np.random.default_rng(0).standard_normal((4, 3))


def test_a_term_for_every_column() -> None:
    sampler = ExactCoordinatesSampler((2, 0), (2, 0))
    (batch,) = sampler.draw(Stream(0), 3)
    assert batch.index.tolist() == [0, 0, 1, 1, 2, 2]
    assert sampler.n_terms == 2
    assert (sampler.has_phasor, sampler.has_key, sampler.has_amplitude) == (False, False, True)
    assert sampler.lines() == ["all of the columns 2, 0, exactly"]


def test_estimates_are_exact_for_any_seed() -> None:
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    for text, table, exact in (
        ("linear()", X, X @ X.T),
        ("normalize(linear())", X, unit @ unit.T),
        ("sphere()", unit, unit @ unit.T),
    ):
        for seed in range(3):
            fmap = ks.compile(text, dim=3, n_features=7, method="exact", seed=seed)
            np.testing.assert_allclose(fmap.approximate(table), exact, atol=1e-14)
