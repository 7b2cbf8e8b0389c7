"""Stretches."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks

X = np.random.default_rng(5).normal(size=(5, 2))
LAGS = X[:, None, :] - X[None, :, :]


@pytest.mark.parametrize(
    ("by", "mapped"),
    [
        ("2", LAGS / 2),
        ("[1, 4]", LAGS / [1, 4]),
        ("[[1, 1], [0, 2]]", np.stack([LAGS.sum(-1), 2 * LAGS[..., 1]], axis=-1)),
        ("[[1, -1]]", (LAGS[..., 0] - LAGS[..., 1])[..., None]),
    ],
)
def test_values(by: str, mapped: np.ndarray) -> None:
    expected = np.exp(-np.abs(mapped).sum(-1))
    np.testing.assert_allclose(ks.parse(f"stretch(laplace(), {by})").gram(X), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ("0", "must be greater than 0, not 0"),
        ("[1, -2]", "must be greater than 0, not -2"),
        ("[[1, 2], [3]]", "the rows of the matrix differ in length"),
        ("[[1, 2, 3]]", "has 3 columns for 2 columns of data"),
        ("[1, 2, 3]", "3 entries for 2 columns"),
    ],
)
def test_refusals(by: str, said: str) -> None:
    with pytest.raises(ks.KernelspecError, match=said):
        ks.parse(f"stretch(gaussian(), {by})").gram(X)
