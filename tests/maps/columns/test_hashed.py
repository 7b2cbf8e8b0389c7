"""Tests of `maps/hashed_columns.py`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kernelspec.errors import PlanError
from kernelspec.maps import hashed_columns as sparse_table
from kernelspec.maps.hashed_columns import Bits, Buckets, Encoding, KeyByKey, SparseTable
from kernelspec.maps.keyed import KeyedFeatures
from kernelspec.maps.learned_columns import learn_columns
from kernelspec.numerics import threads
from kernelspec.numerics.phasor import Form
from kernelspec.samples.keys import BinningKey
from kernelspec.samples.samples import Phasors
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean, assert_variance

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


def test_the_column_is_the_lowest_bits_of_the_key() -> None:
    part = part_of(7)
    z = features(3, part)
    keys = part.keys(ROWS)
    for r in range(len(ROWS)):
        filled = np.flatnonzero(z[r, :-1])
        assert filled.tolist() == [8 * j + int(key) % 8 for j, key in enumerate(keys[r].tolist())]
    assert np.allclose(z[:, :-1].sum(axis=1), 7 * np.sqrt(8 / 7), rtol=1e-14)
    assert np.allclose(z[:, -1], 1, rtol=1e-14)  # √(7 / (8 − 1))


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
        with pytest.raises(PlanError, match="Use buckets"):
            ask(part, "paired")


@pytest.mark.parametrize("bits", [-1, 0, 25])
def test_numbers_of_bits_that_are_refused(bits: int) -> None:
    with pytest.raises(PlanError, match="from 1 to 24"):
        Bits(bits)


SAMPLES = 20_000


def part_of_of_buckets(n: int = SAMPLES) -> KeyedFeatures:
    """Grids of pitch 1 on the line: two points share a cell with probability 1 − |lag|."""
    generator = np.random.default_rng(5)
    key = BinningKey(np.ones((n, 1)), generator.random((n, 1)), (0,))
    identity = generator.integers(0, 2**64, n, dtype=np.uint64)
    return KeyedFeatures((key,), None, np.ones(n), np.ones(n), np.zeros(n), identity)


def products(buckets: int) -> np.ndarray:
    """Sample by sample, those of a row and the rows at some lags from it."""
    part, rows = part_of_of_buckets(), Rows(12.3 + LAGS[:, None])
    encoding = Buckets(buckets)
    table = SparseTable.empty(len(LAGS), SAMPLES, encoding.n_columns(part, "paired"), np.dtype(float))
    assert encoding.write(part, rows, "left", "paired", table, 0, 0) == 0
    same = table.indices[:1] == table.indices
    return np.asarray((table.data[:1] * table.data * same).T)


@pytest.mark.parametrize("buckets", [2, 3, 16, 256])
def test_unbiased_with_the_variance_of_the_formula_buckets(buckets: int) -> None:
    drawn = products(buckets)
    assert_mean(drawn, KERNEL)
    assert_variance(drawn, KERNEL * (1 - KERNEL) + (1 - KERNEL) / buckets)


@pytest.mark.parametrize("n_rows", [1, 6])
@pytest.mark.parametrize("n_keys", [1, 2])
def test_one_pass_writes_what_places_say(n_rows: int, n_keys: int) -> None:
    part = replace(part_of_of_buckets(9), factors=part_of_of_buckets(9).factors * n_keys)
    encoding, rows = Buckets(5), Rows(12.3 + LAGS[:n_rows, None])
    table = SparseTable.empty(n_rows, 9, encoding.n_columns(part, "paired"), np.dtype(float))
    encoding.write(part, rows, "left", "paired", table, 0, 0)
    places = part.keys(rows)
    encoding.place(places)
    assert np.array_equal(table.indices, np.arange(9) * 5 + (places >> np.uint64(1)).astype(int))
    assert np.array_equal(table.data, 1.0 - 2.0 * (places & np.uint64(1)))


def test_what_it_is() -> None:
    encoding = Buckets(4)
    assert encoding.unbiased
    assert encoding.scale() == 1
    assert encoding.names(part_of_of_buckets(2), "paired") == [f"key{j}_{b}" for j in range(2) for b in range(4)]


@pytest.mark.parametrize("buckets", [-1, 0, 1, 2**31 + 1])
def test_numbers_of_buckets_that_are_refused(buckets: int) -> None:
    with pytest.raises(PlanError, match=r"from 2 to 2\*\*31"):
        Buckets(buckets)


GENERATOR = np.random.default_rng(0)
ROWS_OF_ENCODING = Rows(GENERATOR.standard_normal((700, 3)).astype(np.float32))
N = 20


def part_of_of_encoding(*, smooth: bool) -> KeyedFeatures:
    generator = np.random.default_rng(1)
    key = BinningKey(0.5 + generator.random((N, 2)), generator.random((N, 2)), (0, 2))
    phasors = Phasors.symmetric((1,), generator.standard_normal((N, 1))) if smooth else None
    sign = np.where(generator.random(N) < 0.5, -1.0, 1.0)
    identity = generator.integers(0, 2**64, N, dtype=np.uint64)
    return KeyedFeatures((key,), phasors, generator.random(N), sign, generator.random(N), identity)


def encodings(part: KeyedFeatures) -> list[Encoding]:
    exact = learn_columns(part, [ROWS_OF_ENCODING.take(slice(0, 300))])
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
@pytest.mark.parametrize("form", ["paired", "phase", "complex"])
@pytest.mark.parametrize("smooth", [False, True])
def test_same_bits_for_any_blocks_and_threads(smooth: bool, form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    part = part_of_of_encoding(smooth=smooth)
    for encoding in encodings(part):
        whole = matrix(encoding, part, ROWS_OF_ENCODING, form)
        assert whole.shape == (700, 3 + encoding.n_columns(part, form))
        assert (whole[:, :3] == [0, 9, 0]).all()
        for processors, height in ((1, 300), (3, 16), (8, 1)):
            with monkeypatch.context() as patch:
                patch.setattr(threads, "processors", lambda count=processors: count)
                patch.setattr(KeyedFeatures, "rows_per_block", lambda self, rows=height: rows)
                assert np.array_equal(matrix(encoding, part, ROWS_OF_ENCODING, form), whole)
        pieces = [matrix(encoding, part, ROWS_OF_ENCODING.take(slice(i, i + 123)), form) for i in range(0, 700, 123)]
        assert np.array_equal(np.concatenate(pieces), whole)


@pytest.mark.parametrize("form", ["paired", "phase", "complex"])
@pytest.mark.parametrize("smooth", [False, True])
def test_names_and_signs_are_those_of_the_columns(smooth: bool, form: Form) -> None:
    part = part_of_of_encoding(smooth=smooth)
    for encoding in encodings(part):
        names, signs = encoding.names(part, form), encoding.signs(part, form)
        assert len(set(names)) == len(names) == len(signs) == encoding.n_columns(part, form)
        own = [int(name.split("_")[0].lstrip("cosinkey")) for name in names if name != "chance"]
        assert np.array_equal(signs[: len(own)], part.sign[own])
        with_sample = (matrix(encoding, part, ROWS_OF_ENCODING, form)[:, 3:] != 0).any(axis=0)
        assert with_sample[: len(own)].mean() > 0.9


@pytest.mark.parametrize("form", ["paired", "phase", "complex"])
def test_learnt_columns_have_the_estimate_as_inner_products(form: Form) -> None:
    for smooth in (False, True):
        part, rows = part_of_of_encoding(smooth=smooth), ROWS_OF_ENCODING.take(slice(0, 300))
        exact = learn_columns(part, [rows])
        z = matrix(exact, part, rows, form)[:, 3:]
        products = ((z * exact.signs(part, form)) @ z.conj().T).real
        assert np.abs(products - part.inner_products(rows, rows, form)).max() <= 2e-5


def test_every_entry_stands_where_its_place_says() -> None:
    encoding, part, rows = Buckets(8), part_of_of_encoding(smooth=True), ROWS_OF_ENCODING.take(slice(0, 9))
    assert isinstance(encoding, KeyByKey)
    table = SparseTable.empty(9, 2 * N, encoding.n_columns(part, "paired"), np.dtype(np.float64))
    assert encoding.write(part, rows, "left", "paired", table, 0, 0) == 0
    places = part.keys(rows)
    encoding.place(places)
    starts, stride, step = encoding.layout(part, "paired")
    values = part.amplitudes(rows, "left", "paired", np.dtype(np.float64)) * encoding.scale()
    for e in range(2):
        columns = starts + (places >> np.uint64(1)).astype(np.int64) * stride + e * step
        assert np.array_equal(table.indices.reshape(9, N, 2)[:, :, e], columns)
        signs = 1.0 - 2.0 * (places & np.uint64(1))
        np.testing.assert_allclose(table.data.reshape(9, N, 2)[:, :, e], values[e] * signs, rtol=1e-14)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex128])
def test_a_full_table(kind: type) -> None:
    table = SparseTable.empty(3, 2, 10, np.dtype(kind))
    table.data[:] = [[1, 2], [3, 4], [5, 6]]
    table.indices[:] = [[0, 9], [1, 2], [3, 8]]
    matrix = table.finished(0)
    expected = np.zeros((3, 10))
    expected[[0, 0, 1, 1, 2, 2], [0, 9, 1, 2, 3, 8]] = [1, 2, 3, 4, 5, 6]
    assert matrix.dtype == kind
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert np.array_equal(matrix.toarray(), expected)
    assert np.shares_memory(matrix.data, table.data)
    assert np.shares_memory(matrix.indices, table.indices)


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
