"""Gneiting criteria, against the known dimensions of Askey, Matérn and Wendland."""

from __future__ import annotations

import pytest

from kernelspec.expressions.criteria.families import by_polynomials
from tests.formulas.written import written


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("max(0, 1 - r)", None),
        ("max(0, 1 - r)**2", 3),
        ("1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3", 3),
        ("max(0, 1 - r/2)**4*(2*r + 1)", 3),
        ("max(0, 1 - r)**5*(5*r + 1)", 5),
        ("max(0, 1 - r)**6*(35*r**2 + 18*r + 3)/3", 3),
        ("max(0, 1 - r)**7*(16*r**2 + 7*r + 1)", 5),
        ("max(0, 1 - r)**8*(32*r**3 + 25*r**2 + 8*r + 1)", 3),
        ("max(0, 1 - r**2)**3", None),
        ("1 - min(r, 1)**2", None),
        ("1 - min(r, 1)/2", None),
        ("max(0, 1 - r)/2 + max(0, 1 - r/2)/2", None),
    ],
)
def test_gneitings_criterion(text: str, most: int | None) -> None:
    found = by_polynomials(written(f"r -> {text}"))
    assert (found and found.holds) == most
