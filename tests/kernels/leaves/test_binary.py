"""The product of two signs."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import DimensionError, TypeMismatchError

SIGNS = np.array([[1.0, -1.0], [-1.0, -1.0], [1.0, 1.0]])


def test_value_and_features() -> None:
    exact = SIGNS[:, :1] @ SIGNS[:, :1].T
    assert np.array_equal(ks.parse("binary()[0]").gram(SIGNS), exact)
    fmap = ks.compile("binary()[0]", dim=2, n_features=1)
    assert np.array_equal(fmap.transform(SIGNS), SIGNS[:, :1])
    assert not fmap.predicted_variance(SIGNS).any()


def test_products_of_columns_are_parities() -> None:
    fmap = ks.compile("binary()[0] * binary()[1]", dim=2, n_features=1)
    assert np.array_equal(fmap.transform(SIGNS), SIGNS.prod(axis=1, keepdims=True))


def test_refusals() -> None:
    with pytest.raises(DimensionError, match=r"binary\(\) is a kernel on one column of −1 and 1, not on 2"):
        ks.parse("binary()").gram(SIGNS)
    with pytest.raises(
        TypeMismatchError, match=r"shift\(\) acts on differences, and binary\(\) is a function of the rows"
    ):
        ks.parse("shift(binary()[0], 1)")
