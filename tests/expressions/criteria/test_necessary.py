"""Tests of `expressions/criteria/necessary.py`."""

from __future__ import annotations

import mpmath as mp
import pytest

from kernelspec.expressions.criteria.necessary import Statement, by_corners, by_flat_start, by_values
from tests.expressions.written import written


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("max(0, 1 - r)", 2),  # Askey
        ("max(0, 1 - r)**3", 6),
        ("max(0, 1 - r/2)**4*(2*r + 1)", 4),  # Wendland 1995, φ_{3,1}
        ("max(0, 1 - r)**6*(35*r**2 + 18*r + 3)/3", 4),  # φ_{3,2}
        ("max(0, 1 - r)**7*(16*r**2 + 7*r + 1)", 6),  # φ_{5,2}
        ("1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3", 4),  # the spherical kernel
        ("max(0, 1 - r**2)**3", 1),
        ("max(0, 1 - r)/2 + max(0, 1 - r/2)/2", 2),
    ],
)
def test_where_they_fail(text: str, fails: int) -> None:
    found = by_corners(written(f"r -> {text}"))
    assert found is not None
    assert (found.holds, found.fails) == (0, fails)


@pytest.mark.parametrize("text", ["exp(-r)", "1 - min(r, 1)/2", "max(0, 1 - r)**1.5", "1"])
def test_others(text: str) -> None:
    assert by_corners(written(f"r -> {text}")) is None


def test_the_oscillation_is_there() -> None:
    """(1 − r)⁴(4r + 1) in four columns: by a hypergeometric series the transform is negative between 100 and 106."""

    def transform(rho: float) -> mp.mpf:
        d = 4
        return mp.fsum(
            w
            * mp.beta(d + n, 5)
            * mp.hyp2f3(
                mp.mpf(d + n) / 2,
                mp.mpf(d + n + 1) / 2,
                mp.mpf(d) / 2,
                mp.mpf(d + n + 5) / 2,
                mp.mpf(d + n + 6) / 2,
                -(mp.mpf(rho) ** 2) / 4,
            )
            for n, w in enumerate((1, 4))
        )

    with mp.workdps(30):
        assert min(transform(rho) for rho in range(100, 107)) < 0


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


def test_statements_are_values() -> None:
    assert Statement(3, 4, "a reason") == Statement(3, 4, "a reason")


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
