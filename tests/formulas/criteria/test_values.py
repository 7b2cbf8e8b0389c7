"""Values."""

from __future__ import annotations

import pytest

from kernelspec.expressions.criteria.necessary import by_values
from tests.formulas.written import written


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("1 + r", 1),
        ("cos(2*r) + r**2*exp(-r)", 1),
        ("cos(r)", 2),
        ("besselj(0, r)", 3),
        ("exp(-r)", None),
        ("(1 - r**2)*exp(-r**2)", 4),
    ],
)
def test_values_that_no_mixture_of_waves_takes(text: str, fails: int | None) -> None:
    found = by_values(written(f"r -> {text}"))
    assert (found and found.fails) == fails
