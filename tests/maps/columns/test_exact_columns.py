"""Columns learnt from data: every key met has one, the others none."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.maps.columns import exact_columns
from kernelspec.maps.columns.exact_columns import Exact, count_unmet, learn_columns
from kernelspec.maps.keyed import KeyedFeatures
from kernelspec.numerics import threads
from kernelspec.planning.methods import Method
from kernelspec.samples.keys.binning import BinningKey
from kernelspec.tables.rows import Rows

TEXT = "gaussian()[0:2] * match()[2] + 0.5 * match()[2] + laplace()"
GENERATOR = np.random.default_rng(0)
X = np.column_stack([GENERATOR.standard_normal((25, 2)), GENERATOR.integers(0, 4, 25)])
NEW = np.column_stack([GENERATOR.standard_normal((10, 2)), np.full(10, 9.0)])


@pytest.mark.parametrize("method", ["paired", "phase", "complex"])
def test_inner_products_are_the_estimate_on_rows_that_were_met(method: Method) -> None:
    feature_map = ks.compile(TEXT, dim=3, n_features=40, method=method, buckets=None).with_columns(X)
    left, right = feature_map.left(X), feature_map.right(X[::-1])
    assert left.shape == (25, feature_map.n_columns)
    products = ((left * feature_map.signs) @ right.conj().T).toarray().real  # type: ignore[union-attr]
    assert np.abs(products - feature_map.approximate(X, X[::-1])).max() <= 1e-13
    assert len(set(feature_map.names())) == feature_map.n_columns
    assert not feature_map.unbiased


def test_one_column_for_every_key() -> None:
    feature_map = ks.compile("match()[2]", dim=3, n_features=1, buckets=None).with_columns(X)
    assert feature_map.n_columns == len(np.unique(X[:, 2]))
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
    learnt = learn_columns(part, rows)
    assert learnt.keys.tolist() == [key for own in expected for key in own]
    assert np.diff(learnt.starts).tolist() == [len(own) for own in expected]
    assert len(learnt.keys) > 400
    for processors, size in ((1, 1000), (5, 50), (2, 36_000)):
        monkeypatch.setattr(threads, "_processors", lambda count=processors: count)
        monkeypatch.setattr(exact_columns, "_KEYS_AT_A_TIME", size)
        again = learn_columns(part, rows)
        assert np.array_equal(again.keys, learnt.keys)
        assert np.array_equal(again.starts, learnt.starts)


def test_places() -> None:
    part, rows = part_of(), Rows(np.random.default_rng(0).standard_normal((300, 2)) * 4)
    learnt = learn_columns(part, rows.take(slice(0, 200)))
    keys = part.keys(rows)
    places = keys.copy()
    missing = learnt.place(places)
    column = {(j, key): k for j in range(12) for k, key in _numbered(learnt, j)}
    expected = [
        [2 * column[j, key] if (j, key) in column else 2**64 - 1 for j, key in enumerate(row)] for row in keys.tolist()
    ]
    assert places.tolist() == expected
    assert missing == sum(row.count(2**64 - 1) for row in expected) == count_unmet(part, learnt, rows) > 0


def _numbered(learnt: Exact, j: int) -> list[tuple[int, int]]:
    start, stop = learnt.starts[j : j + 2].tolist()
    return list(zip(range(start, stop), learnt.keys[start:stop].tolist(), strict=True))


def test_unmet_keys_have_no_column_and_are_counted() -> None:
    feature_map = ks.compile("gaussian()[0:2] * match()[2]", dim=3, n_features=16, method="paired").with_columns(X)
    (part,), (learnt,) = feature_map.keyed, feature_map.occupied or ()
    new = np.concatenate([X[:3], NEW])
    assert count_unmet(part, learnt, feature_map.plan.layout.read(new)) == len(NEW) * len(part)
    features = feature_map.transform(new)
    assert np.array_equal(np.diff(features.indptr), [16] * 3 + [0] * len(NEW))  # type: ignore[union-attr]
    assert np.array_equal(features[:3].toarray(), feature_map.transform(X[:3]).toarray())  # type: ignore[union-attr]
    assert features.data.base is None or len(features.data.base) == features.nnz  # type: ignore[union-attr]


def test_rows_without_any_known_key() -> None:
    feature_map = ks.compile("match()", dim=3, n_features=1, buckets=None).with_columns(X)
    features = feature_map.transform(NEW)
    assert features.shape == (10, 25)
    assert features.nnz == 0  # type: ignore[union-attr]


def test_a_dictionary_of_nothing() -> None:
    part = part_of()
    empty = Exact(np.empty(0, dtype=np.uint64), np.zeros(13, dtype=np.int64))
    keys = part.keys(Rows(X[:, :2]))
    assert empty.place(keys) == 25 * 12
    assert (keys == np.uint64(2**64 - 1)).all()


def test_pickles_hold_the_keys_alone() -> None:
    part, rows = part_of(), Rows(np.random.default_rng(0).standard_normal((300, 2)) * 4)
    learnt = learn_columns(part, rows)
    before = len(pickle.dumps(learnt))
    expected = part.keys(rows)
    learnt.place(expected)
    again = pickle.loads(pickle.dumps(learnt))
    assert len(pickle.dumps(learnt)) == before
    keys = part.keys(rows)
    again.place(keys)
    assert np.array_equal(keys, expected)


def test_columns_of_a_row_increase() -> None:
    features = ks.compile(TEXT, dim=3, n_features=40, buckets=None).with_columns(X).transform(X)
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
    feature_map = ks.compile(TEXT, dim=3, n_features=40, buckets=None)
    for ask in (feature_map.transform, feature_map.left, feature_map.right):
        with pytest.raises(PlanError, match=r"with_columns\(X\)"):
            ask(X)
    assert feature_map.approximate(X).shape == (25, 25)
    assert feature_map.predicted_error(X) > 0
    assert "to be learnt" in feature_map.explain()


def test_explain_says_what_became_of_the_keys() -> None:
    learnt = ks.compile(TEXT, dim=3, n_features=40).with_columns(X)
    assert "a column for every key met" in learnt.explain()
    assert "biased low" in learnt.explain()
    assert "hashed" not in learnt.explain()


def test_a_map_without_keys_is_itself() -> None:
    feature_map = ks.compile("gaussian()", dim=3)
    assert feature_map.with_columns(X) is feature_map
    assert feature_map.unbiased
