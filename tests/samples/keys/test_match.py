"""The key of match(): equal exactly where the categories are."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.random.hashing import hash_numbers, hash_text, mix
from kernelspec.random.streams import Stream
from kernelspec.samples.keys.match import MatchKey, MatchSampler
from kernelspec.tables.rows import Rows
from tests.maps.parts import there_and_back

ROWS = Rows(np.array([[i, j, k] for i in range(3) for j in range(3) for k in range(3)], dtype=float))


@pytest.mark.parametrize("positions", [(0,), (0, 1), (2, 1), (0, 1, 2), (1, 1)])
def test_keys_are_equal_exactly_where_rows_are(positions: tuple[int, ...]) -> None:
    keys = MatchKey(positions).keys(ROWS, "left")
    assert keys.shape == (27, 1)
    rows = ROWS.dense()[:, list(positions)]
    assert np.array_equal(keys == keys.T, (rows[:, None] == rows[None]).all(axis=2))


def test_order_of_the_columns_matters() -> None:
    assert not np.array_equal(MatchKey((0, 1)).keys(ROWS, "left"), MatchKey((1, 0)).keys(ROWS, "left"))


def test_codes_of_numbers_and_of_text_are_mixed_in_order() -> None:
    codes = hash_text(["a", "b", "a"])
    rows = Rows(np.array([[1.0, 0.0, 2.0], [1.0, 0.0, 2.0], [-0.0, 0.0, 2.0]]), {1: codes})
    expected = np.zeros(3, dtype=np.uint64)
    for column in (hash_numbers([2.0, 2.0, 2.0]), codes, hash_numbers([1.0, 1.0, 0.0])):
        expected = mix(expected, column)
    assert np.array_equal(MatchKey((2, 1, 0)).keys(rows, "left")[:, 0], expected)


def test_swapped_categories_are_not_equal() -> None:
    keys = MatchKey((0, 1)).keys(Rows(np.array([[1.0, 2.0], [2.0, 1.0]])), "right")
    assert keys[0, 0] != keys[1, 0]


def test_every_sample_is_the_kernel() -> None:
    (batch,) = MatchSampler((1, 2)).draw(Stream(0), 4)
    assert batch.phasors is None
    assert list(batch.weight) == [1] * 4
    assert [key.columns for key in batch.keys] == [(1, 2)]


@pytest.mark.parametrize("positions", [(1,), (2, 0)])
def test_a_power_of_a_match_is_the_match(positions: tuple[int, ...]) -> None:
    counts = np.array([3, 0, 10**12, 1])
    samples = MatchSampler(positions).draw_products(Stream(0), counts)
    (key,) = samples.keys
    keys = key.keys(ROWS, "left")
    rows = ROWS.dense()[:, list(positions)]
    agree = (rows[:, None] == rows[None]).all(axis=2)
    for j, count in enumerate(counts):
        assert np.array_equal(keys[:, None, j] == keys[None, :, j], agree if count else np.ones_like(agree))
    assert samples.weight.tolist() == samples.sign.tolist() == [1] * 4


@pytest.mark.slow
@pytest.mark.parametrize(
    "base", ["match()[0]", "match()[2, 0]", "mean(match()[0], match()[1])", "mean(match()[0], circle()[1])"]
)
def test_the_dual_of_a_step_meets_no_limit(base: str) -> None:
    # P(l > n) ≈ ¼/√n: degrees far beyond all that could be drawn one by one
    fmap = ks.compile(f"dual(step, {base})", dim=3, n_features=10_000, seed=1, method="phase")
    k = ks.parse(base).gram(ROWS.dense())
    variance = fmap.predicted_variance(ROWS)
    error = fmap.approximate(ROWS) - (0.5 + np.arcsin(k) / np.pi)
    assert (np.abs(error) < 6 * np.sqrt(variance) + 1e-12).all()


def test_batches_share_one_key() -> None:
    key = MatchKey((0,))
    assert key.take(np.array([0, 1])) is key
    assert key.join([key]) is key
    assert key.structure == MatchKey((0,)).structure
    assert key.structure != MatchKey((1,)).structure


def test_round_trip() -> None:
    key = MatchKey((3, 1))
    assert there_and_back(key) == key


def test_what_it_is() -> None:
    sampler = MatchSampler((0, 2))
    assert sampler.has_key
    assert not sampler.has_phasor
    assert sampler.lines() == ["key: the categories of columns 0, 2"]


PRODUCTS = ["match()[0] * match()[1]", "match()[0] * match()[0]", "match() ** 2", "match()[2, 0]"]


@pytest.mark.parametrize("text", PRODUCTS)
def test_products_of_matches_are_exact(text: str) -> None:
    spec = ks.parse(text)
    for seed in range(5):
        feature_map = ks.compile(spec, dim=3, n_features=3, seed=seed)
        assert np.abs(feature_map.approximate(ROWS) - spec.gram(ROWS.dense())).max() <= 1e-14
        assert not feature_map.predicted_variance(ROWS).any()


def test_text_and_numbers() -> None:
    frame = {"country": ["fr", "de", "fr", "1"], "kind": [1, 1, 1.0, True]}
    import pandas as pd

    table = pd.DataFrame(frame)
    gram = ks.compile("match()[country] * match()[kind]", data=table, n_features=1).approximate(table)
    assert np.array_equal(gram, [[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]])
