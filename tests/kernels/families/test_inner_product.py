"""What the inner products share."""

from __future__ import annotations

import pytest

from kernelspec.errors import NotStationaryError
from kernelspec.kernels.leaves.inner_products import Binary, CosineSimilarity, Linear, Sphere
from kernelspec.laws.coordinate import CoordinateLaw
from kernelspec.laws.rules import law_of, schemes_of
from kernelspec.measures.measure import measure_of

ALL = [Binary(dim=1), CosineSimilarity(dim=3), Linear(dim=3), Sphere(dim=3)]


@pytest.mark.parametrize("kernel", ALL, ids=str)
def test_no_measure_but_positive_definite(kernel) -> None:
    assert kernel.verdict().positive_definite == "proved"
    assert kernel.verdict().stationary is False
    assert not kernel.is_stationary
    assert not kernel.takes_differences
    with pytest.raises(NotStationaryError, match="is an inner product, no function of x − y"):
        measure_of(kernel)


def test_pairs_of_columns_are_for_rows_of_norm_one() -> None:
    assert [CoordinateLaw(kernel).draws_pairs for kernel in ALL] == [False, True, False, True]
    assert not CoordinateLaw(Sphere(dim=1)).draws_pairs
    assert [law_of(kernel).has_phasor for kernel in ALL] == [False, True, False, True]


def test_only_linear_has_a_diagonal_that_depends_on_the_row() -> None:
    assert [kernel.has_constant_diagonal for kernel in ALL] == [True, True, False, True]


def test_exact_columns_are_another_way() -> None:
    assert [list(schemes_of(kernel)) for kernel in ALL] == [[], ["exact"], ["exact"], ["exact"]]
