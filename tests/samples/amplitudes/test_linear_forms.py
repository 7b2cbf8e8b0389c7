"""Products of columns, against products written out."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from kernelspec.samples.amplitudes import LinearForms
from kernelspec.samples.frequencies import UnitColumn
from kernelspec.tables.rows import Rows
from tests.maps.parts import there_and_back

X = np.random.default_rng(0).standard_normal((6, 5))


def forms(*samples: list[tuple[int, int, float, float]], reads=(0, 2, 4)) -> LinearForms:
    """Each sample a list of factors (first, second, turn, scale)."""
    flat = [factor for sample in samples for factor in sample]
    first, second, turn, scale = (np.array([factor[i] for factor in flat]) for i in range(4))
    starts = np.concatenate([[0], np.cumsum([len(sample) for sample in samples])])
    return LinearForms(
        reads, starts, first.astype(np.intp), second.astype(np.intp), turn.astype(float), scale.astype(float)
    )


REAL = forms([(0, -1, 1, 2.0)], [], [(1, -1, 1, 1.0), (1, -1, 1, 1.0), (2, -1, 1, 3.0)])
TURNING = forms([(0, 1, 1, 2.0)], [(2, -1, 1, 1.0), (1, 0, -1, 1.0)], [(2, 0, -1, 0.5)])
REAL_VALUES = np.stack([2 * X[:, 0], np.ones(6), 3 * X[:, 2] ** 2 * X[:, 4]], axis=1)
TURNING_VALUES = np.stack(
    [2 * (X[:, 0] + 1j * X[:, 2]), X[:, 4] * (X[:, 2] - 1j * X[:, 0]), 0.5 * (X[:, 4] - 1j * X[:, 0])], axis=1
)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_values(kind) -> None:
    rows = Rows(kind(X))
    np.testing.assert_allclose(REAL.values(rows, "left"), REAL_VALUES, rtol=1e-13)
    np.testing.assert_allclose(TURNING.values(rows, "right"), TURNING_VALUES, rtol=1e-13)
    assert (REAL.is_complex, TURNING.is_complex) == (False, True)
    assert REAL.columns == (0, 2, 4)
    assert REAL.structure != TURNING.structure


def test_zero_times_what_overflows_is_zero() -> None:
    rows = Rows(np.array([[1e200, 0.0, 1e200, 0.0, 0.0]]))
    many = forms([(0, -1, 1, 1.0)] * 3 + [(2, -1, 1, 1.0)])
    assert many.values(rows, "left")[0, 0] == 0
    turning = forms([(0, 1, 1, 1.0)] * 3 + [(2, 2, 1, 1.0)])
    assert turning.values(rows, "left")[0, 0] == 0


def test_take_join_runs() -> None:
    rows = Rows(X)
    index = np.array([2, 0, 2, 1])
    np.testing.assert_allclose(REAL.take(index).values(rows, "left"), REAL_VALUES[:, index], rtol=1e-13)
    other = forms([(0, -1, 1, 1.0), (1, -1, 1, 1.0)], reads=(1, 4))
    joined = REAL.join([other]).values(rows, "left")
    np.testing.assert_allclose(joined, np.column_stack([REAL_VALUES, X[:, 1] * X[:, 4]]), rtol=1e-13)
    runs = REAL.runs(np.array([0, 2, 3])).values(rows, "left")
    np.testing.assert_allclose(runs, np.column_stack([REAL_VALUES[:, :2].prod(axis=1), REAL_VALUES[:, 2]]), rtol=1e-13)


def test_products_fuse() -> None:
    product = REAL.times(TURNING)
    assert isinstance(product, LinearForms)
    np.testing.assert_allclose(product.values(Rows(X), "left"), REAL_VALUES * TURNING_VALUES, rtol=1e-13)


def test_unit_rows() -> None:
    unit = X[:, [1, 3]] / np.linalg.norm(X[:, [1, 3]], axis=1, keepdims=True)
    reads = (UnitColumn(1, (1, 3)), UnitColumn(3, (1, 3)))
    found = forms([(0, 1, 1, 1.0)], reads=reads).values(Rows(X), "left")
    np.testing.assert_allclose(found[:, 0], unit[:, 0] + 1j * unit[:, 1], rtol=1e-12)


def test_round_trip() -> None:
    back = there_and_back(TURNING)
    assert np.array_equal(back.values(Rows(X), "left"), TURNING.values(Rows(X), "left"))


def test_the_bits_of_a_row_do_not_depend_on_the_others() -> None:
    whole = TURNING.values(Rows(X), "left")
    assert np.array_equal(whole[3:4], TURNING.values(Rows(X[3:4]), "left"))
