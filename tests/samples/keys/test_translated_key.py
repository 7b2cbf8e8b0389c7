"""Keys of translated rows."""

from __future__ import annotations

import numpy as np

import kernelspec as ks
from kernelspec.random.streams import Stream
from kernelspec.samples.changed_keys import TranslatedKey
from kernelspec.tables.rows import Rows
from tests.laws.texts import law

X = np.random.default_rng(0).standard_normal((6, 3))


def test_left_is_moved_and_right_is_not() -> None:
    (batch,) = law("laplace()", 2, "binning").draw(Stream(2), 7, (0, 2))
    (key,) = batch.keys
    moved = TranslatedKey(key, (0.5, -1.0), (0, 2))
    expected = key.keys(Rows(X + np.array([0.5, 0, -1.0])), "left")
    assert np.array_equal(moved.keys(Rows(X), "left"), expected)
    assert np.array_equal(moved.keys(Rows(X), "right"), key.keys(Rows(X), "right"))
    assert moved.has_sides
    some = np.array([4, 1])
    assert np.array_equal(moved.take(some).keys(Rows(X), "left"), expected[:, some])
    joined = moved.join([moved.take(some)])
    assert np.array_equal(joined.keys(Rows(X), "left"), np.hstack([expected, expected[:, some]]))
    assert moved.structure == TranslatedKey(key.take(some), (0.5, -1.0), (0, 2)).structure
    assert moved.structure != TranslatedKey(key, (0.5, -1.5), (0, 2)).structure


def test_saved_and_loaded(tmp_path) -> None:  # type: ignore[no-untyped-def]
    feature_map = ks.compile("shift(laplace(), by=[0.5, 0, -1])", dim=3, n_features=64, method="binning")
    feature_map.save(tmp_path / "map.npz")
    loaded = ks.load_map(tmp_path / "map.npz")
    assert np.array_equal(loaded.approximate(X), feature_map.approximate(X))
    assert loaded.sided.all()
