"""Waves."""

from __future__ import annotations

import pytest

from kernelspec.expressions.criteria.families import by_bessel_waves, wave_of
from tests.formulas.written import written


@pytest.mark.parametrize(
    ("text", "order", "rate"),
    [("cos(3*r)", 1, 3), ("sin(r/2)/r*2", 3, 0.5), ("besselj(0, r)", 2, 1), ("2*besselj(1, 4*r)/(4*r)", 4, 4)],
)
def test_waves(text: str, order: int, rate: float) -> None:
    found = wave_of(written(f"r -> {text}"))
    assert found is not None
    assert (found.order, float(found.rate)) == (order, rate)


@pytest.mark.parametrize(
    "text", ["cos(r)**2", "sin(r)", "sin(r)/(2*r)", "besselj(1, r)", "besselj(0, r**2)", "exp(-r)"]
)
def test_others(text: str) -> None:
    assert wave_of(written(f"r -> {text}")) is None


def test_orders_need_not_be_whole() -> None:
    found = by_bessel_waves(written("r -> gamma(1.25)*(2/r)**0.25*besselj(0.25, r)"))
    assert found is not None
    assert (found.holds, found.fails) == (2, 3)
