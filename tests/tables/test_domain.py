"""The rows a kernel is defined on, and what is said of others."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import kernelspec as ks
from kernelspec.errors import DataError
from kernelspec.tables.cells import Signs, UnitSphere

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
            DataError, match=r"row 4 has norm 2 in column 0 to column 2, and sphere\(\) takes rows of norm 1"
        ):
            ks.parse("sphere()").gram(table)
        with pytest.raises(DataError, match="row 4 has norm 2"):
            ks.compile("sphere() * gaussian()", dim=3, n_features=8).transform(table)
    signs = np.where(X > 0, 1.0, -1.0)
    signs[2, 1] = 0.5
    with pytest.raises(DataError, match=r"row 2, column 1 is 0.5: binary\(\) takes columns of −1 and 1"):
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
