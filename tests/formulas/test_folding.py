"""Exact numbers combined exactly."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from kernelspec.formulas.folding import exact_power, exact_root, fold


@pytest.mark.parametrize(
    ("name", "values", "result"),
    [
        ("sum", [F(1, 3), F(1, 6), F(1)], F(3, 2)),
        ("negation", [F(2)], F(-2)),
        ("product", [F(2, 3), F(3, 4)], F(1, 2)),
        ("quotient", [F(1), F(3)], F(1, 3)),
        ("quotient", [F(1), F(0)], None),
        ("power", [F(2), F(-3)], F(1, 8)),
        ("power", [F(2), F(1, 2)], None),
        ("abs", [F(-2)], F(2)),
        ("max", [F(1), F(2)], F(2)),
        ("min", [F(1), F(2)], F(1)),
        ("exp", [F(0)], None),
    ],
)
def test_fold(name: str, values: list[F], result: F | None) -> None:
    assert fold(name, values) == result


def test_what_is_too_long_to_be_written_is_not_combined() -> None:
    assert fold("product", [F(10**70), F(10**70)]) is None
    assert fold("power", [F(3), F(10**6)]) is None


def test_powers_and_roots_are_exact_or_none() -> None:
    assert exact_power(F(2, 3), F(2)) == F(4, 9)
    assert exact_power(F(0), F(-1)) is None
    assert exact_power(F(2), F(65)) is None
    assert exact_root(F(9, 4)) == F(3, 2)
    assert exact_root(F(2)) is None
    assert exact_root(F(-1)) is None
