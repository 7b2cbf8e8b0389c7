"""Flat starts."""

from __future__ import annotations

import pytest

from kernelspec.expressions.criteria.necessary import by_flat_start
from tests.formulas.written import written


@pytest.mark.parametrize(
    ("text", "applies"),
    [
        ("exp(-r**3)", True),
        ("cos(r**2)", True),
        ("exp(-r**2)", False),
        ("exp(-r)", False),
        ("exp(-r**0.5)", False),
        ("1 + 0*r", False),
    ],
)
def test_flat(text: str, applies: bool) -> None:
    assert (by_flat_start(written(f"r -> {text}")) is not None) == applies
