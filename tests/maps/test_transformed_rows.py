"""Which features a side names, and where they are written."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.maps.evaluation import empty_table
from kernelspec.maps.transformed_rows import transform_rows
from kernelspec.tables.rows import Rows

X = np.random.default_rng(0).standard_normal((5, 2))


def test_sides_of_an_asymmetric_kernel() -> None:
    fmap = ks.compile("shift_gaussian(by=1)", dim=2, n_features=8)
    with pytest.raises(PlanError, match="the kernel is asymmetric"):
        transform_rows(fmap, Rows(X), None)
    assert np.array_equal(transform_rows(fmap, Rows(X), "right"), fmap.right(X))  # type: ignore[arg-type]
    assert np.array_equal(transform_rows(fmap, Rows(X), "both"), fmap.transform(X, side="both"))  # type: ignore[arg-type]


def test_constant_columns_stay_empty_without_a_side() -> None:
    fmap = ks.compile("match()", dim=2, n_features=4, keys="bits")
    (constant,) = fmap.constant_columns
    assert not transform_rows(fmap, Rows(X), None)[:, [constant]].nnz  # type: ignore[union-attr]
    assert transform_rows(fmap, Rows(X), "left")[:, [constant]].nnz == 5  # type: ignore[union-attr]


def test_what_features_are_written_to() -> None:
    dense, sparse = (ks.compile(text, dim=2, n_features=4) for text in ("gaussian()", "match()"))
    array = np.empty((5, 4))
    assert transform_rows(dense, Rows(X), None, array) is array
    table = empty_table(sparse, 5, X.dtype)
    assert np.shares_memory(transform_rows(sparse, Rows(X), None, table).data, table.data)
    with pytest.raises(PlanError, match="the features of this kernel are sparse"):
        transform_rows(sparse, Rows(X), None, array)
