"""Similarities from keys."""

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import DataError


def keys(*rows: list[int]) -> np.ndarray:
    return np.array(rows, dtype=np.uint64)


def test_the_formula_of_the_share_that_agrees() -> None:
    x, y = keys([1, 2, 3, 4], [1, 1, 1, 1]), keys([1, 2, 3, 4], [1, 2, 9, 9], [7, 7, 7, 7])
    share = np.array([[1, 0.5, 0], [0.25, 0.25, 0]])
    expected = np.exp(-2 * 1.5 * ((1 - share) / (1 + share)) ** 2)
    np.testing.assert_allclose(ks.estimate_rbf(x, y, 1.5), expected, rtol=1e-14)


def test_blocks_of_rows_are_the_rows() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 4, (700, 64)).astype(np.uint64), rng.integers(0, 4, (600, 64)).astype(np.uint64)
    whole = ks.estimate_rbf(x, y, 1.0)
    assert whole.shape == (700, 600)
    for i in (0, 436, 437, 699):
        assert np.array_equal(ks.estimate_rbf(x[[i]], y, 1.0)[0], whole[i])


def test_nothing_to_compare() -> None:
    assert ks.estimate_rbf(keys([1])[:0], keys([1]), 1.0).shape == (0, 1)
    assert ks.estimate_rbf(keys([1]), keys([1])[:0], 1.0).shape == (1, 0)


@pytest.mark.parametrize(
    ("x", "y", "gamma", "message"),
    [
        (np.ones((2, 3)), keys([1, 2, 3]), 1.0, "uint64, as keys"),
        (keys([1, 2]), keys([1, 2, 3]), 1.0, "as many on both sides, not 2 and 3"),
        (keys([1, 2]), keys([1, 2]), 0.0, "gamma must be greater than 0"),
        (keys([1, 2])[0], keys([1, 2]), 1.0, "must be an array"),
    ],
)
def test_refusals(x: np.ndarray, y: np.ndarray, gamma: float, message: str) -> None:
    with pytest.raises(DataError, match=message):
        ks.estimate_rbf(x, y, gamma)
