"""Samples with keys: their keys, amplitudes and inner products, and the matrices that come of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.keyed import KeyedFeatures
from kernelspec.planning.methods import Method
from kernelspec.samples.keys import MatchKey
from kernelspec.samples.samples import KeyFactor, Phasors, Side
from kernelspec.tables.rows import Rows
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


@pytest.mark.slow
def test_buckets_and_signs_are_uniform_and_independent() -> None:
    rows = np.arange(200.0)[:, None] * np.ones(3)
    features = sparse(compiled(KEY, n=1, buckets=8), rows).toarray()
    for seed in range(1, 40):
        features = np.concatenate([features, sparse(compiled(KEY, n=1, buckets=8, seed=seed), rows).toarray()])
    counts = np.concatenate([(features > 0).sum(axis=0), (features < 0).sum(axis=0)])
    assert_proportions(counts, np.full(16, 1 / 16))


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


@dataclass(frozen=True)
class Sided(KeyFactor):
    """The rounded number in the first column; on the right its successor. Every sample divides by its own number."""

    divisors: np.ndarray

    @property
    def structure(self) -> Hashable:
        return "sided"

    @property
    def columns(self) -> tuple[int, ...]:
        return (0,)

    @property
    def has_sides(self) -> bool:
        return True

    def keys(self, rows: Rows, side: Side) -> np.ndarray:
        return np.floor((rows.dense()[:, :1] + (side == "right")) / self.divisors).astype(np.int64).view(np.uint64)

    def take(self, index: np.ndarray) -> Sided:
        return Sided(self.divisors[index])

    def join(self, others: Sequence[KeyFactor]) -> Sided:
        raise NotImplementedError

    @property
    def n_samples(self) -> int:
        return len(self.divisors)


def part_of(*factors: KeyFactor, n: int = 5, phasors: Phasors | None = None) -> KeyedFeatures:
    generator = np.random.default_rng(7)
    sign = np.where(generator.random(n) < 0.5, -1.0, 1.0)
    identity = generator.integers(0, 2**64, n, dtype=np.uint64)
    return KeyedFeatures(factors, phasors, generator.random(n), sign, np.zeros(n), identity)


SIDED = Sided(np.array([1.0, 2.0, 3.0, 5.0, 50.0]))


def test_sides() -> None:
    assert part_of(MatchKey((0,))).sides == ("left",)
    assert part_of(MatchKey((0,)), SIDED).sides == ("left", "right")


def test_the_keys_of_a_map_are_those_of_its_parts_side_by_side() -> None:
    feature_map = compiled(f"{COMPLEX} + gaussian() + match()", n=64)
    keys = feature_map.keys(X)
    assert keys.dtype == np.uint64
    assert keys.shape == (30, sum(map(len, feature_map.keyed)))
    rows = feature_map.plan.layout.read(X)
    assert np.array_equal(keys, np.hstack([part.keys(rows, "left") for part in feature_map.keyed]))
    assert np.array_equal(feature_map.keys(X, "right"), keys)
    with pytest.raises(PlanError, match="no keys"):
        compiled("gaussian()").keys(X)
