"""Formulas that are polynomials on intervals."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kernelspec.expressions.evaluation import values
from kernelspec.expressions.piecewise_polynomial import polynomial_at, polynomial_pieces
from tests.expressions.written import written


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("max(0, 1 - t)**3*(1 + t)", [1]),
        ("1 - 1.5*min(t, 2)/2 + 0.5*min(t/2, 1)**3", [2]),
        ("abs(t - 1)*max(t, 3) + t", [1, 3]),
        ("min(max(t, 1), 2)", [1, 2]),
        ("1 + t**2", []),
    ],
)
def test_pieces(text: str, ends: list[int]) -> None:
    formula = written(f"t -> {text}")
    found = polynomial_pieces(formula)
    assert found is not None
    assert [end for end, _ in found] == [*ends, None]
    for t in (Fraction(1, 3), Fraction(3, 2), Fraction(5, 2), Fraction(7)):
        piece = next(p for end, p in found if end is None or t < end)
        assert float(polynomial_at(piece, t)) == pytest.approx(float(values(formula, float(t))), rel=1e-14)


@pytest.mark.parametrize("text", ["exp(-t)", "max(0, 2 - t**2)", "t**0.5", "1/(1 + t)", "pi*t", "2**t"])
def test_others(text: str) -> None:
    assert polynomial_pieces(written(f"t -> {text}")) is None
