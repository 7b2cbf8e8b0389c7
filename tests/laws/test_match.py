"""Equality of categories by the categories as the key: every sample is the kernel."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.kernels.leaves.comparisons import Match
from kernelspec.laws.keys import MatchLaw
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows

ROWS = Rows(np.array([[i, j, k] for i in range(3) for j in range(3) for k in range(3)], dtype=float))


def test_every_sample_is_the_kernel() -> None:
    (batch,) = MatchLaw(Match(dim=2)).draw(Stream(0), 4, (1, 2))
    assert batch.phasors is None
    assert list(batch.weight) == [1] * 4
    assert [key.columns for key in batch.keys] == [(1, 2)]


@pytest.mark.parametrize("positions", [(1,), (2, 0)])
def test_a_power_of_a_match_is_the_match(positions: tuple[int, ...]) -> None:
    counts = np.array([3, 0, 10**12, 1])
    samples = MatchLaw(Match(dim=len(positions))).draw_products(Stream(0), counts, positions)
    (key,) = samples.keys
    keys = key.keys(ROWS, "left")
    rows = ROWS.dense()[:, list(positions)]
    agree = (rows[:, None] == rows[None]).all(axis=2)
    for j, count in enumerate(counts):
        assert np.array_equal(keys[:, None, j] == keys[None, :, j], agree if count else np.ones_like(agree))
    assert samples.weight.tolist() == samples.sign.tolist() == [1] * 4


@pytest.mark.parametrize(
    "base", ["match()[0]", "match()[2, 0]", "mean(match()[0], match()[1])", "mean(match()[0], circle()[1])"]
)
def test_the_dual_of_a_step_meets_no_limit(base: str) -> None:
    # P(l > n) ≈ ¼/√n: degrees far beyond all that could be drawn one by one
    fmap = ks.compile(f"dual(step, {base})", dim=3, n_features=10_000, seed=1, method="phase")
    k = ks.parse(base).gram(ROWS.dense())
    variance = fmap.predicted_variance(ROWS, hashed=False)
    error = fmap.approximate(ROWS) - (0.5 + np.arcsin(k) / np.pi)
    assert (np.abs(error) < 6 * np.sqrt(variance) + 1e-12).all()


def test_what_it_is() -> None:
    law = MatchLaw(Match(dim=2))
    assert law.has_key
    assert not law.has_phasor
    assert law.lines((0, 2)) == ["key: the categories of columns 0, 2"]


PRODUCTS = ["match()[0] * match()[1]", "match()[0] * match()[0]", "match() ** 2", "match()[2, 0]"]


@pytest.mark.parametrize("text", PRODUCTS)
def test_products_of_matches_are_exact(text: str) -> None:
    spec = ks.parse(text)
    for seed in range(5):
        feature_map = ks.compile(spec, dim=3, n_features=3, seed=seed)
        assert np.abs(feature_map.approximate(ROWS) - spec.gram(ROWS.dense())).max() <= 1e-14
        assert not feature_map.predicted_variance(ROWS, hashed=False).any()


def test_text_and_numbers() -> None:
    frame = {"country": ["fr", "de", "fr", "1"], "kind": [1, 1, 1.0, True]}
    import pandas as pd

    table = pd.DataFrame(frame)
    gram = ks.compile("match()[country] * match()[kind]", data=table, n_features=1).approximate(table)
    assert np.array_equal(gram, [[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]])
