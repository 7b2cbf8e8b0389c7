"""Polya on the line."""

from __future__ import annotations

from kernelspec.expressions.criteria.families import by_convexity
from tests.formulas.written import written


def test_on_the_line_alone() -> None:
    found = by_convexity(written("r -> max(0, 1 - r)"))
    assert found is not None
    assert (found.holds, found.fails) == (1, None)
    assert by_convexity(written("r -> exp(-r**2)")) is None
