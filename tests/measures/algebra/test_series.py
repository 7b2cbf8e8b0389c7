"""Tests of `measures/algebra/series.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings

from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.pieces import Piecewise
from kernelspec.measures.algebra.series import (
    majorant_series,
    moments,
    series_product,
    tail_series,
    taylor_series,
    zero_series,
)
from tests.measures.algebra.pieces import NUMBERS, piecewise, value
from tests.measures.algebra.referees import density, gaussian, measure_of_text, product, triangle


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


@pytest.mark.parametrize(
    ("text", "order", "jump"),
    [
        ("gaussian()*laplace(2)", 2, -1.0),
        ("laplace()*cauchy()", 2, -2.0),
        ("matern(nu=3/2)*matern(nu=5/2)", 4, 6 * np.sqrt(3)),
        ("triangle(2)*gaussian()", 2, -1.0),
    ],
)
def test_leading_term(text: str, order: int, jump: float) -> None:
    """μ ≈ J/(2π (iω)^order) from the point zero; the jump of |t|³ c₃ is 12 c₃, c₃ = √3/2·(…) by hand."""
    series = tail_series(line_members(measure_of_text(text), NUMBERS), NUMBERS)
    assert series is not None
    at = int(np.argmin(np.abs(series.points)))
    row = series.jumps[at] * series.scale ** np.arange(1, series.jumps.shape[1] + 1)
    assert np.flatnonzero(np.abs(row) > 0)[0] == order - 1
    if order == 2:
        assert row[order - 1].real == pytest.approx(jump, rel=1e-12)
    else:
        # k = 1 − (3/2 + 5/6) t² + √3 t³ + …: of the two, ν = 3/2 alone has a cubic term, 3√3/3
        assert row[order - 1].real == pytest.approx(12 * np.sqrt(3), rel=1e-12)


def test_without_breakpoints_there_is_none() -> None:
    assert tail_series(line_members(measure_of_text("gaussian()*cosine(2)"), NUMBERS), NUMBERS) is None


@pytest.mark.long
def test_the_bound_holds() -> None:
    series = tail_series(line_members(measure_of_text("laplace()*matern(nu=3/2)"), NUMBERS), NUMBERS)
    omega = np.array([1.0, 3.0, 10.0, 1e3])
    value, error, _ = series.at(omega)
    exact = measure_of_text("laplace()*matern(nu=3/2)").density(omega[:, None])
    assert (np.abs(value - exact) <= error + 1e-14 * exact).all()
    assert error[-1] < 1e-12 * exact[-1]


N = MultiprecisionNumbers(480)


@pytest.mark.long
def test_against_quadrature_zero_series() -> None:
    series = zero_series(line_members(measure_of_text("triangle(2)*gaussian(100)"), N), N)
    assert series is not None
    omega = np.array([0.0, 0.5, 3.0, 40.0])
    value, error = series.at(omega)
    k = product(triangle(2), gaussian(100))
    for i, at in enumerate(omega[:3]):
        assert value[i] == pytest.approx(density(k, at, breaks=(-2, 2)), abs=1e-13)
        assert error[i] < 1e-11
    assert not error[3] < 1e-6


def test_not_for_densities() -> None:
    assert zero_series(line_members(measure_of_text("laplace()*cauchy()"), N), N) is None
