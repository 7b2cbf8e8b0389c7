"""Askey functions."""

from __future__ import annotations

import pytest

from kernelspec.expressions.criteria.families import by_truncated_power
from tests.formulas.written import written


@pytest.mark.parametrize(
    ("text", "most"),
    [("max(0, 1 - r)", 1), ("max(0, 1 - r/3)**2.4", 3), ("max(1 - 2*r, 0)**2.5", 4), ("sqrt(max(0, 1 - r))", 0)],
)
def test_exactly(text: str, most: int) -> None:
    found = by_truncated_power(written(f"r -> {text}"))
    assert found is not None
    assert (found.holds, found.fails) == (most, most + 1)


@pytest.mark.parametrize(
    "text", ["max(0, 1 - r**2)", "max(0, 2 - r)", "max(0.1, 1 - r)", "max(0, 1 + r)", "max(0, 1 - r)**-1"]
)
def test_others(text: str) -> None:
    assert by_truncated_power(written(f"r -> {text}")) is None
