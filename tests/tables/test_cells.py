"""Tests of `tables/cells.py`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import kernelspec as ks
from kernelspec.errors import CellTypeError, DataError
from kernelspec.tables.categories import codes_of
from kernelspec.tables.cells import (
    Signs,
    UnitSphere,
    numbers_of,
)
from kernelspec.tables.layout import Layout
from kernelspec.tables.schema import types_as_data, types_in_words


def column(values) -> np.ndarray:
    """An array of objects."""
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    return cells


@pytest.mark.parametrize("read", [numbers_of, codes_of])
def test_cells_of_the_wrong_type_are_shown_with_their_row(read):
    for wrong in ({"a": 1}, [1], b"bytes", 1j, np.datetime64("2020-01-01")):
        with pytest.raises(CellTypeError, match=r"column 'x' holds .* in row 1"):
            read(column([1, wrong]), "column 'x'")
    with pytest.raises(CellTypeError, match=r"holds \['aaaa.*\.\.\. in row 0"):
        read(column([["a" * 100]]), "column 'x'")
    with pytest.raises(CellTypeError, match="dates or times"):
        read(np.array([1], dtype="m8[D]"), "column 'x'")


RNG = np.random.default_rng(0)
X = RNG.standard_normal((6, 3))
U = X / np.linalg.norm(X, axis=1, keepdims=True)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, lambda a: np.asarray(a, dtype=np.float32)])
def test_rows_inside_pass(kind) -> None:
    UnitSphere().check(kind(U), str)
    Signs().check(kind(np.where(X > 0, 1.0, -1.0)), str)


def test_the_tolerance_of_the_norm() -> None:
    UnitSphere().check(U * (1 + 0.9e-6), str)
    for factor in (1 + 1.1e-6, 1 - 1.1e-6, 0, np.nan):
        with pytest.raises(DataError, match="row 0 has norm"):
            UnitSphere().check(U * factor, str)


def test_messages_name_row_and_column() -> None:
    rows = U.copy()
    rows[4] *= 2
    for table in (rows, sp.csr_array(rows)):
        with pytest.raises(
            DataError, match=r"row 4 has norm 2 in column 0 to column 2, but sphere\(\) needs rows of norm 1"
        ):
            ks.parse("sphere()").gram(table)
        with pytest.raises(DataError, match="row 4 has norm 2"):
            ks.compile("sphere() * gaussian()", dim=3, n_features=8).transform(table)
    signs = np.where(X > 0, 1.0, -1.0)
    signs[2, 1] = 0.5
    with pytest.raises(DataError, match=r"row 2, column 1 is 0.5: binary\(\) needs columns of −1 and 1"):
        ks.parse("binary()[1]").gram(signs)
    ks.parse("binary()[0]").gram(signs)  # the other column is not looked at


def test_rows_beyond_a_block_keep_their_number() -> None:
    rows = np.tile([[1.0, 0.0]], (5000, 1))
    rows[4321] = [1, 1]
    with pytest.raises(DataError, match=r"row 4321 has norm 1\.414214"):
        ks.parse("sphere()").gram(rows, rows[:1])


def test_fitted_rows_lie_inside() -> None:
    table = np.vstack([X, np.zeros((1, 3))])
    UnitSphere().check(UnitSphere().fit(table), str)
    Signs().check(Signs().fit(table), str)
    np.testing.assert_allclose(UnitSphere().fit(X), U)


def test_reference_pairs_lie_inside() -> None:
    # a plan without data compares candidates on rows for which the kernel means something: d = 2 has |p| = 1 there
    plan = ks.compile("sphere()", dim=2, n_features=64, method="paired").plan
    assert plan.chosen.variance <= 1 / 32


FRAME = pd.DataFrame({"age": [1.5, 2.5], "plan": [1, 2], "city": ["x", "y"], "old": [True, False]})
SPEC = "gaussian()[age] * match()[plan, city] + match()[old]"


def test_types_of_the_data_a_map_was_made_for() -> None:
    plan = ks.compile(SPEC, data=FRAME, n_features=8).plan
    expected = {"columns": {"whole number": ["plan"], "text": ["city"], "boolean": ["old"]}, "missing": "refuse"}
    assert types_as_data(plan.layout) == plan.to_dict()["types"] == expected
    (line,) = types_in_words(plan.layout)
    assert line == "categories: 'plan' (whole number), 'city' (text), 'old' (boolean); missing values are refused"


def test_types_that_are_not_known() -> None:
    plan = ks.compile("match()", dim=12, n_features=4, missing="category", text=[0]).plan
    (line,) = types_in_words(plan.layout)
    assert line.startswith("categories: 0 (text), 1 (type not recorded), 2 ")
    assert line.endswith("7 (type not recorded) and 4 more; missing values are one more category")
    data = types_as_data(plan.layout)
    assert data == {"columns": {"text": [0], "unknown": list(range(1, 12))}, "missing": "category"}
    assert types_as_data(replace(plan.layout, types=None)) is None
    assert types_in_words(Layout(3, None, (0, 1), ())) == []


def test_explain_says_them() -> None:
    fmap = ks.compile(SPEC, data=FRAME, n_features=8)
    assert types_in_words(fmap.plan.layout)[0] in fmap.explain()
    assert "categories" not in ks.compile("gaussian()", dim=2, n_features=4).explain()
