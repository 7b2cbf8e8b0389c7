"""Tests of `expressions/criteria/families.py`."""

from __future__ import annotations

import pytest

from kernelspec.expressions.criteria.families import (
    by_bessel_waves,
    by_convexity,
    by_damped_cosine,
    by_euclid_hat,
    by_polynomials,
    by_truncated_power,
    wave_of,
)
from tests.expressions.written import written


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


def test_on_the_line_alone() -> None:
    found = by_convexity(written("r -> max(0, 1 - r)"))
    assert found is not None
    assert (found.holds, found.fails) == (1, None)
    assert by_convexity(written("r -> exp(-r**2)")) is None


@pytest.mark.parametrize(
    ("text", "most"),
    [("exp(-r)*cos(r)", 2), ("exp(-r*sqrt(3))*cos(r)", 3), ("exp(-1.7*r)*cos(r)", 2), ("cos(2*r)*exp(-r)", 1)],
)
def test_exact_in_the_boundary_cases(text: str, most: int) -> None:
    found = by_damped_cosine(written(f"r -> {text}"))
    assert found is not None
    assert (found.holds, found.fails) == (most, most + 1)


@pytest.mark.parametrize("text", ["exp(-r**2)*cos(r)", "exp(-r)*cos(r)*cos(r)", "exp(r)*cos(r)", "exp(-r)"])
def test_others_damped_cosine(text: str) -> None:
    assert by_damped_cosine(written(f"r -> {text}")) is None


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


@pytest.mark.parametrize(
    ("text", "most"),
    [("max(0, 1 - r)", 1), ("max(0, 1 - r/3)**2.4", 3), ("max(1 - 2*r, 0)**2.5", 4), ("sqrt(max(0, 1 - r))", 0)],
)
def test_exactly(text: str, most: int) -> None:
    found = by_truncated_power(written(f"r -> {text}"))
    assert found is not None
    assert (found.holds, found.fails) == (most, most + 1)


@pytest.mark.parametrize(
    "text", ["max(0, 1 - r**2)", "max(0, 2 - r)", "max(0.1, 1 - r)", "max(0, 1 + r)", "max(0, 1 - r)**-1"]
)
def test_others_truncated_power(text: str) -> None:
    assert by_truncated_power(written(f"r -> {text}")) is None
