"""Tests of `maps/keyed.py`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.kernel_approximation import RBFSampler

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.maps.dense import DenseFeatures, Placed
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.numerics.phasor import Form
from kernelspec.planning.options import Method
from kernelspec.samples.amplitudes import LinearForms
from kernelspec.samples.samples import Phasors
from kernelspec.tables.rows import Rows
from tests.laboratory import assert_proportions

X = np.random.default_rng(3).standard_normal((40, 5))


def evaluate(features: DenseFeatures, data: np.ndarray, form: Form = "paired") -> np.ndarray:
    out = np.empty((len(data), features.n_columns(form)), dtype=complex if form == "complex" else data.dtype)
    features.evaluate(Rows(data), "left", form, data.dtype, out)
    return out


def drawn(columns: tuple[int, ...], n: int = 7) -> DenseFeatures:
    generator = np.random.default_rng(1)
    phasors = Phasors(columns, generator.standard_normal((n, len(columns))), generator.random(n), generator.random(n))
    return DenseFeatures(phasors, generator.random(n), np.where(np.arange(n) < 2, -1.0, 1.0), generator.random(n))


@pytest.mark.parametrize("gamma", [0.1, 1.0, 5.0])
def test_agrees_with_scikit_learn_on_its_own_frequencies(gamma: float) -> None:
    theirs = RBFSampler(gamma=gamma, n_components=30, random_state=0).fit(X)
    phasors = Phasors.symmetric(tuple(range(5)), np.ascontiguousarray(theirs.random_weights_.T))
    ours = DenseFeatures(phasors, np.full(30, 1 / 30), np.ones(30), theirs.random_offset_)
    assert np.abs(evaluate(ours, X, "phase") - theirs.transform(X)).max() <= 1e-12


def test_single_precision_frequencies_are_the_cast_of_double_ones() -> None:
    fmap = ks.compile("gaussian(scale=0.3)", dim=5, n_features=128)
    assert fmap.dense is not None
    unit = np.eye(5, dtype=np.float32)  # x = e_i reads off one coordinate of every frequency, without any rounding
    frequencies = fmap.dense.phasors.frequencies.astype(np.float32).astype(np.float64)
    expected = np.hstack([np.cos(frequencies.T), np.sin(frequencies.T)]) / np.sqrt(64)
    got = fmap.transform(unit)
    assert isinstance(got, np.ndarray)
    assert got.dtype == np.float32
    assert np.abs(got - expected).max() <= 4 * np.finfo(np.float32).eps / np.sqrt(64)


def test_complex_factors_are_of_samples_that_turn() -> None:
    """Where none turns, too, which a map from a stranger may say."""
    count = np.arange(2)
    factor = LinearForms((0, 1), np.arange(3), count, 1 - count, np.ones(2), np.ones(2))
    samples = replace(drawn(()), amplitudes=(Placed(0, 2, factor),))
    samples.validate()
    with pytest.raises(ValueError, match="the samples 0 to 2 are not all complex, or all real"):
        replace(samples, n_real=7).validate()


KEY, COMPLEX = "match()", "gaussian()[0:2] * match()[2]"
CODED = np.random.default_rng(0).integers(0, 4, (30, 3)) + 0.25


def compiled(text: str, n: int = 32, *, buckets: int = 16, method: Method = "paired", seed: int = 0) -> FeatureMap:
    return ks.compile(text, dim=3, n_features=n, buckets=buckets, method=method, seed=seed)


def sparse(fmap: FeatureMap, data: np.ndarray = CODED) -> csr_array:
    found = fmap.transform(data)
    assert isinstance(found, csr_array)
    return found


@pytest.mark.parametrize("method", ["paired", "phase", "complex"])
def test_without_collisions_features_have_the_estimate_as_inner_products(method: Method) -> None:
    fmap = compiled(COMPLEX, n=8, buckets=2**18, method=method)
    features = sparse(fmap)
    products = (features @ features.conj().T).toarray().real
    assert np.abs(products - fmap.approximate(CODED)).max() <= 1e-13


def test_estimate_compares_keys() -> None:
    fmap = compiled(COMPLEX)
    (part,) = fmap.keyed
    assert part.phasors is not None
    angle = CODED[:, :2] @ part.phasors.frequencies.T
    smooth = np.cos(angle[:, None] - angle[None]).mean(axis=2)
    expected = smooth * (CODED[:, None, 2] == CODED[None, :, 2])
    assert np.abs(fmap.approximate(CODED) - expected).max() <= 1e-13
    assert np.abs(fmap.approximate(CODED[:7], CODED) - expected[:7]).max() <= 1e-13


@pytest.mark.slow
def test_buckets_and_signs_are_uniform_and_independent() -> None:
    rows = np.arange(200.0)[:, None] * np.ones(3)
    features = sparse(compiled(KEY, n=1, buckets=8), rows).toarray()
    for seed in range(1, 40):
        features = np.concatenate([features, sparse(compiled(KEY, n=1, buckets=8, seed=seed), rows).toarray()])
    counts = np.concatenate([(features > 0).sum(axis=0), (features < 0).sum(axis=0)])
    assert_proportions(counts, np.full(16, 1 / 16))


def test_the_keys_of_a_map_are_those_of_its_parts_side_by_side() -> None:
    fmap = compiled(f"{COMPLEX} + gaussian() + match()", n=64)
    keys = fmap.keys(CODED)
    assert keys.dtype == np.uint64
    assert keys.shape == (30, sum(map(len, fmap.keyed)))
    rows = fmap.plan.layout.read(CODED)
    assert np.array_equal(keys, np.hstack([part.keys(rows, "left") for part in fmap.keyed]))
    assert np.array_equal(fmap.keys(CODED, "right"), keys)
    with pytest.raises(PlanError, match="no keys"):
        compiled("gaussian()").keys(CODED)
    with pytest.raises(PlanError, match="side must be 'left' or 'right', not 'both'"):
        fmap.keys(CODED, "both")  # type: ignore[arg-type]
