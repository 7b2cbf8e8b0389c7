"""Tests of `numerics/key_kernels.py`."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import gamma, kstest, uniform

from kernelspec.numerics.key_kernels import (
    add_agreements,
    add_products,
    apply_matrix,
    entries_of_csr,
    entries_of_dense,
    mix_columns,
    mix_keys,
    multiply_complex,
    multiply_real,
)
from kernelspec.numerics.weighted_kernels import (
    NO_SAMPLE,
    least_points,
    logarithms,
    passing_winners,
    random_tables,
    scramble_words,
    winners,
)
from kernelspec.numerics.weighted_kernels import NO_SAMPLE as NO_SAMPLE_OF_POISSON_KERNELS
from kernelspec.random import streams as hashing
from kernelspec.random.streams import scramble as scramble_of_gcws_kernels
from tests.laboratory import assert_proportions

GENERATOR = np.random.default_rng(0)


def keys(n: int, m: int, samples: int) -> tuple[np.ndarray, np.ndarray]:
    left, right = (GENERATOR.integers(0, 3, shape).astype(np.uint64) for shape in ((n, samples), (samples, m)))
    return left, right


@pytest.mark.long
@pytest.mark.parametrize("m", [1, 1023, 1025, 2100])
def test_agreements(m: int) -> None:
    left, right = keys(5, m, 7)
    weights = GENERATOR.standard_normal(7)
    expected = ((left[:, :, None] == right[None]) * weights[:, None]).sum(axis=1)
    out = np.full((5, m), 2.0)
    add_agreements(left, right, weights, out)
    assert np.abs(out - 2 - expected).max() <= 1e-14


@pytest.mark.parametrize("m", [1, 1025])
@pytest.mark.parametrize("entries", [1, 2])
def test_products(m: int, entries: int) -> None:
    left, right = keys(5, m, 7)
    a, b = GENERATOR.standard_normal((entries, 5, 7)), GENERATOR.standard_normal((entries, 7, m))
    expected = np.einsum("eij,ejc,ijc->ic", a, b, left[:, :, None] == right[None])
    out = np.full((5, m), 2.0)
    add_products(left, right, a, b, out)
    assert np.abs(out - 2 - expected).max() <= 1e-13


def words(*shape: int) -> np.ndarray:
    return GENERATOR.integers(0, 2**64, shape, dtype=np.uint64)


def offset(salt: int) -> np.uint64:
    return np.uint64((salt + 1) * hashing.WEYL % 2**64)


@pytest.mark.parametrize("rows", [1, 2, 37])
@pytest.mark.parametrize("n", [1, 2, 33])
@pytest.mark.parametrize("salt", [0, 1, 7])
def test_mix_is_that_of_hashing(rows: int, n: int, salt: int) -> None:
    for first_rows in {1, rows}:
        for wide in {1, n}:
            first, second = words(first_rows, n), words(rows, wide)
            expected = hashing.mix(first, second, salt=salt)
            found = mix_keys(first.copy(), second.copy(), offset(salt))
            assert found.dtype == np.uint64
            assert found.shape == expected.shape == (rows, n)
            assert np.array_equal(found, expected)


def test_columns_are_mixed_in_order() -> None:
    codes = words(20, 5)
    key = np.zeros(20, dtype=np.uint64)
    for i in range(5):
        key = hashing.mix(key, codes[:, i])
    assert np.array_equal(mix_columns(codes)[:, 0], key)


def test_products_are_summed_in_the_order_of_the_columns() -> None:
    x, matrix = GENERATOR.standard_normal((9, 6)), GENERATOR.standard_normal((6, 4))
    expected = np.zeros((9, 4))
    for i in range(6):
        expected = expected + x[:, i, None] * matrix[i]
    assert np.array_equal(apply_matrix(x, matrix), expected)
    assert np.allclose(expected, x @ matrix, rtol=1e-13)


RNG = np.random.default_rng(1)
DATA = RNG.standard_normal((7, 4))
STARTS = np.array([0, 3, 3, 4, 9])
FIRST = RNG.integers(0, 4, 9)
SECOND = np.where(RNG.random(9) < 0.3, -1, RNG.integers(0, 4, 9))
TURN = np.where(RNG.random(9) < 0.5, -1.0, 1.0)
SCALE = RNG.uniform(0.5, 2, 9)


def products(factors: np.ndarray) -> np.ndarray:
    runs = itertools.pairwise(STARTS)
    return np.stack([factors[:, a:b].prod(axis=1) for a, b in runs], axis=1)


def test_real() -> None:
    out = np.empty((7, 4))
    multiply_real(DATA, STARTS, FIRST, SCALE, out)
    np.testing.assert_allclose(out, products(SCALE * DATA[:, FIRST]), rtol=1e-13)


def test_complex() -> None:
    out = np.empty((7, 4), dtype=complex)
    multiply_complex(DATA, STARTS, FIRST, SECOND, TURN, SCALE, out)
    imaginary = np.where(SECOND >= 0, TURN * DATA[:, SECOND], 0.0)
    np.testing.assert_allclose(out, products(SCALE * (DATA[:, FIRST] + 1j * imaginary)), rtol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_and_sparse_entries_are_those_of_numpy(dtype):
    rng = np.random.default_rng(1)
    x = (rng.standard_normal((7, 11)) * (rng.random((7, 11)) < 0.4)).astype(dtype)
    rows, columns = np.nonzero(x)
    values = x[rows, columns]
    pointers = np.concatenate([[0], np.cumsum((x != 0).sum(axis=1))])
    for found in (entries_of_dense(x), entries_of_csr(pointers, columns, values)):
        assert found[0].tolist() == pointers.tolist()
        assert found[1].tolist() == (2 * columns + (values < 0)).tolist()
        assert found[2].tolist() == np.abs(values).astype(float).tolist()


KEYS = np.random.default_rng(0).integers(0, 2**64, (4, 5), dtype=np.uint64)


RNG_OF_GCWS_KERNELS = np.random.default_rng(12)


@pytest.mark.long
def test_the_same_samples_as_datasketch_bit_for_bit():
    datasketch = pytest.importorskip("datasketch")
    n, d, k = 60, 37, 128
    x = (RNG_OF_GCWS_KERNELS.lognormal(0, 2, (n, d)) * (RNG_OF_GCWS_KERNELS.random((n, d)) < 0.7)).astype(np.float32)
    x[:, 0] = 1
    generator = datasketch.WeightedMinHashGenerator(d, sample_size=k, seed=5)
    theirs = np.stack([generator.minhash(row).hashvalues for row in x])
    rows, columns = np.nonzero(x)
    pointers = np.concatenate([[0], np.cumsum((x != 0).sum(axis=1))])
    for tile in (k, 32):
        tables = np.stack([generator.rs.T, generator.betas.T, generator.ln_cs.T])
        tables = tables.reshape(3, d, k // tile, tile).transpose(2, 1, 0, 3)
        keys = np.empty((n, k), dtype=np.uint64)
        winners(pointers, columns, columns, np.log(x[rows, columns]), np.ascontiguousarray(tables), keys)
        assert np.array_equal(keys >> np.uint64(32), theirs[:, :, 0])
        assert np.array_equal((keys & np.uint64(2**32 - 1)).astype(np.uint32).view(np.int32), theirs[:, :, 1])


def test_the_first_of_equal_minima_wins_and_rows_of_zeros_have_no_sample():
    tables = np.ones((1, 6, 3, 16), dtype=np.float32)  # r = β = ln c = 1
    pointers, columns = np.array([0, 6, 6, 7]), np.array([0, 1, 2, 3, 4, 5, 5])
    keys = np.empty((3, 16), dtype=np.uint64)
    winners(pointers, columns, columns, np.zeros(7, dtype=np.float32), tables, keys)
    assert (keys[0] == 1).all()  # coordinate 0, t = 1
    assert (keys[1] == NO_SAMPLE).all()
    assert (keys[2] == (5 << 32) + 1).all()
    scramble_words(keys, True)
    assert len(np.unique(keys)) == 3


def test_the_laws_of_the_random_numbers():
    words, tile = scramble_of_gcws_kernels(np.arange(400)), 256
    tables = random_tables(words, np.arange(50), tile)
    r, beta, ln_c = (tables[:, :, i].transpose(0, 2, 1).reshape(-1, 50)[:400].ravel() for i in range(3))
    assert kstest(r, gamma(2).cdf).pvalue > 1e-7
    assert kstest(np.exp(ln_c), gamma(2).cdf).pvalue > 1e-7
    assert kstest(beta, uniform.cdf).pvalue > 1e-7
    assert np.abs(np.corrcoef([r, beta, ln_c])[np.triu_indices(3, 1)]).max() < 5.5 / np.sqrt(len(r))


def test_a_number_depends_on_its_word_and_coordinate_alone():
    words = scramble_of_gcws_kernels(np.arange(40))
    whole = random_tables(words, np.arange(9), 16)
    some = random_tables(words[17:19], np.array([8, 3]), 16)
    assert np.array_equal(some[0, :, :, :2], whole[1, [8, 3], :, 1:3])


def test_logarithms_are_rounded_once():
    x = np.exp(np.random.default_rng(12).uniform(-600, 600, 500))
    assert np.array_equal(logarithms(x), np.log(x.astype(np.longdouble)).astype(np.float32))


@pytest.mark.long
@pytest.mark.parametrize("height", [1, 5, 64])
@pytest.mark.parametrize("k", [1, 16, 40])
def test_the_winners_of_kept_tables(k, height):
    generator, words = np.random.default_rng(k), scramble_of_gcws_kernels(np.arange(k))
    x = generator.lognormal(size=(9, 60)) * (generator.random((9, 60)) < 0.5)
    x[[0, 4]] = 0
    rows, columns = np.nonzero(x)
    pointers = np.concatenate([[0], np.cumsum((x != 0).sum(axis=1))])
    coordinates, logs = 1000 * columns, logarithms(x[rows, columns])
    met, places = np.unique(coordinates, return_inverse=True)
    expected, found = np.empty((2, 9, k), dtype=np.uint64)
    winners(pointers, coordinates, places, logs, random_tables(words, met, 16), expected)
    passing_winners(pointers, coordinates, places, met, logs, words, np.empty((height, 3, 16), np.float32), found)
    assert np.array_equal(found, expected)


def samples(weights, word=1, k=64, needed=None, of_coordinate=False):
    """Keys (rows, k) of dense non-negative rows."""
    x = np.atleast_2d(np.asarray(weights, dtype=float))
    rows, columns = np.nonzero(x)
    pointers = np.concatenate([[0], np.cumsum((x != 0).sum(axis=1))])
    keys = np.zeros((len(x), k), dtype=np.uint64)
    chosen = np.ones(k, dtype=bool) if needed is None else needed
    least_points(pointers, columns, *np.frexp(x[rows, columns]), np.uint64(word), chosen, of_coordinate, keys)
    return keys


@pytest.mark.long
def test_a_sample_lies_on_each_coordinate_in_proportion_to_its_weight():
    weights = [5.0, 0.7, 1.3, 1e-9, 3.0]
    keys = samples(weights, k=2**13, of_coordinate=True)[0]
    alone = [samples(np.eye(5)[i], of_coordinate=True)[0, 0] for i in range(5)]
    counts = [(keys == key).sum() for key in alone]
    assert sum(counts) == len(keys)
    assert_proportions(counts, np.array(weights) / sum(weights))


@pytest.mark.long
def test_a_smaller_row_keeps_the_points_that_it_still_covers():
    # consistency: of nested rows, a sample that the middle one loses never comes back in the smaller one
    large = samples([4.0, 3.0, 2.5], k=4096)[0]
    middle = samples([3.1, 3.0, 1.5], k=4096)[0]
    small = samples([2.2, 0.3, 1.5], k=4096)[0]
    assert not ((large == small) & (large != middle)).any()
    assert 0 < (large == middle).sum() < 4096
    assert 0 < (middle == small).sum() < 4096


@pytest.mark.slow
def test_what_is_needed_does_not_change_what_is_found():
    # for one sample alone fewer ranks are explored at first, and one row in twenty has to look further
    weights, needed = np.random.default_rng(3).exponential(size=(4000, 12)), np.zeros(4, dtype=bool)
    needed[3] = True
    assert np.array_equal(samples(weights, k=4, needed=needed)[:, 3], samples(weights, k=4)[:, 3])


@pytest.mark.parametrize("exponent", [-1073, -300, 0, 300, 1023])
def test_scaling_by_a_power_of_two_is_one_step_of_octaves(exponent):
    keys = samples([2.0**exponent], k=16)
    assert (keys != NO_SAMPLE_OF_POISSON_KERNELS).all()
    assert len(np.unique(keys)) == 16
