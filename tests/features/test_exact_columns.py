"""Columns learnt from data: every key met has one, the others none."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.features.exact_columns import count_unmet, exact_features, occupied_keys
from kernelspec.planning.plan import Method

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


def test_keys_are_the_same_for_any_blocks() -> None:
    feature_map = ks.compile(TEXT, dim=3, n_features=40)
    rows = feature_map.plan.layout.read(X)
    for features in feature_map.keyed:
        expected = occupied_keys(features, [rows])
        assert np.array_equal(occupied_keys(features, (block for _, block in rows.blocks(4))), expected)
        assert (np.diff(expected.astype(object)) > 0).all()


def test_unmet_keys_have_no_column_and_are_counted() -> None:
    feature_map = ks.compile("gaussian()[0:2] * match()[2]", dim=3, n_features=16, method="paired")
    (part,) = feature_map.keyed
    occupied = occupied_keys(part, [feature_map.plan.layout.read(X)])
    new = feature_map.plan.layout.read(np.concatenate([X[:3], NEW]))
    assert count_unmet(part, occupied, new) == len(NEW) * len(part)
    features = exact_features(part, occupied, new, "left", "paired", np.dtype(float)).toarray()
    assert np.array_equal((features != 0).sum(axis=1), [16] * 3 + [0] * len(NEW))


def test_no_key_at_all() -> None:
    feature_map = ks.compile("match()", dim=3, n_features=1)
    (part,) = feature_map.keyed
    rows = feature_map.plan.layout.read(X)
    empty = occupied_keys(part, [])
    assert count_unmet(part, empty, rows) == 25
    assert exact_features(part, empty, rows, "left", "paired", np.dtype(float)).shape == (25, 0)


def test_same_bits_in_any_pieces() -> None:
    feature_map = ks.compile(TEXT, dim=3, n_features=40).with_columns(X)
    whole = feature_map.transform(X).toarray()  # type: ignore[union-attr]
    pieces = [feature_map.transform(X[i : i + 7]).toarray() for i in range(0, 25, 7)]  # type: ignore[union-attr]
    assert np.array_equal(np.concatenate(pieces), whole)


def test_a_mixture_of_signs_is_refused_with_the_way_out() -> None:
    learnt = ks.compile("(gaussian() - 0.5 * laplace()) * match()[2]", dim=3, n_features=40).with_columns(X)
    with pytest.raises(PlanError, match="use buckets"):
        learnt.signs  # noqa: B018


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
