"""Keys of several draws, mixed in order."""

from __future__ import annotations

import itertools

import numpy as np

from kernelspec.random.streams import Stream
from kernelspec.samples.changed_keys import RunKey
from kernelspec.samples.keys import MatchKey
from kernelspec.tables.rows import Rows
from tests.laws.texts import law
from tests.maps.parts import there_and_back

X = np.random.default_rng(0).uniform(-2, 2, (60, 2))
ROWS = Rows(X)
STARTS = np.array([0, 2, 3, 6])


def binning(n: int):
    (batch,) = law("laplace(scale=3)", 2, "binning").draw(Stream(5), n, (0, 1))
    return batch.keys[0]


def agreement(keys: np.ndarray) -> np.ndarray:
    return keys[:, None, :] == keys[None, :, :]


def test_keys_agree_where_all_of_the_draws_do() -> None:
    inner = binning(6)
    each = agreement(inner.keys(ROWS, "left"))
    expected = np.stack([each[..., a:b].all(axis=-1) for a, b in itertools.pairwise(STARTS)], axis=-1)
    assert np.array_equal(agreement(RunKey(inner, STARTS).keys(ROWS, "left")), expected)
    assert 0.05 < expected.mean() < 0.95


def test_take_and_join() -> None:
    key = RunKey(binning(6), STARTS)
    whole = key.keys(ROWS, "left")
    index = np.array([2, 0])
    assert np.array_equal(key.take(index).keys(ROWS, "left"), whole[:, index])
    assert np.array_equal(key.join([key]).keys(ROWS, "left"), np.hstack([whole, whole]))


def test_what_it_is() -> None:
    key = RunKey(MatchKey((1,)), np.array([0, 2]))
    assert key.columns == (1,)
    assert not key.has_sides
    assert key.structure != MatchKey((1,)).structure
    assert there_and_back(key).factor == key.factor
    assert there_and_back(key).n_samples == 1
