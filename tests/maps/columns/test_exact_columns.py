"""Columns learnt from data: every key met has one, the others share some."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.maps.columns import learned as exact_columns
from kernelspec.maps.columns.learned import Exact, learn_columns
from kernelspec.maps.draw import draw_map
from kernelspec.maps.keyed import KeyedFeatures
from kernelspec.numerics import threads
from kernelspec.planning.methods import Method
from kernelspec.samples.keys import BinningKey
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean, assert_variance

TEXT = "gaussian()[0:2] * match()[2] + 0.5 * match()[2] + laplace()"
GENERATOR = np.random.default_rng(0)
X = np.column_stack([GENERATOR.standard_normal((25, 2)), GENERATOR.integers(0, 4, 25)])
NEW = np.column_stack([GENERATOR.standard_normal((10, 2)), np.full(10, 9.0)])


@pytest.mark.parametrize("method", ["paired", "phase", "complex"])
def test_inner_products_are_the_estimate_on_rows_that_were_met(method: Method) -> None:
    feature_map = ks.compile(TEXT, dim=3, n_features=40, method=method, keys="exact").with_columns(X)
    left, right = feature_map.left(X), feature_map.right(X[::-1])
    assert left.shape == (25, feature_map.n_columns)
    products = ((left * feature_map.signs) @ right.conj().T).toarray().real  # type: ignore[union-attr]
    assert np.abs(products - feature_map.approximate(X, X[::-1])).max() <= 1e-13
    assert len(set(feature_map.names())) == feature_map.n_columns
    assert feature_map.unbiased


def test_one_column_for_every_key() -> None:
    feature_map = ks.compile("match()[2]", dim=3, n_features=1, keys="exact").with_columns(X)
    assert feature_map.n_columns == len(np.unique(X[:, 2])) + 4
    features = feature_map.transform(X)
    assert np.array_equal(features.toarray().sum(axis=1), np.ones(25))  # type: ignore[union-attr]


def part_of(n: int = 12, d: int = 2) -> KeyedFeatures:
    generator = np.random.default_rng(1)
    key = BinningKey(0.3 + generator.random((n, d)), generator.random((n, d)), tuple(range(d)))
    identity = generator.integers(0, 2**64, n, dtype=np.uint64)
    return KeyedFeatures((key,), None, np.full(n, 1 / n), np.ones(n), np.zeros(n), identity)


def test_columns_are_the_keys_of_every_sample_in_order_of_appearance(monkeypatch: pytest.MonkeyPatch) -> None:
    part, rows = part_of(), Rows(np.random.default_rng(0).standard_normal((900, 2)) * 4)
    keys = part.keys(rows)
    expected = [list(dict.fromkeys(column)) for column in keys.T.tolist()]
    learnt = learn_columns(part, [rows])
    assert learnt.keys.tolist() == [key for own in expected for key in own]
    assert np.diff(learnt.starts).tolist() == [len(own) for own in expected]
    assert len(learnt.keys) > 400
    in_blocks = learn_columns(part, [block for _, block in rows.blocks(123)])
    assert np.array_equal(in_blocks.keys, learnt.keys)
    for processors, size in ((1, 1000), (5, 50), (2, 36_000)):
        monkeypatch.setattr(threads, "processors", lambda count=processors: count)
        monkeypatch.setattr(exact_columns, "_KEYS_AT_A_TIME", size)
        again = learn_columns(part, [rows])
        assert np.array_equal(again.keys, learnt.keys)
        assert np.array_equal(again.starts, learnt.starts)


@pytest.mark.parametrize("shared", [0, 3])
def test_places(shared: int) -> None:
    part, rows = part_of(), Rows(np.random.default_rng(0).standard_normal((300, 2)) * 4)
    learnt = replace(learn_columns(part, [rows.take(slice(0, 200))]), shared=shared)
    keys = part.keys(rows)
    places = keys.copy()
    missing = learnt.place(places)
    column = {(j, key): k + j * shared for j in range(12) for k, key in _numbered(learnt, j)}

    def expected(j: int, key: int) -> int:
        if (j, key) in column:
            return 2 * column[j, key]
        end = int(learnt.starts[j + 1]) + j * shared
        return 2 * (end + ((key >> 32) * shared >> 32)) + (key & 1) if shared else 2**64 - 1

    assert places.tolist() == [[expected(j, key) for j, key in enumerate(row)] for row in keys.tolist()]
    unmet = sum((j, key) not in column for row in keys.tolist() for j, key in enumerate(row))
    assert learnt.count_unmet(part, rows) == unmet > 0
    assert missing == (0 if shared else unmet)


def _numbered(learnt: Exact, j: int) -> list[tuple[int, int]]:
    start, stop = learnt.starts[j : j + 2].tolist()
    return list(zip(range(start, stop), learnt.keys[start:stop].tolist(), strict=True))


def test_unmet_keys_share_columns_and_are_counted() -> None:
    feature_map = ks.compile("gaussian()[0:2] * match()[2]", dim=3, n_features=16, method="paired").with_columns(X)
    (part,) = feature_map.keyed
    new = np.concatenate([X[:3], NEW])
    assert feature_map.count_unmet(new) == len(NEW) * len(part)
    features = feature_map.transform(new)
    assert np.array_equal(np.diff(features.indptr), [16] * 13)  # type: ignore[union-attr]
    shared = feature_map.shared_columns
    assert shared.sum() == 16
    assert not features[:3].toarray()[:, shared].any()  # type: ignore[union-attr]
    assert not features[3:].toarray()[:, ~shared].any()  # type: ignore[union-attr]
    # rows of one key that was not met have the same signs
    products = (features[3:] @ features[3:].T).toarray()  # type: ignore[union-attr]
    assert np.abs(products - feature_map.approximate(NEW)).max() <= 1e-12


def test_without_shared_columns_keys_that_were_not_met_are_lost() -> None:
    learnt = ks.compile("match()", dim=3, n_features=1, keys="exact").with_columns(X)
    (own,) = learnt.occupied or ()
    assert isinstance(own, Exact)
    feature_map = replace(learnt, occupied=(replace(own, shared=0),))
    features = feature_map.transform(NEW)
    assert features.shape == (10, 25)
    assert features.nnz == 0  # type: ignore[union-attr]
    assert not feature_map.unbiased
    assert "biased low" in feature_map.explain()
    assert learnt.transform(NEW).shape == (10, 29)
    assert learnt.transform(NEW).nnz == 10  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["paired", pytest.param("phase", marks=pytest.mark.long), "binning"])
def test_unmet_keys_are_unbiased_with_the_variance_predicted(method: Method, thorough: bool) -> None:
    text = "gaussian()[0] * match()[2] + laplace()[1]" if method == "binning" else "gaussian()[0] * match()[2]"
    rng = np.random.default_rng(5)
    new = np.column_stack([0.4 * rng.standard_normal((6, 2)), [0, 1, 8, 8, 9, 10]])
    exact = ks.parse(text).gram(new)
    products, predicted = [], []
    plan = ks.compile(text, data=X, n_features=8, method=method, keys="exact").plan
    for seed in range(4000 if thorough else 300):
        feature_map = draw_map(replace(plan, seed=seed)).with_columns(X)
        features: Any = feature_map.transform(new)
        products.append((features @ features.T).toarray())
        predicted.append(feature_map.predicted_variance(new, hashed=True))
    upper = np.triu_indices(6)
    estimates, variance = np.stack(products)[:, upper[0], upper[1]], np.mean(predicted, axis=0)[upper]
    assert_mean(estimates, exact[upper], what=text)
    varying = variance > 1e-12
    assert varying.sum() > 5
    assert_variance(estimates[:, varying], variance[varying], what=text)


def test_a_dictionary_of_nothing() -> None:
    part = part_of()
    empty = Exact(np.empty(0, dtype=np.uint64), np.zeros(13, dtype=np.int64))
    keys = part.keys(Rows(X[:, :2]))
    assert empty.place(keys) == 25 * 12
    assert (keys == np.uint64(2**64 - 1)).all()


def test_pickles_hold_the_keys_alone() -> None:
    part, rows = part_of(), Rows(np.random.default_rng(0).standard_normal((300, 2)) * 4)
    learnt = learn_columns(part, [rows])
    before = len(pickle.dumps(learnt))
    expected = part.keys(rows)
    learnt.place(expected)
    again = pickle.loads(pickle.dumps(learnt))
    assert len(pickle.dumps(learnt)) == before
    keys = part.keys(rows)
    again.place(keys)
    assert np.array_equal(keys, expected)


def test_columns_of_a_row_increase() -> None:
    features = ks.compile(TEXT, dim=3, n_features=40, keys="exact").with_columns(X).transform(X)
    features.check_format(full_check=True)  # type: ignore[union-attr]
    for row in np.split(features.indices, features.indptr[1:-1]):  # type: ignore[union-attr]
        assert (np.diff(row) > 0).all()


def test_same_bits_in_any_pieces() -> None:
    feature_map = ks.compile(TEXT, dim=3, n_features=40).with_columns(X)
    whole = feature_map.transform(X).toarray()  # type: ignore[union-attr]
    pieces = [feature_map.transform(X[i : i + 7]).toarray() for i in range(0, 25, 7)]  # type: ignore[union-attr]
    assert np.array_equal(np.concatenate(pieces), whole)


def test_every_column_has_the_sign_of_its_sample() -> None:
    learnt = ks.compile("(gaussian() - 0.5 * laplace()) * match()[2]", dim=3, n_features=40).with_columns(X)
    assert set(learnt.signs) == {-1.0, 1.0}
    products = ((learnt.left(X) * learnt.signs) @ learnt.right(X).conj().T).toarray().real  # type: ignore[union-attr]
    assert np.abs(products - learnt.approximate(X)).max() <= 1e-13


def test_columns_must_be_learnt_first() -> None:
    feature_map = ks.compile(TEXT, dim=3, n_features=40, keys="exact")
    for ask in (feature_map.transform, feature_map.left, feature_map.right):
        with pytest.raises(PlanError, match=r"with_columns\(X\)"):
            ask(X)
    assert feature_map.approximate(X).shape == (25, 25)
    assert feature_map.predicted_error(X) > 0
    assert "to be learnt" in feature_map.explain()


def test_explain_says_what_became_of_the_keys() -> None:
    learnt = ks.compile(TEXT, dim=3, n_features=40).with_columns(X)
    assert "a column for every key met" in learnt.explain()
    assert "biased low" not in learnt.explain()
    assert "hashed" not in learnt.explain()


def test_a_map_without_keys_is_itself() -> None:
    feature_map = ks.compile("gaussian()", dim=3)
    assert feature_map.with_columns(X) is feature_map
    assert feature_map.unbiased
