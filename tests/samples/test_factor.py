"""What every factor promises: batches are taken apart and joined sample by sample, and say what they are."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.activations.activation import load_activation
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import LinearForms, Neurons
from kernelspec.samples.changed_keys import MappedKey, RunKey, TranslatedKey
from kernelspec.samples.factor import AmplitudeFactor, AmplitudeRuns, Factor
from kernelspec.samples.keys import BinningKey
from kernelspec.samples.samples import KeyFactor
from kernelspec.samples.weighted_keys import GcwsKey, PoissonKey
from kernelspec.tables.rows import Rows
from tests.maps.parts import there_and_back

ROWS = Rows(np.random.default_rng(0).standard_normal((7, 3)))
STARTS = np.array([0, 2, 3, 5, 8])
KINDS = (
    "binning",
    "gcws",
    "linear forms",
    "mapped",
    "neurons",
    "poisson",
    "runs of keys",
    "runs of amplitudes",
    "translated",
)


def factor(kind: str, seed: int) -> Factor:
    generator, words = np.random.default_rng(seed), Stream(seed).words("samples", (8,))
    bins = BinningKey(1 + generator.random((8, 3)), generator.random((8, 3)), (0, 1, 2))
    neurons = Neurons(load_activation("relu")(), (0, 1, 2), generator.standard_normal((8, 3)))
    one, none = generator.integers(0, 3, 8), np.full(8, -1)
    match kind:
        case "binning":
            return bins
        case "gcws":
            return GcwsKey(words, (0, 1, 2))
        case "poisson":
            return PoissonKey(words, np.arange(8), np.full(8, 8), (0, 1, 2))
        case "linear forms":
            return LinearForms((0, 1, 2), np.arange(9), one, none, np.ones(8), generator.random(8))
        case "neurons":
            return neurons
        case "mapped":
            return MappedKey(bins, np.array([2.0, 1.0, 0.5]), (0, 1, 2))
        case "translated":
            return TranslatedKey(bins, (1.0, 0.5), (2, 0))
        case "runs of keys":
            return RunKey(bins, STARTS)
        case _:
            return AmplitudeRuns(neurons, STARTS)


def said(one: Factor) -> np.ndarray:
    """What the samples say of the rows, on the left."""
    if isinstance(one, KeyFactor):
        return one.keys(ROWS, "left")
    assert isinstance(one, AmplitudeFactor)
    return one.values(ROWS, "left")


def assert_same(found: np.ndarray, expected: np.ndarray) -> None:
    """Keys to the last bit; the last bit of an amplitude may depend on the shape of a product of matrices."""
    if found.dtype == np.uint64:
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_samples_are_taken(kind: str) -> None:
    whole = factor(kind, 1)
    for index in (np.array([3, 0, 0, 2]), np.array([1])):
        taken = whole.take(index)
        assert type(taken) is type(whole)
        assert taken.structure == whole.structure
        assert_same(said(taken), said(whole)[:, index])


@pytest.mark.parametrize("kind", KINDS)
def test_batches_are_joined_in_order(kind: str) -> None:
    first, second, third = (factor(kind, seed) for seed in (1, 2, 3))
    joined = first.join([second, third])
    assert joined.structure == first.structure
    assert_same(said(joined), np.hstack([said(first), said(second), said(third)]))
    assert not np.array_equal(said(first), said(second))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_read_is_what_was_saved(kind: str) -> None:
    own = factor(kind, 1)
    assert_same(said(there_and_back(own)), said(own))
    assert own.n_samples == (4 if "runs" in kind else 8)
    assert own.columns == (0, 1, 2)
