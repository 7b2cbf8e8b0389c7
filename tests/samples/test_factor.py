"""Tests of `samples/factor.py`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.activations.activation import load_activation
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import LinearForms, Neurons
from kernelspec.samples.changed_keys import MappedKey, RunKey, TranslatedKey
from kernelspec.samples.factor import (
    AmplitudeRuns,
    Factor,
    FactorRuns,
    amplitude_values,
    factor_values,
    multiply_amplitudes,
)
from kernelspec.samples.inner_products import mean_products
from kernelspec.samples.keys import BinningKey
from kernelspec.samples.weighted_keys import GcwsKey, PoissonKey
from kernelspec.tables.rows import Rows
from tests.laws.texts import law
from tests.maps.parts import there_and_back

RNG = np.random.default_rng(0)
ROWS = Rows(RNG.standard_normal((5, 3)))


def neurons(n: int) -> Neurons:
    return Neurons(load_activation("relu")(), (0, 1, 2), RNG.standard_normal((n, 3)))


def columns(*which: int) -> LinearForms:
    n = len(which)
    return LinearForms((0, 1, 2), np.arange(n + 1), np.array(which), np.full(n, -1), np.ones(n), np.ones(n))


def test_factors_of_one_kind_fuse_and_others_stand_side_by_side() -> None:
    own = neurons(2)
    product = multiply_amplitudes((columns(0, 1), own), (neurons(2), columns(2, 2)))
    assert [type(factor).__name__ for factor in product] == ["LinearForms", "Neurons", "Neurons"]
    x = ROWS.dense()
    np.testing.assert_allclose(product[0].values(ROWS, "left"), x[:, [0, 1]] * x[:, [2]], rtol=1e-13)


def test_runs() -> None:
    own = neurons(5)
    values = own.values(ROWS, "left")
    runs = own.runs(np.array([0, 2, 3, 5]))
    assert isinstance(runs, AmplitudeRuns)
    expected = np.column_stack([values[:, :2].prod(axis=1), values[:, 2], values[:, 3:].prod(axis=1)])
    np.testing.assert_allclose(runs.values(ROWS, "left"), expected, rtol=1e-13)
    np.testing.assert_allclose(runs.take(np.array([2, 0])).values(ROWS, "left"), expected[:, [2, 0]], rtol=1e-13)
    np.testing.assert_allclose(runs.join([runs]).values(ROWS, "left"), np.hstack([expected, expected]), rtol=1e-13)
    outer = runs.runs(np.array([0, 1, 3]))
    np.testing.assert_allclose(
        outer.values(ROWS, "left"), np.column_stack([expected[:, 0], expected[:, 1:].prod(axis=1)]), rtol=1e-13
    )
    assert runs.columns == own.columns
    assert not runs.is_complex
    assert np.array_equal(there_and_back(runs).values(ROWS, "left"), runs.values(ROWS, "left"))


X = np.random.default_rng(0).standard_normal((6, 3))
ROWS_OF_AMPLITUDE_VALUES = Rows(X)
TEXTS = ["gaussian()", "tilt(gaussian(), by=0.3)", "linear()", "gaussian()*linear()", "shift_gaussian(by=0.4)"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_sample_is_the_product_of_its_sides(text: str) -> None:
    scheme = "polar" if "shift" in text else None
    drawn = law(text, 3, scheme).draw(Stream(0), 5, (0, 1, 2))
    total = np.zeros(6)
    for batch in drawn:
        left, right = (
            amplitude_values(batch, ROWS_OF_AMPLITUDE_VALUES, "left"),
            amplitude_values(batch, ROWS_OF_AMPLITUDE_VALUES, "right"),
        )
        total += (batch.sign * left * np.conj(right[::-1])).real.sum(axis=1) / 5
    np.testing.assert_allclose(total, mean_products(drawn, ROWS_OF_AMPLITUDE_VALUES, Rows(X[::-1]), 5), atol=1e-12)


def test_they_are_the_features_of_a_map() -> None:
    fmap = ks.compile("gaussian(scale=2)", dim=3, n_features=16, method="complex")
    (batch,) = law("gaussian(scale=2)", 3).draw(Stream(0).child(0), 8, (0, 1, 2))
    np.testing.assert_allclose(
        amplitude_values(batch, ROWS_OF_AMPLITUDE_VALUES, "left") / np.sqrt(8), fmap.transform(X), atol=1e-12
    )


def test_keys_are_no_products() -> None:
    (batch,) = law("match()*gaussian()", 3).draw(Stream(0), 2, (0, 1, 2))
    with pytest.raises(ValueError, match="samples with keys"):
        amplitude_values(batch, ROWS_OF_AMPLITUDE_VALUES, "left")
    assert factor_values(batch, ROWS_OF_AMPLITUDE_VALUES, "left").shape == (6, 2)


STARTS = np.array([0, 2, 3, 5, 8])


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


@dataclass(frozen=True)
class Numbered(Factor):
    """Samples that are known by their numbers."""

    numbers: np.ndarray

    @property
    def structure(self) -> Hashable:
        return "numbered"

    @property
    def columns(self) -> tuple[int, ...]:
        return (4, 1)

    def take(self, index: np.ndarray) -> Numbered:
        return Numbered(self.numbers[index])

    def join(self, others: Sequence[Numbered]) -> Numbered:
        return Numbered(np.concatenate([self.numbers, *(other.numbers for other in others)]))

    @property
    def n_samples(self) -> int:
        return len(self.numbers)


def runs(*parts: list[int]) -> FactorRuns[Numbered]:
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    return FactorRuns(Numbered(np.concatenate(parts)), starts)


def parts(found: FactorRuns[Numbered]) -> list[list[int]]:
    return [part.tolist() for part in np.split(found.factor.numbers, found.starts[1:-1])]


@pytest.mark.parametrize("starts", [[1, 3], [0, 2], [0, 4], [0, 2, 1, 3], [0, -1, 3], []])
def test_runs_that_do_not_follow_each_other_are_refused(starts: list[int]) -> None:
    factor = Numbered(np.array([5, 6, 7]))
    FactorRuns(factor, np.array([0, 2, 2, 3])).validate()
    with pytest.raises(ValueError, match="one after the other"):
        FactorRuns(factor, np.array(starts, dtype=np.intp)).validate()
