"""−f″(0)."""

from __future__ import annotations

import math

import pytest

from kernelspec.expressions.polya_criterion import curvature_at_zero
from tests.formulas.written import written


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("exp(-3*t**2)", 6),
        ("exp(-t)", math.inf),
        ("exp(-sqrt(t))", math.inf),
        ("sin(t)/t", 1 / 3),
        ("2*besselj(1, t)/t", 1 / 4),
        ("sqrt(pi)/2*erf(t)/t", 2 / 3),
    ],
)
def test_known_values(text: str, value: float) -> None:
    assert curvature_at_zero(written(f"t -> {text}")) == pytest.approx(value, rel=1e-7)
