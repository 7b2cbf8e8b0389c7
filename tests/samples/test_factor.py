"""Tests of `samples/factor.py`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.activations.activation import load_activation
from kernelspec.laws.sums_and_products import ones
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import LinearForms, Neurons
from kernelspec.samples.declared_arrays import LARGEST, array, check_arrays, places
from kernelspec.samples.factor import (
    AmplitudeRuns,
    Factor,
    FactorRuns,
    amplitude_values,
    factor_values,
    multiply_amplitudes,
)
from kernelspec.samples.keys import MatchKey
from kernelspec.samples.samples import Phasors, Samples, mean_products, merge_equal
from kernelspec.tables.rows import Rows
from tests.laws.texts import law
from tests.maps.parts import there_and_back

ROWS = np.array([[0, 2, 0], [0, -2, 0], [1, 2, 0], [0, 2, 0], [0, 0, 2], [-1, -2, 0], [0, 0, 0], [0, 0, 0], [1, -2, 0]])
#                 kind 0     0           1          0          2          1            3          3          4


def batch(rows: np.ndarray = ROWS, sign: np.ndarray | None = None) -> Samples:
    n = len(rows)
    weight = np.arange(1.0, n + 1)
    phasors = Phasors.symmetric((3, 5, 8), csr_array(rows.astype(float)))
    return Samples(np.arange(n), weight, np.ones(n) if sign is None else sign, phasors)


def test_equal_and_opposite_frequencies_are_one() -> None:
    (found,) = merge_equal([batch()], "paired")
    assert found.index.tolist() == [0, 2, 4, 6, 8]
    assert found.weight.tolist() == [1 + 2 + 4, 3 + 6, 5, 7 + 8, 9]
    assert found.phasors is not None
    assert np.array_equal(found.phasors.frequencies.toarray(), ROWS[[0, 2, 4, 6, 8]])  # type: ignore[union-attr]


def test_the_sum_of_the_samples_is_unchanged() -> None:
    lags = np.random.default_rng(0).normal(size=(7, 3))

    def estimate(samples: Samples) -> np.ndarray:
        assert samples.phasors is not None
        angle = lags @ samples.phasors.frequencies.toarray().T  # type: ignore[union-attr]
        turn = samples.phasors.left - samples.phasors.right
        return np.asarray(np.cos(angle + turn) @ (samples.weight * samples.sign))

    generator = np.random.default_rng(1)
    whole = batch(generator.integers(-1, 2, (200, 3)), generator.choice([-1.0, 1.0], 200))
    assert whole.phasors is not None
    shifts = generator.integers(-1, 2, (2, 200)) * 0.5
    turned = replace(whole, phasors=replace(whole.phasors, left=shifts[0], right=shifts[1]))
    for samples in (whole, turned):
        (found,) = merge_equal([samples], "complex")
        assert len(found) < 180
        np.testing.assert_allclose(estimate(found), estimate(samples), rtol=1e-10, atol=1e-10)
        (again,) = merge_equal([found], "complex")
        assert len(again) == len(found)


def test_different_signs_are_different() -> None:
    sign = np.array([1.0, -1, 1, 1, 1, 1, 1, -1, 1])
    (found,) = merge_equal([batch(sign=sign)], "paired")
    assert found.index.tolist() == [0, 1, 2, 4, 6, 7, 8]


def test_constants_beside_them_are_one() -> None:
    first, constant = merge_equal([batch(), ones(np.arange(9, 20))], "phase")
    assert len(first) == 9  # every sample has a random offset of its own
    assert (constant.index.tolist(), constant.weight.tolist()) == ([9], [11.0])


def test_all_others_are_left_alone() -> None:
    dense = replace(batch(), phasors=Phasors.symmetric((3, 5, 8), ROWS.astype(float)))
    assert merge_equal([dense, ones(np.arange(4))], "paired")[1].weight.tolist() == [1.0] * 4
    keyed = replace(batch(), keys=(MatchKey((1,)),))
    assert merge_equal([keyed], "paired") == [keyed]


GENERATOR = np.random.default_rng(5)


def phasors(columns: tuple[int, ...], n: int) -> Phasors:
    return Phasors(columns, GENERATOR.standard_normal((n, len(columns))), GENERATOR.random(n), GENERATOR.random(n))


def dense(part: Phasors, width: int) -> np.ndarray:
    spread = np.zeros((len(part.frequencies), width))
    for i, column in enumerate(part.columns):
        spread[:, column] += part.frequencies[:, i]
    return spread


def test_columns_that_were_selected_twice_are_merged() -> None:
    twice = phasors((2, 0, 2), 4)
    once = twice.merged()
    assert once.columns == (0, 2)
    expected = np.stack([twice.frequencies[:, 1], twice.frequencies[:, 0] + twice.frequencies[:, 2]], axis=1)
    assert np.array_equal(once.frequencies, expected)
    assert np.array_equal(once.left, twice.left)
    assert np.array_equal(once.right, twice.right)
    assert once.merged() is once


@dataclass(frozen=True)
class Part:
    columns: tuple[int, ...] = places("columns")
    values: np.ndarray = array("float64", "samples", "columns", above=0, at_most=7)
    starts: np.ndarray = array("int64", "samples + 1", at_least=0)
    which: np.ndarray = array("int64", "more", at_least=-1, below="columns")


GOOD: dict[str, Any] = {
    "columns": (4, 2),
    "values": np.array([[1.0, 7.0], [2.0, 3.0], [0.1, 0.2]]),
    "starts": np.array([0, 1, 5, 9]),
    "which": np.array([-1, 1, 0, 0, 1]),
}


def test_what_is_as_declared() -> None:
    check_arrays(Part, GOOD)
    check_arrays(Part, GOOD | {"which": np.zeros(0, dtype=np.int64)})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("columns", (4, -2)),
        ("columns", (4, 2, 1)),
        ("values", [[1.0, 2.0]]),
        ("values", np.ones((3, 2), dtype=np.float32)),
        ("values", np.ones(3)),
        ("values", np.ones((2, 2))),
        ("values", np.zeros((3, 2))),
        ("values", np.full((3, 2), 7.1)),
        ("values", np.full((3, 2), np.nan)),
        ("values", np.full((3, 2), np.inf)),
        ("starts", np.arange(3)),
        ("starts", np.arange(4.0)),
        ("starts", np.array([0, 1, 2, -1])),
        ("which", np.array([2])),
        ("which", np.array([-2])),
    ],
)
def test_what_is_not(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=r"column|values|starts|which"):
        check_arrays(Part, GOOD | {name: value})


def test_numbers_without_ends_are_finite() -> None:
    @dataclass(frozen=True)
    class Numbers:
        numbers: np.ndarray = array("float64", "n")

    check_arrays(Numbers, {"numbers": np.array([-LARGEST, LARGEST])})
    for bad in (np.nan, np.inf, 2 * LARGEST, -2 * LARGEST):
        with pytest.raises(ValueError, match="numbers has entries"):
            check_arrays(Numbers, {"numbers": np.array([0.0, bad])})


RNG = np.random.default_rng(0)
FIVE = Rows(RNG.standard_normal((5, 3)))


def neurons(n: int) -> Neurons:
    return Neurons(load_activation("relu")(), (0, 1, 2), RNG.standard_normal((n, 3)))


def columns(*which: int) -> LinearForms:
    n = len(which)
    return LinearForms((0, 1, 2), np.arange(n + 1), np.array(which), np.full(n, -1), np.ones(n), np.ones(n))


def test_factors_of_one_kind_fuse_and_others_stand_side_by_side() -> None:
    own = neurons(2)
    product = multiply_amplitudes((columns(0, 1), own), (neurons(2), columns(2, 2)))
    assert [type(factor).__name__ for factor in product] == ["LinearForms", "Neurons", "Neurons"]
    x = FIVE.dense()
    np.testing.assert_allclose(product[0].values(FIVE, "left"), x[:, [0, 1]] * x[:, [2]], rtol=1e-13)


def test_runs() -> None:
    own = neurons(5)
    values = own.values(FIVE, "left")
    runs = own.runs(np.array([0, 2, 3, 5]))
    assert isinstance(runs, AmplitudeRuns)
    expected = np.column_stack([values[:, :2].prod(axis=1), values[:, 2], values[:, 3:].prod(axis=1)])
    np.testing.assert_allclose(runs.values(FIVE, "left"), expected, rtol=1e-13)
    np.testing.assert_allclose(runs.take(np.array([2, 0])).values(FIVE, "left"), expected[:, [2, 0]], rtol=1e-13)
    np.testing.assert_allclose(runs.join([runs]).values(FIVE, "left"), np.hstack([expected, expected]), rtol=1e-13)
    outer = runs.runs(np.array([0, 1, 3]))
    np.testing.assert_allclose(
        outer.values(FIVE, "left"), np.column_stack([expected[:, 0], expected[:, 1:].prod(axis=1)]), rtol=1e-13
    )
    assert runs.columns == own.columns
    assert not runs.is_complex
    assert np.array_equal(there_and_back(runs).values(FIVE, "left"), runs.values(FIVE, "left"))


X = np.random.default_rng(0).standard_normal((6, 3))
SIX = Rows(X)
TEXTS = ["gaussian()", "tilt(gaussian(), by=0.3)", "linear()", "gaussian()*linear()", "shift_gaussian(by=0.4)"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_sample_is_the_product_of_its_sides(text: str) -> None:
    scheme = "polar" if "shift" in text else None
    drawn = law(text, 3, scheme).draw(Stream(0), 5, (0, 1, 2))
    total = np.zeros(6)
    for batch in drawn:
        left, right = (amplitude_values(batch, SIX, "left"), amplitude_values(batch, SIX, "right"))
        total += (batch.sign * left * np.conj(right[::-1])).real.sum(axis=1) / 5
    np.testing.assert_allclose(total, mean_products(drawn, SIX, Rows(X[::-1]), 5), atol=1e-12)


def test_they_are_the_features_of_a_map() -> None:
    fmap = ks.compile("gaussian(scale=2)", dim=3, n_features=16, method="complex")
    (batch,) = law("gaussian(scale=2)", 3).draw(Stream(0).child(0), 8, (0, 1, 2))
    np.testing.assert_allclose(amplitude_values(batch, SIX, "left") / np.sqrt(8), fmap.transform(X), atol=1e-12)


def test_keys_are_no_products() -> None:
    (batch,) = law("match()*gaussian()", 3).draw(Stream(0), 2, (0, 1, 2))
    with pytest.raises(ValueError, match="samples with keys"):
        amplitude_values(batch, SIX, "left")
    assert factor_values(batch, SIX, "left").shape == (6, 2)


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


@pytest.mark.parametrize("starts", [[1, 3], [0, 2], [0, 4], [0, 2, 1, 3], [0, -1, 3], []])
def test_runs_that_do_not_follow_each_other_are_refused(starts: list[int]) -> None:
    factor = Numbered(np.array([5, 6, 7]))
    FactorRuns(factor, np.array([0, 2, 2, 3])).validate()
    with pytest.raises(ValueError, match="one after the other"):
        FactorRuns(factor, np.array(starts, dtype=np.intp)).validate()
