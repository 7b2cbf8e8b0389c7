"""Exact numbers combined exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kernelspec.expressions.formula import exact_power, exact_root, fold


@pytest.mark.parametrize(
    ("name", "values", "result"),
    [
        ("sum", [Fraction(1, 3), Fraction(1, 6), Fraction(1)], Fraction(3, 2)),
        ("negation", [Fraction(2)], Fraction(-2)),
        ("product", [Fraction(2, 3), Fraction(3, 4)], Fraction(1, 2)),
        ("quotient", [Fraction(1), Fraction(3)], Fraction(1, 3)),
        ("quotient", [Fraction(1), Fraction(0)], None),
        ("power", [Fraction(2), Fraction(-3)], Fraction(1, 8)),
        ("power", [Fraction(2), Fraction(1, 2)], None),
        ("abs", [Fraction(-2)], Fraction(2)),
        ("max", [Fraction(1), Fraction(2)], Fraction(2)),
        ("min", [Fraction(1), Fraction(2)], Fraction(1)),
        ("exp", [Fraction(0)], None),
    ],
)
def test_fold(name: str, values: list[Fraction], result: Fraction | None) -> None:
    assert fold(name, values) == result


def test_what_is_too_long_to_be_written_is_not_combined() -> None:
    assert fold("product", [Fraction(10**70), Fraction(10**70)]) is None
    assert fold("power", [Fraction(3), Fraction(10**6)]) is None


def test_powers_and_roots_are_exact_or_none() -> None:
    assert exact_power(Fraction(2, 3), Fraction(2)) == Fraction(4, 9)
    assert exact_power(Fraction(0), Fraction(-1)) is None
    assert exact_power(Fraction(2), Fraction(65)) is None
    assert exact_root(Fraction(9, 4)) == Fraction(3, 2)
    assert exact_root(Fraction(2)) is None
    assert exact_root(Fraction(-1)) is None
