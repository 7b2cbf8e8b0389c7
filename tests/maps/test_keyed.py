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
from kernelspec.numerics import threads
from kernelspec.numerics.phasor import Form
from kernelspec.planning.options import Method
from kernelspec.random.streams import mix
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
@pytest.mark.parametrize("text", [KEY, COMPLEX])
def test_every_sample_stores_its_entries_in_its_block(text: str, method: Method) -> None:
    feature_map = compiled(text, method=method)
    (part,) = feature_map.keyed
    features = sparse(feature_map)
    entries = part.entries(method)  # type: ignore[arg-type]
    assert len(part.kinds(method)) == entries  # type: ignore[arg-type]
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


@pytest.mark.slow
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


@pytest.mark.parametrize("n_rows", [1, 2, 700])
def test_keys_are_the_factors_mixed_in_order(n_rows: int) -> None:
    rows = Rows(np.random.default_rng(0).integers(0, 9, (n_rows, 3)).astype(float))
    factors = (MatchKey((1,)), SIDED, MatchKey((2, 0)), SIDED)
    part = part_of(*factors)
    for side in ("left", "right"):
        expected = part.identity[None, :]
        for position, factor in enumerate(factors):
            expected = mix(expected, factor.keys(rows, side), salt=position)  # type: ignore[arg-type]
        found = part.keys(rows, side)  # type: ignore[arg-type]
        assert found.dtype == np.uint64
        assert np.array_equal(found, expected)
        pieces = [part.keys(rows.take(slice(i, i + 3)), side) for i in range(0, n_rows, 3)]  # type: ignore[arg-type]
        assert np.array_equal(np.concatenate(pieces), expected)


def test_keys_do_not_depend_on_blocks_or_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Rows(np.random.default_rng(0).integers(0, 9, (700, 3)).astype(float))
    part = part_of(MatchKey((1,)), SIDED)
    expected = part.keys(rows, "left")
    for processors, height in ((1, 1), (3, 16), (8, 5)):
        monkeypatch.setattr(threads, "processors", lambda count=processors: count)
        monkeypatch.setattr(KeyedFeatures, "rows_per_block", lambda self, rows=height: rows)
        assert np.array_equal(part.keys(rows, "left"), expected)


@pytest.mark.parametrize("form", ["paired", "phase", "complex"])
@pytest.mark.parametrize("smooth", [False, True])
def test_inner_products_of_two_sides(form: Form, smooth: bool) -> None:
    generator = np.random.default_rng(3)
    phasors = Phasors((1, 2), generator.standard_normal((5, 2)), generator.random(5), generator.random(5))
    part = part_of(SIDED, phasors=phasors if smooth else None)
    x = Rows(generator.integers(0, 30, (41, 3)).astype(float))
    y = Rows(generator.integers(0, 30, (1500, 3)).astype(float))  # more than the compiled loop takes at a time
    double = np.dtype(float)
    z = part.amplitudes(x, "left", form, double)[:, :, None] * part.sign
    w = part.amplitudes(y, "right", form, double)[:, None, :].conj()
    same = SIDED.keys(x, "left")[:, None] == SIDED.keys(y, "right")[None]
    expected = ((z * w).sum(axis=0).real * same).sum(axis=2)
    found = part.inner_products(x, y, form)
    assert np.abs(found - expected).max() <= 1e-13
    assert not np.array_equal(same, SIDED.keys(x, "left")[:, None] == SIDED.keys(y, "left")[None])
    one_by_one = [part.inner_products(x.take(slice(i, i + 1)), y, form) for i in range(41)]
    assert np.array_equal(np.concatenate(one_by_one), found)


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
