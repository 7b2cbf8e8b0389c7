"""Tests of `samples/frequencies.py`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import hadamard
from scipy.sparse import csr_array

from kernelspec.errors import DataError
from kernelspec.random.coupled import signs_of
from kernelspec.random.streams import Stream
from kernelspec.samples.declared_arrays import check_arrays
from kernelspec.samples.frequencies import (
    ColumnRead,
    Frequencies,
    UnitColumn,
    in_order,
    mapped,
    numbers_on,
    positions_read,
    products,
    run_sums,
    stacked,
    summed,
)
from kernelspec.samples.hadamard_frequencies import DenseBlock, HadamardBlocks, HadamardFrequencies, MappedBlocks
from kernelspec.samples.samples import Phasors
from kernelspec.tables.rows import Rows

X = np.array([[3.0, 4.0, 1.0], [0.0, -2.0, 5.0]])
MIXED: tuple[ColumnRead, ...] = (1, UnitColumn(0, (0, 1)), UnitColumn(1, (0, 1)), UnitColumn(2, (1, 2)))


def test_a_row_without_direction() -> None:
    with pytest.raises(DataError, match="row 1 is all zeros, so it has"):
        numbers_on(Rows(X * [[1], [0]]), MIXED)


def test_unit_columns_that_are_none_are_refused() -> None:
    UnitColumn(2, (0, 2)).validate()
    for position, among in ((1, (0, 2)), (0, (0, 0)), (0, ())):
        with pytest.raises(ValueError, match="is not one of the distinct columns"):
            UnitColumn(position, among).validate()


def test_columns_of_one_norm_are_not_compared_with_each_other() -> None:
    """Of d columns that share what their norm is taken over, comparing it would take d² steps."""

    class Shared(tuple[int, ...]):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            raise AssertionError("compared")

        __hash__ = tuple.__hash__

    among = Shared(range(9))
    columns = tuple(UnitColumn(i, among) for i in range(9))
    assert in_order(columns[::-1]) == columns
    assert positions_read(columns) == tuple(range(9))
    assert UnitColumn(0, (0, 1)) == UnitColumn(0, (0, 1)) != UnitColumn(0, (0, 2))
    assert UnitColumn(0, (0, 1)) != 0


RNG = np.random.default_rng(0)


def blocks(n: int = 100, places: np.ndarray | None = None) -> HadamardBlocks:
    places = np.arange(70) if places is None else places
    words = Stream(3).words("signs", (-(-n // 128), 3, 2))
    return HadamardBlocks(words, RNG.random(n), places, RNG.random(len(places)))


def matrix_of(own: HadamardBlocks, width: int) -> np.ndarray:
    H = hadamard(128).astype(float)
    whole = np.vstack([(H * a) @ (H * b) @ (H * c) / 128 for a, b, c in signs_of(own.words)])
    found = np.zeros((len(own), width))
    for i, place in enumerate(own.places):
        found[:, place] += whole[: len(own), i] * own.lengths * own.scales[i]
    return found


def test_the_matrix() -> None:
    own, twice = blocks(150), blocks(5, np.r_[np.arange(68), 3, 3])
    np.testing.assert_allclose(np.asarray(HadamardFrequencies((own,), 80)), matrix_of(own, 80), atol=1e-12)
    np.testing.assert_allclose(twice.toarray(70), matrix_of(twice, 70), atol=1e-12)


def test_some_of_the_samples() -> None:
    own = HadamardFrequencies((blocks(150), DenseBlock(RNG.random((3, 70)))), 70)
    whole = own.toarray()
    assert own.shape == (153, 70)
    for n in (1, 128, 150, 152, 153):
        for found in (own[:n], own[np.arange(n)]):
            assert isinstance(found, HadamardFrequencies)
            np.testing.assert_allclose(found.toarray(), whole[:n], atol=1e-12)
            for part in found.parts:
                if isinstance(part, HadamardBlocks):
                    part.validate()
    some = np.array([5, 2, 140])
    assert np.array_equal(own[some], whole[some])
    rows = RNG.random((4, 70))
    np.testing.assert_allclose(products(rows, own), rows @ whole.T, rtol=1e-11)
    np.testing.assert_allclose(products(csr_array(rows), own), rows @ whole.T, rtol=1e-11)


def test_together_with_other_frequencies() -> None:
    """Parts on columns of their own: structured as long as samples only follow each other."""
    one, other = HadamardFrequencies((blocks(9),), 70), RNG.random((4, 2))
    first, second = Phasors.symmetric(tuple(range(70)), one), Phasors.symmetric((75, 3), other)
    third = Phasors.symmetric((3,), csr_array(np.ones((2, 1))))
    joined = Phasors.join([first, second, third])
    assert isinstance(joined.frequencies, HadamardFrequencies)
    expected = np.zeros((15, 71))
    expected[:9, :70] = one.toarray()
    expected[9:13, [70, 3]] = other
    expected[13:, 3] = 1
    np.testing.assert_allclose(np.asarray(joined.frequencies), expected, atol=1e-12)
    whole = one.toarray()
    assert np.array_equal(summed(one, np.ones((9, 70))), whole + 1)
    assert np.array_equal(mapped(one, np.full(70, 2.0)), 2 * whole)
    np.testing.assert_allclose(run_sums(one, np.array([0, 4])), [whole[:4].sum(axis=0), whole[4:].sum(axis=0)])
    assert stacked([(other, (0, 1))], (0, 1)).shape == (4, 2)


def test_what_a_file_may_not_hold() -> None:
    own = blocks(150)
    for wrong in (
        HadamardBlocks(own.words[:1], own.lengths, own.places, own.scales),
        HadamardBlocks(own.words[..., :1], own.lengths, own.places, own.scales),
        HadamardBlocks(own.words, own.lengths, own.places[:9], own.scales[:9]),
        HadamardBlocks(own.words, own.lengths, own.places[:0], own.scales[:0]),
        HadamardFrequencies((own,), 69),
        HadamardFrequencies((), 69),
    ):
        with pytest.raises(ValueError, match=r"there are|invalid"):
            wrong.validate()
    with pytest.raises(ValueError, match="places has entries from -1"):
        check_arrays(HadamardBlocks, vars(HadamardBlocks(own.words, own.lengths, own.places - 1, own.scales)))
    zeros = np.zeros(150)
    check_arrays(Phasors, vars(Phasors(tuple(range(70)), HadamardFrequencies((own,), 70), zeros, zeros)))
    for frequencies in (HadamardFrequencies((own,), 71), HadamardFrequencies((own.head(9),), 70), own):
        with pytest.raises((ValueError, AttributeError)):
            check_arrays(Phasors, vars(Phasors(tuple(range(70)), frequencies, zeros, zeros)))  # type: ignore[arg-type]


def test_blocks_that_read_linear_images() -> None:
    own, a = blocks(40), RNG.standard_normal((70, 12))
    mapped_by = MappedBlocks(own, a)
    mapped_by.validate()
    whole = matrix_of(own, 70) @ a
    np.testing.assert_allclose(mapped_by.toarray(13), np.hstack([whole, np.zeros((40, 1))]), atol=1e-11)
    rows = RNG.random((3, 14))
    np.testing.assert_allclose(mapped_by.products(rows), rows[:, :12] @ whole.T, atol=1e-11)
    elsewhere = np.r_[np.arange(11)[::-1], 0] + 1
    expected = np.zeros((40, 12))
    np.add.at(expected.T, elsewhere, whole.T)
    np.testing.assert_allclose(mapped_by.head(40).moved(elsewhere).toarray(12), expected, atol=1e-11)
    with pytest.raises(ValueError, match="69 rows"):
        MappedBlocks(own, a[:69]).validate()


GENERATOR = np.random.default_rng(4)


def matrix(n: int, p: int) -> np.ndarray:
    return GENERATOR.normal(size=(n, p)) * (GENERATOR.random((n, p)) < 0.4)


def dense(frequencies: Frequencies) -> np.ndarray:
    if isinstance(frequencies, np.ndarray):
        return frequencies
    assert isinstance(frequencies, csr_array)
    assert frequencies.has_canonical_format
    assert (frequencies.data != 0).all()
    return frequencies.toarray()


A, B = matrix(5, 3), matrix(5, 3)


@pytest.mark.parametrize(
    "a", [np.array(2.5), np.array([2.0, 0.0, -1.0]), GENERATOR.normal(size=(3, 2))], ids=["0", "1", "2"]
)
def test_linear_maps(a: np.ndarray) -> None:
    expected = A @ a if a.ndim == 2 else A * a
    np.testing.assert_allclose(dense(mapped(A, a)), expected, rtol=1e-14)
    np.testing.assert_allclose(dense(mapped(csr_array(A), a)), expected, rtol=1e-14, atol=1e-15)
