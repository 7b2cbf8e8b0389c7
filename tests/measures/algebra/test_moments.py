"""Moments of pieces against quadrature, also where the recurrence would cancel."""

from __future__ import annotations

import mpmath as mp
import pytest
from hypothesis import given, settings

from kernelspec.measures.algebra.pieces import Piecewise
from kernelspec.measures.algebra.series import majorant_series, moments, series_product, taylor_series
from tests.measures.algebra.pieces import NUMBERS, piecewise, value


@pytest.mark.long
@settings(max_examples=15)
@given(piecewise())
def test_against_quadrature(whole: Piecewise) -> None:
    found = moments(whole.pieces, NUMBERS.number(0), 5, NUMBERS)
    cuts = [-12, -6, -3, -1, 0, 1, 2, 3, 6, 12, 25, 60]
    for n, moment in enumerate(found):
        expected = mp.quad(lambda t, n=n: t**n * value(whole, t), cuts, maxdegree=8)
        size = mp.quad(lambda t, n=n: abs(t**n * value(whole, t)), cuts, maxdegree=4)
        assert abs(moment - expected) <= 1e-8 * (size + 1e-9)


@settings(max_examples=15)
@given(piecewise())
def test_taylor_series(whole: Piecewise) -> None:
    for piece in whole.pieces:
        middle = NUMBERS.number(piece.low if piece.low is not None else 0) + NUMBERS.number(0.5)
        series = taylor_series(piece, middle, 40, NUMBERS)
        at = sum(c * NUMBERS.number(0.25) ** n for n, c in enumerate(series))
        single = Piecewise((piece,), NUMBERS)
        assert abs(at - value(single, middle + NUMBERS.number(0.25))) < 1e-12 * (1 + abs(at))
        bounds = majorant_series(piece, middle, 40, NUMBERS)
        assert all(abs(c) <= b * (1 + 1e-12) for c, b in zip(series, bounds, strict=True))


@pytest.mark.parametrize(("left", "right", "expected"), [([1, 1, 1], [1, -1], [1, 0, 0]), ([1, 2], [3], [3, 6])])
def test_products(left: list[int], right: list[int], expected: list[int]) -> None:
    assert series_product(left, right) == expected
