"""Damped cosines."""

from __future__ import annotations

import pytest

from kernelspec.expressions.criteria.families import by_damped_cosine
from tests.formulas.written import written


@pytest.mark.parametrize(
    ("text", "most"),
    [("exp(-r)*cos(r)", 2), ("exp(-r*sqrt(3))*cos(r)", 3), ("exp(-1.7*r)*cos(r)", 2), ("cos(2*r)*exp(-r)", 1)],
)
def test_exact_in_the_boundary_cases(text: str, most: int) -> None:
    found = by_damped_cosine(written(f"r -> {text}"))
    assert found is not None
    assert (found.holds, found.fails) == (most, most + 1)


@pytest.mark.parametrize("text", ["exp(-r**2)*cos(r)", "exp(-r)*cos(r)*cos(r)", "exp(r)*cos(r)", "exp(-r)"])
def test_others(text: str) -> None:
    assert by_damped_cosine(written(f"r -> {text}")) is None
