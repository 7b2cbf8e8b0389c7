"""Rows times frequencies: right, and with bits that depend on the row alone."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.numerics.projection import project, rows_per_block
from kernelspec.numerics.threads import single_threaded

SHAPES = [(1, 1), (3, 64), (8, 31), (8, 256), (54, 100), (54, 1024), (100, 7)]


def case(p, n, dtype):
    generator = np.random.default_rng(p * 1000 + n)
    frequencies = generator.standard_normal((p, n)).astype(dtype)
    rows = generator.standard_normal((rows_per_block(frequencies, n), p)).astype(dtype)
    return rows, frequencies


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("p", "n"), SHAPES)
def test_is_the_product(p, n, dtype):
    rows, frequencies = case(p, n, dtype)
    exact = rows.astype(np.longdouble) @ frequencies.astype(np.longdouble)
    size = np.abs(rows).astype(np.longdouble) @ np.abs(frequencies).astype(np.longdouble)
    with single_threaded():
        found = project(rows, frequencies)
    assert found.dtype == dtype
    assert (np.abs(found - exact) <= p * np.finfo(dtype).eps * size).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("p", "n"), SHAPES)
def test_bits_do_not_depend_on_the_place_or_the_neighbours(p, n, dtype):
    rows, frequencies = case(p, n, dtype)
    with single_threaded():
        whole = project(rows, frequencies)
        backwards = project(rows[::-1], frequencies)[::-1]
        pieces = np.concatenate([project(rows[i : i + 7], frequencies) for i in range(0, len(rows), 7)])
        fortran = project(np.asfortranarray(rows), frequencies)
    for other in (backwards, pieces, fortran):
        assert np.array_equal(whole, other)


def test_a_block_fits_every_width_that_is_asked_for():
    frequencies = np.zeros((8, 1030), dtype=np.float32)
    block = rows_per_block(frequencies, 1024)
    rows = np.zeros((block, 8), dtype=np.float32)
    assert 1 <= block <= 272
    assert project(rows, frequencies[:, :1024]).shape == (block, 1024)
    assert project(rows, frequencies[:, 1024:]).shape == (block, 6)


def test_sparse_rows_give_the_same_numbers():
    rows, frequencies = case(54, 100, np.float64)
    rows[np.abs(rows) < 1] = 0
    np.testing.assert_allclose(
        project(csr_array(rows), frequencies), project(rows, frequencies), rtol=1e-12, atol=1e-12
    )
