"""Formulas as arguments: their value at 0, exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kernelspec.elaboration.formulas import normalized
from tests.formulas.written import written


@pytest.mark.parametrize(
    ("text", "start", "shape"),
    [
        ("exp(-t)", 1, "exp(-t)"),
        ("2*exp(-t)", 2, "exp(-t)"),
        ("3*t*exp(-t)/t", 3, "3*t*exp(-t)/t/3"),
        ("exp(-t)/4", Fraction(1, 4), "exp(-t)/4/0.25"),
        ("sin(t)/t", 1, "sin(t)/t"),
        ("besselj(0, t)", 1, "besselj(0, t)"),
        ("sqrt(pi)/2*erf(t)/t", 1, "sqrt(pi)/2*erf(t)/t"),
    ],
)
def test_divided_by_the_value_at_zero(text: str, start: Fraction, shape: str) -> None:
    found = normalized(written(f"t -> {text}"))
    assert found is not None
    assert found[0] == start
    assert found[1] == written(f"t -> {shape}")


@pytest.mark.parametrize("text", ["t", "1/t", "log(t)", "sin(t)"])
def test_without_a_value_to_divide_by(text: str) -> None:
    assert normalized(written(f"t -> {text}")) is None
