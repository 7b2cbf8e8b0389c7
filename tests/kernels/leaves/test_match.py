"""Equality of categories."""

import numpy as np
import pytest

from kernelspec.errors import NotStationaryError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.comparisons import Match
from kernelspec.measures.measure import measure_of
from kernelspec.tables.rows import Rows


def test_is_one_where_all_columns_agree():
    x, y = Rows(np.array([[1.0, 2.0], [1.0, 3.0]])), Rows(np.array([[1.0, 2.0], [1.0, 3.0], [2.0, 3.0]]))
    assert Match(dim=2).numbers(NumericPairs(x, y)).tolist() == [[1, 0, 0], [0, 1, 0]]


def test_has_no_spectral_measure():
    assert not Match(dim=1).is_stationary
    with pytest.raises(NotStationaryError, match="compares categories"):
        measure_of(Match(dim=1))


def test_is_proved_positive_definite():
    assert Match(dim=1).verdict().positive_definite == "proved"
