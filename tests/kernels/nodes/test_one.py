"""The kernel that is one everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.errors import NotStationaryError
from kernelspec.kernels.nodes.one import One
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.laws.moments import Moments
from kernelspec.laws.rules import law_of
from kernelspec.measures.measure_of import measure_of
from kernelspec.notation.pairs import NumericPairs
from kernelspec.tables.rows import Rows


def test_one() -> None:
    one, rows = One(dim=2), Rows(np.zeros((3, 2)))
    pairs = NumericPairs(rows, rows)
    assert one.value(pairs) == one.diagonal() == one.magnitude() == 1
    assert law_of(one).moments(pairs) == Moments(1, 1, 1)
    assert one.verdict().positive_definite == "proved"
    assert one.is_stationary
    assert law_of(one).fourier_kernel() is None
    assert one.has_constant_diagonal
    assert str(one) == "1"
    with pytest.raises(NotStationaryError):
        measure_of(one)


def test_has_no_variance_in_a_sum() -> None:
    rows = Rows(np.zeros((3, 2)))
    twice = Sum(terms=(One(dim=2), One(dim=2)), weights=(0.5, 1.5), dim=2)
    pairs = NumericPairs(rows, rows)
    assert law_of(twice).moments(pairs).paired() == twice.value(pairs) ** 2 == 4
