"""Tests of `samples/growth.py`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.errors import DataError
from kernelspec.samples.growth import Growth, cosines, phasors
from kernelspec.samples.samples import Side
from kernelspec.tables.rows import Rows

RATES = np.array([[0.5, -1.0], [0.0, 0.0], [0.5, -1.0]])
X = np.random.default_rng(0).standard_normal((4, 3))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("sparse", [False, True])
def test_factors(side: Side, sparse: bool) -> None:
    growth = Growth((2, 0), RATES)
    factors, which = growth.factors(Rows(csr_array(X) if sparse else X), side, np.dtype(np.float64))
    sign = 1 if side == "left" else -1
    np.testing.assert_allclose(factors[:, which], np.exp(sign * X[:, [2, 0]] @ RATES.T), rtol=1e-13)
    assert factors.shape == (4, 2)


def test_products_add_and_columns_merge() -> None:
    product = Growth((2, 0), RATES) * Growth((1, 2), RATES)
    assert product.columns == (0, 1, 2)
    np.testing.assert_allclose(product.rates[0], [-1.0, 0.5, 0.5 - 1.0])


def test_mapped_and_translated() -> None:
    a = np.array([[1.0, 2.0, 0.0], [0.0, -1.0, 3.0]])
    mapped = Growth((0, 1), RATES).mapped(a, (4, 5, 6))
    assert mapped.columns == (4, 5, 6)
    np.testing.assert_allclose(mapped.rates, RATES @ a)
    np.testing.assert_allclose(Growth((0, 1), RATES).mapped(np.array(2.0), (4, 5)).rates, 2 * RATES)
    np.testing.assert_allclose(Growth((1, 0), RATES).at((0, 1), (0.1, 0.2)), np.exp(RATES @ [0.2, 0.1]))


def test_joined_with_samples_that_do_not_grow() -> None:
    joined = Growth.join([(None, 2), (Growth((1,), np.array([[3.0]])), 1), (Growth((0,), np.array([[2.0]])), 1)])
    assert joined is not None
    assert joined.columns == (0, 1)
    np.testing.assert_array_equal(joined.rates, [[0, 0], [0, 0], [0, 3], [2, 0]])
    assert Growth.join([(None, 5)]) is None
    np.testing.assert_array_equal(joined.take(np.array([3])).rates, [[2, 0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_that_are_scaled_beyond_all_numbers_are_refused(dtype: type) -> None:
    growth = Growth((0,), np.array([[1.0], [2.0]]))
    edge = float(np.log(np.finfo(dtype).max)) / 2
    found, _ = growth.factors(Rows(np.array([[edge * 0.99]], dtype=dtype)), "left", np.dtype(dtype))
    assert np.isfinite(found).all()
    with pytest.raises(DataError, match="no finite number"):
        growth.factors(Rows(np.array([[1.0], [edge * 1.01]], dtype=dtype)), "left", np.dtype(dtype))
    with pytest.raises(DataError, match="no finite number"):
        growth.factors(Rows(np.array([[-edge * 1.01]], dtype=dtype)), "right", np.dtype(dtype))


def test_they_are_cosine_and_sine() -> None:
    generator = np.random.default_rng(0)
    angles = np.concatenate([generator.standard_normal(2_000) * 10.0 ** generator.uniform(-8, 12, 2_000)])
    angles = np.concatenate([angles, np.pi * np.arange(-8, 9) / 2, np.zeros(1), [1e-300]]).reshape(-1, 3)
    found = phasors(angles)
    np.testing.assert_allclose(found.real, np.cos(angles), rtol=0, atol=1e-15)
    np.testing.assert_allclose(found.imag, np.sin(angles), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(cosines(angles), found.real)
    assert phasors(np.zeros((0, 3))).shape == (0, 3)
