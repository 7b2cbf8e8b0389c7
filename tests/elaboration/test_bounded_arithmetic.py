"""Arithmetic that has no result, or none that is a float."""

from __future__ import annotations

from fractions import Fraction

import pytest

import kernelspec as ks
from kernelspec.elaboration.arithmetic import NumberArithmetic, compute
from kernelspec.errors import RangeError


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1/0", "division by zero"),
        ("1/(2 - 2)", "division by zero"),
        ("0**-1", "division by zero"),
        ("sqrt(-1)", "this is not a real number"),
        ("log(0)", "this is not a real number"),
        ("(-2)**0.5", "this is not a real number"),
        ("exp(1000)", "this number is too large: it must lie below 1e308"),
        ("1e300**2", "this number is too large: it must lie below 1e308"),
        ("1e200*1e200", "this number is too large: it must lie below 1e308"),
        ("10**1000", "this number is too large: it must lie below 1e308"),
        ("1e-200*1e-200", "this number is too small: it must lie above 1e-308, or be 0"),
        ("1e-300**64", "this number is too small: it must lie above 1e-308, or be 0"),
        ("exp(-1000)", "this number is too small: it must lie above 1e-308, or be 0"),
    ],
)
def test_what_has_no_value(text: str, message: str) -> None:
    with pytest.raises(RangeError) as caught:
        ks.parse(f"gaussian(scale={text})")
    assert caught.value.message == message


@pytest.mark.parametrize("text", ["1/(d - 2)", "sqrt(d - 3)", "log(d - 2)", "1e300**d"])
def test_what_has_no_value_on_these_columns(text: str) -> None:
    spec = ks.parse(f"gaussian(scale={text})")
    with pytest.raises(RangeError):
        ks.analyze(spec, dim=2)
    with pytest.raises(RangeError):
        spec.symbolic_kernel(spec.columns(2))


def test_what_has_a_value_keeps_it() -> None:
    node = ks.parse("gaussian()").program.body
    for value in (Fraction(1, 3), 0, Fraction(10) ** 307, Fraction(1, 10**307)):
        assert compute(NumberArithmetic(), lambda value=value: value, node) == value
