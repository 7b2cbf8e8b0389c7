"""Rows times frequencies: right, and with bits that depend on the row alone."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.numerics.distances import Projection

SHAPES = [(0, 3), (1, 1), (3, 64), (8, 31), (54, 100), (100, 7), (5, 1030)]


def case(p, n, dtype):
    generator = np.random.default_rng(p * 1000 + n)
    return generator.standard_normal((37, p)).astype(dtype), generator.standard_normal((p, n)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("p", "n"), SHAPES)
def test_is_the_product(p, n, dtype):
    rows, frequencies = case(p, n, dtype)
    exact = rows.astype(np.longdouble) @ frequencies.astype(np.longdouble)
    size = np.abs(rows).astype(np.longdouble) @ np.abs(frequencies).astype(np.longdouble)
    found = Projection(frequencies)(rows)
    assert found.dtype == dtype
    assert (np.abs(found - exact) <= p * np.finfo(dtype).eps * size).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("p", "n"), SHAPES)
def test_bits_do_not_depend_on_the_place_or_the_neighbours(p, n, dtype):
    rows, frequencies = case(p, n, dtype)
    projection = Projection(frequencies)
    whole = projection(rows)
    assert np.array_equal(whole, projection(rows[::-1])[::-1])
    assert np.array_equal(whole, np.concatenate([projection(rows[i : i + 7]) for i in range(0, 37, 7)]))
    assert np.array_equal(whole, projection(np.asfortranarray(rows)))
    assert projection(rows[:0]).shape == (0, n)


def test_sparse_rows_give_the_same_numbers():
    rows, frequencies = case(54, 100, np.float64)
    rows[np.abs(rows) < 1] = 0
    np.testing.assert_allclose(
        Projection(frequencies)(csr_array(rows)), Projection(frequencies)(rows), rtol=1e-12, atol=1e-12
    )
