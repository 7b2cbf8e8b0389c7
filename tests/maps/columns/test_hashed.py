"""Tests of `maps/hashed_columns.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from kernelspec.errors import PlanError
from kernelspec.maps import hashed_columns as sparse_table
from kernelspec.maps.hashed_columns import AppendedRows, Bits, Buckets, Encoding, SparseTable
from kernelspec.maps.keyed import KeyedFeatures
from kernelspec.maps.learned_columns import learn_columns
from kernelspec.numerics import threads
from kernelspec.numerics.phasor import Form
from kernelspec.samples.keys import BinningKey
from kernelspec.samples.samples import Phasors
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.laboratory import assert_variance
from tests.thoroughness import sweep

MAPS = 6000
LAGS = np.array([0.0, 0.1, 0.5, 0.9, 1.0, 3.0])
KERNEL = np.maximum(0, 1 - LAGS)
ROWS = Rows(12.3 + LAGS[:, None])


def part_of(n: int) -> KeyedFeatures:
    """Grids of pitch 1 on the line: two points share a cell with probability 1 − |lag|."""
    generator = np.random.default_rng(5)
    key = BinningKey(np.ones((n, 1)), generator.random((n, 1)), (0,))
    identity = generator.integers(0, 2**64, n, dtype=np.uint64)
    return KeyedFeatures((key,), None, np.ones(n), np.ones(n), np.zeros(n), identity)


def features(bits: int, part: KeyedFeatures) -> np.ndarray:
    encoding = Bits(bits)
    table = SparseTable.empty(
        len(ROWS), encoding.entries(part, "paired"), encoding.n_columns(part, "paired"), np.dtype(float)
    )
    assert encoding.write(part, ROWS, "left", "paired", table, 0, 0) == 0
    return table.finished(0).toarray()


@pytest.mark.slow
@pytest.mark.parametrize("bits", [1, 2, 4])
@pytest.mark.parametrize("sign", [(1.0, 1.0, 1.0), (1.0, -1.0, -1.0)], ids=["positive", "signed"])
def test_unbiased_with_the_variance_of_the_formula(bits: int, sign: tuple[float, ...]) -> None:
    # the samples of all maps side by side: each has its own columns, and the constant column is the sum of theirs
    weight, signs = np.array([0.5, 0.3, 0.4]), np.array(sign)
    samples = part_of(len(weight) * MAPS)
    part = replace(samples, weight=np.tile(weight, MAPS), sign=np.tile(signs, MAPS))
    z = features(bits, part)
    products = (z * Bits(bits).signs(part, "paired")) * z[0]
    drawn = products[:, :-1].reshape(len(LAGS), MAPS, -1).sum(axis=2).T + products[:, -1] / MAPS
    b = 2.0**bits
    agree = KERNEL + (1 - KERNEL) / b
    assert_mean(drawn, (weight * signs).sum() * KERNEL)
    assert_variance(drawn, (weight**2).sum() * (b / (b - 1)) ** 2 * agree * (1 - agree))


def test_one_constant_column_with_the_opposite_sign() -> None:
    part = part_of(2)
    assert Bits(2).signs(part, "paired").tolist() == [1.0] * 8 + [-1.0]
    assert Bits(2).names(part, "paired")[-1] == "chance"
    negative = replace(part, sign=np.array([-1.0, -1.0]))
    assert Bits(2).signs(negative, "paired").tolist() == [-1.0] * 8 + [1.0]
    assert Bits(2).unbiased


def test_amplitudes_are_refused_with_the_way_out() -> None:
    part = replace(part_of(2), phasors=Phasors.symmetric((0,), np.ones((2, 1))))
    for ask in (Bits(2).n_columns, Bits(2).signs, Bits(2).names, Bits(2).layout):
        with pytest.raises(PlanError, match="use buckets"):
            ask(part, "paired")


@pytest.mark.parametrize("bits", [-1, 0, 25])
def test_numbers_of_bits_that_are_refused(bits: int) -> None:
    with pytest.raises(PlanError, match="from 1 to 24"):
        Bits(bits)


@pytest.mark.parametrize("buckets", [-1, 0, 1, 2**31 + 1])
def test_numbers_of_buckets_that_are_refused(buckets: int) -> None:
    with pytest.raises(PlanError, match=r"from 2 to 2\*\*31"):
        Buckets(buckets)


GENERATOR = np.random.default_rng(0)
MANY = Rows(GENERATOR.standard_normal((700, 3)).astype(np.float32))
N = 20


def part_with_keys(*, smooth: bool) -> KeyedFeatures:
    generator = np.random.default_rng(1)
    key = BinningKey(0.5 + generator.random((N, 2)), generator.random((N, 2)), (0, 2))
    phasors = Phasors.symmetric((1,), generator.standard_normal((N, 1))) if smooth else None
    sign = np.where(generator.random(N) < 0.5, -1.0, 1.0)
    identity = generator.integers(0, 2**64, N, dtype=np.uint64)
    return KeyedFeatures((key,), phasors, generator.random(N), sign, generator.random(N), identity)


def encodings(part: KeyedFeatures) -> list[Encoding]:
    exact = learn_columns(part, [MANY.take(slice(0, 300))])
    return [Buckets(8), exact] if part.phasors is not None else [Buckets(8), Bits(3), exact]


def matrix(encoding: Encoding, part: KeyedFeatures, rows: Rows, form: Form) -> np.ndarray:
    """Behind one entry and three columns of something else."""
    kind = np.dtype(np.complex64 if form == "complex" else np.float32)
    columns = 3 + encoding.n_columns(part, form)
    table = SparseTable.empty(len(rows), 1 + encoding.entries(part, form), columns, kind)
    table.data[:, 0], table.indices[:, 0] = 9, 1
    missing = encoding.write(part, rows, "left", form, table, 1, 3)
    assert missing == (table.indices < 0).sum()
    finished = table.finished(missing)
    finished.check_format(full_check=True)
    for row in np.split(finished.indices, finished.indptr[1:-1]):
        assert (np.diff(row) > 0).all()
    return finished.toarray()


@pytest.mark.slow
@pytest.mark.parametrize("form", sweep(["paired", "phase", "complex"], every=3))
@pytest.mark.parametrize("smooth", [False, True])
def test_same_bits_for_any_blocks_and_threads(smooth: bool, form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    part = part_with_keys(smooth=smooth)
    for encoding in encodings(part):
        whole = matrix(encoding, part, MANY, form)
        assert whole.shape == (700, 3 + encoding.n_columns(part, form))
        assert (whole[:, :3] == [0, 9, 0]).all()
        for processors, height in ((1, 300), (3, 16), (8, 1)):
            with monkeypatch.context() as patch:
                patch.setattr(threads, "processors", lambda count=processors: count)
                patch.setattr(KeyedFeatures, "rows_per_block", lambda self, rows=height: rows)
                assert np.array_equal(matrix(encoding, part, MANY, form), whole)
        pieces = [matrix(encoding, part, MANY.take(slice(i, i + 123)), form) for i in range(0, 700, 123)]
        assert np.array_equal(np.concatenate(pieces), whole)


@pytest.mark.parametrize("form", ["paired", "phase", "complex"])
@pytest.mark.parametrize("smooth", [False, True])
def test_names_and_signs_are_those_of_the_columns(smooth: bool, form: Form) -> None:
    part = part_with_keys(smooth=smooth)
    for encoding in encodings(part):
        names, signs = encoding.names(part, form), encoding.signs(part, form)
        assert len(set(names)) == len(names) == len(signs) == encoding.n_columns(part, form)
        own = [int(name.split("_")[0].lstrip("cosinkey")) for name in names if name != "chance"]
        assert np.array_equal(signs[: len(own)], part.sign[own])
        with_sample = (matrix(encoding, part, MANY, form)[:, 3:] != 0).any(axis=0)
        assert with_sample[: len(own)].mean() > 0.9


@pytest.mark.parametrize("form", ["paired", "phase", "complex"])
def test_learnt_columns_have_the_estimate_as_inner_products(form: Form) -> None:
    for smooth in (False, True):
        part, rows = part_with_keys(smooth=smooth), MANY.take(slice(0, 300))
        exact = learn_columns(part, [rows])
        z = matrix(exact, part, rows, form)[:, 3:]
        products = ((z * exact.signs(part, form)) @ z.conj().T).real
        assert np.abs(products - part.inner_products(rows, rows, form)).max() <= 2e-5


def test_missing_columns_leave_no_entry() -> None:
    table = SparseTable.empty(3, 2, 10, np.dtype(float))
    table.data[:] = [[1, 2], [3, 4], [5, 6]]
    table.indices[:] = [[-1, 9], [-1, -1], [3, 8]]
    matrix = table.finished(3)
    assert matrix.nnz == len(matrix.data) == 3
    expected = np.zeros((3, 10))
    expected[[0, 2, 2], [9, 3, 8]] = [2, 5, 6]
    assert np.array_equal(matrix.toarray(), expected)


def test_wide_indices_only_where_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SparseTable.empty(1, 1, 2**31 - 1, np.dtype(float)).indices.dtype == np.int32
    table = SparseTable.empty(1, 1, 2**31, np.dtype(float))
    table.data[:], table.indices[:] = 1, 2**31 - 1
    assert table.indices.dtype == np.int64
    assert table.finished(0).indices.tolist() == [2**31 - 1]
    monkeypatch.setattr(sparse_table, "index_dtype", lambda largest: np.dtype(np.int32 if largest <= 5 else np.int64))
    assert SparseTable.empty(2, 3, 4, np.dtype(float)).indices.dtype == np.int64
    assert SparseTable.empty(1, 3, 4, np.dtype(float)).indices.dtype == np.int32


@given(sizes=st.lists(st.integers(0, 5), max_size=6), length=st.integers(0, 4), seed=st.integers(0, 99))
def test_what_is_appended_is_there_in_order(sizes: list[int], length: int, seed: int) -> None:
    generator, parts = np.random.default_rng(seed), []
    found = AppendedRows(SparseTable.empty(sum(sizes), length, 9, np.dtype(float)))
    for i, size in enumerate(sizes):
        room = found.room(size)
        assert room.data.shape == (size, length)
        room.data[:] = generator.standard_normal((size, length))
        room.indices[:] = np.sort(np.argsort(generator.random((size, 9)), axis=1)[:, :length], axis=1)
        if i % 2 and size and length:
            room.indices[:, 0] = -1
            part = room.finished(size)
        else:
            part = room.finished(0)
        parts.append(part.toarray())
        found.append(part)
    matrix = found.matrix()
    np.testing.assert_array_equal(matrix.toarray(), np.vstack([np.empty((0, 9)), *parts]))
    assert matrix.nnz == len(matrix.data) == len(matrix.indices)
    matrix.check_format(full_check=True)


def test_starts_are_added_in_the_type_of_the_whole() -> None:
    found = AppendedRows(SparseTable(np.zeros((2, 0)), np.zeros((2, 0), dtype=np.int64), 9))
    for before in (2**31 - 2, 2**31 + 5):  # more than the rows' own starts can count
        found._rows, found._entries = 0, before
        rows = csr_array((1, 9))
        assert rows.indptr.dtype == np.int32
        rows.indptr = np.array([0, 3], dtype=np.int32)  # as if there were entries, which would need memory
        found.append(rows)
        assert found._pointers[1] == before + 3


def full(room: SparseTable) -> Any:
    room.data[:], room.indices[:] = 1, np.arange(2)
    return room.finished(0)


def test_full_rows_are_not_copied_and_a_small_matrix_is_not_either() -> None:
    table = SparseTable.empty(100, 2, 4, np.dtype(float))
    found = AppendedRows(table)
    for size in (30, 10):
        found.append(full(found.room(size)))
    assert np.shares_memory(found.room(5).data, table.data[40:45])
    missing = found.room(60)
    missing.data[:], missing.indices[:] = 1, -1
    found.append(missing.finished(120))
    matrix = found.matrix()
    assert (matrix.shape, matrix.nnz) == ((100, 4), 80)
    assert matrix.data.ctypes.data == table.data.ctypes.data
    assert matrix.indices.ctypes.data == table.indices.ctypes.data


@pytest.mark.parametrize(("room", "kind"), [(5, np.int64), (100, np.int32)])
def test_indices_are_as_wide_as_they_must_be(room: int, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sparse_table,):
        monkeypatch.setattr(module, "index_dtype", lambda largest: np.dtype(np.int32 if largest <= 9 else np.int64))
    table = SparseTable.empty(5, 2, 4, np.dtype(float))  # for ten entries at most
    assert table.indices.dtype == np.int64
    found = AppendedRows(table)
    for size in (3, 2):
        part = full(found.room(size))
        found.append(part if room == 5 else part[:, :1])
    matrix = found.matrix()
    assert matrix.indices.dtype == matrix.indptr.dtype == kind
    assert matrix.nnz == (10 if room == 5 else 5)
