"""Sparse columns: a block for every sample, keys hashed into it with random signs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.features.feature_map import FeatureMap
from kernelspec.planning.plan import Method
from kernelspec.testing.laboratory import assert_proportions

KEY, COMPLEX = "match()", "gaussian()[0:2] * match()[2]"
X = np.random.default_rng(0).integers(0, 4, (30, 3)) + 0.25


def compiled(text: str, n: int = 32, *, buckets: int = 16, method: Method = "paired", seed: int = 0) -> FeatureMap:
    return ks.compile(text, dim=3, n_features=n, buckets=buckets, method=method, seed=seed)


def sparse(feature_map: FeatureMap, data: np.ndarray = X) -> csr_array:
    found = feature_map.transform(data)
    assert isinstance(found, csr_array)
    return found


@pytest.mark.parametrize("method", ["paired", "phase", "complex"])
@pytest.mark.parametrize("text", [KEY, COMPLEX])
def test_every_sample_stores_its_entries_in_its_block(text: str, method: Method) -> None:
    feature_map = compiled(text, method=method)
    (part,) = feature_map.keyed
    features = sparse(feature_map)
    entries = part.entries(method)  # type: ignore[arg-type]
    assert entries == (2 if text == COMPLEX and method == "paired" else 1)
    assert features.shape == (30, len(part) * entries * 16)
    assert features.shape[1] == feature_map.n_columns == len(feature_map.names())
    dense = np.abs(features.toarray()).reshape(30, len(part) * entries, 16)
    assert ((dense > 0).sum(axis=2) == 1).all()


def test_equal_keys_share_a_bucket() -> None:
    features = sparse(compiled(KEY)).toarray()
    same = (X[:, None] == X[None]).all(axis=2)
    products = features @ features.T
    assert np.allclose(products[same], 1, rtol=1e-13)


@pytest.mark.parametrize("method", ["paired", "phase", "complex"])
def test_without_collisions_features_have_the_estimate_as_inner_products(method: Method) -> None:
    feature_map = compiled(COMPLEX, n=8, buckets=2**18, method=method)
    features = sparse(feature_map)
    products = (features @ features.conj().T).toarray().real
    assert np.abs(products - feature_map.approximate(X)).max() <= 1e-13


def test_estimate_compares_keys() -> None:
    feature_map = compiled(COMPLEX)
    (part,) = feature_map.keyed
    assert part.phasors is not None
    angle = X[:, :2] @ part.phasors.frequencies.T
    smooth = np.cos(angle[:, None] - angle[None]).mean(axis=2)
    expected = smooth * (X[:, None, 2] == X[None, :, 2])
    assert np.abs(feature_map.approximate(X) - expected).max() <= 1e-13
    assert np.abs(feature_map.approximate(X[:7], X) - expected[:7]).max() <= 1e-13


def test_buckets_and_signs_are_uniform_and_independent() -> None:
    rows = np.arange(200.0)[:, None] * np.ones(3)
    features = sparse(compiled(KEY, n=1, buckets=8), rows).toarray()
    for seed in range(1, 40):
        features = np.concatenate([features, sparse(compiled(KEY, n=1, buckets=8, seed=seed), rows).toarray()])
    counts = np.concatenate([(features > 0).sum(axis=0), (features < 0).sum(axis=0)])
    assert_proportions(counts, np.full(16, 1 / 16))


def test_a_collision_does_not_repeat_in_other_samples() -> None:
    rows = np.arange(50.0)[:, None] * np.ones(3)
    (part,) = ks.compile(KEY, dim=3, n_features=2, buckets=4).keyed
    keys = part.keys(ks.compile(KEY, dim=3).plan.layout.read(rows))
    assert len(np.unique(keys)) == keys.size  # the sample is part of the key


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["paired", "phase"])
def test_same_bits_in_any_pieces(kind: type, method: Method) -> None:
    rows = np.random.default_rng(2).integers(0, 5, (520, 3)).astype(kind)
    feature_map = compiled(f"{COMPLEX} + gaussian() + match()", n=64, method=method)
    whole = sparse(feature_map, rows)
    assert whole.dtype == kind
    for size in (7, 255, 256, 257):
        pieces = [sparse(feature_map, rows[i : i + size]).toarray() for i in range(0, len(rows), size)]
        assert np.array_equal(np.concatenate(pieces), whole.toarray())
    for i in (0, 255, 256, 519):
        assert np.array_equal(sparse(feature_map, rows[i : i + 1]).toarray()[0], whole[[i]].toarray()[0])


def test_sparse_rows_agree_within_rounding() -> None:
    feature_map = compiled(COMPLEX)
    assert np.abs((sparse(feature_map) - sparse(feature_map, csr_array(X))).toarray()).max() <= 1e-13


def test_columns_read() -> None:
    assert compiled("gaussian()[0] * match()[2]").keyed[0].columns == (0, 2)
