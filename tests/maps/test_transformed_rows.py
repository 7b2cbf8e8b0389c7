"""Which features a side names, and where they are written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.maps import evaluation as bounded_evaluation
from kernelspec.maps.evaluation import empty_table
from kernelspec.maps.transformed_rows import TransformedRows, transform_rows
from kernelspec.tables import pieces
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


MANY = np.floor(3 * np.random.default_rng(1).standard_normal((200, 2)))
SPARSE: dict[str, dict[str, Any]] = {
    "match()": {},
    "match()-1/2*match()[0]": {"keys": "bits"},
    "laplace()": {"method": "binning"},
    "laplace()*match()": {"keys": "exact"},
    "gaussian()*match()": {},
    "linear()": {"storage": "sparse"},
    "tilt(laplace(), by=0.1)": {"method": "binning"},
    "gaussian()-gaussian(scale=2)": {"storage": "sparse"},
}


@pytest.mark.parametrize("form", ["array", "whole numbers", "frame"])
@pytest.mark.parametrize("text", SPARSE)
def test_sparse_features_a_few_rows_at_a_time(text: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"array": MANY, "whole numbers": MANY.astype(np.int16), "frame": pd.DataFrame(MANY)}[form]
    fmap = ks.compile(text, data=MANY[:150], n_features=16, **SPARSE[text])
    if not fmap.has_columns:
        fmap = fmap.fit(MANY[:150])
    sides: list[Any] = ["left", "right", "both", *([None] if fmap.is_one_sided else [])]
    for side in sides:
        whole = fmap.transform(table, side=side)
        with monkeypatch.context() as patched:
            patched.setattr(bounded_evaluation, "_BYTES", 20_000)
            patched.setattr(pieces, "_BYTES", 5_000)
            found = fmap.transform(table, side=side)
            blocks = [block.toarray() for block in fmap.blocks(table, rows=60, side=side)]
        assert (found != whole).nnz == 0
        assert (found.dtype, found.indices.dtype, found.nnz) == (whole.dtype, whole.indices.dtype, whole.nnz)
        found.check_format(full_check=True)
        np.testing.assert_array_equal(np.vstack(blocks), whole.toarray())


def test_rows_in_parts() -> None:
    fmap = ks.compile("gaussian()", dim=2, n_features=8)
    found = TransformedRows(fmap, 200, MANY.dtype, None)
    for start in range(0, 200, 70):
        found.add(Rows(MANY[start : start + 70]))
    np.testing.assert_array_equal(found.features(), fmap.transform(MANY))
