"""Overlaps of balls."""

from __future__ import annotations

import pytest

from kernelspec.expressions.criteria.families import by_euclid_hat
from tests.formulas.written import written


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("2/pi*(acos(min(r/2, 1)) - min(r/2, 1)*sqrt(1 - min(r/2, 1)**2))", None),
        ("2/pi*(acos(min(r, 2)/2) - min(r, 2)/2*sqrt(1 - (min(r, 2)/2)**2))", 2),
        ("max(0, 1 - r)**2*(1 + r/2)", 3),
        ("1 - 35/16*min(r,1) + 35/16*min(r,1)**3 - 21/16*min(r,1)**5 + 5/16*min(r,1)**7", 7),
        ("1 - 1.5*min(r, 1) + 0.4*min(r, 1)**3", None),
        ("max(0, 1 - r)**4*(4*r + 1)", None),
    ],
)
def test_overlaps_of_balls(text: str, order: int | None) -> None:
    found = by_euclid_hat(written(f"r -> {text}"))
    assert (found and found.holds) == order
