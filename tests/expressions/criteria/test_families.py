"""Tests of `expressions/criteria/families.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import pytest

from kernelspec.expressions.criteria.complete_monotonicity import by_complete_monotonicity
from kernelspec.expressions.criteria.families import (
    by_bessel_waves,
    by_convexity,
    by_damped_cosine,
    by_euclid_hat,
    by_polynomials,
    by_truncated_power,
    wave_of,
)
from kernelspec.expressions.criteria.necessary import by_corners, by_flat_start, by_values, statements
from kernelspec.expressions.evaluation import value_at
from tests.expressions.written import written
from tests.thoroughness import sweep


@pytest.mark.parametrize(
    ("text", "order", "rate"),
    [("cos(3*r)", 1, 3), ("sin(r/2)/r*2", 3, 0.5), ("besselj(0, r)", 2, 1), ("2*besselj(1, 4*r)/(4*r)", 4, 4)],
)
def test_waves(text: str, order: int, rate: float) -> None:
    found = wave_of(written(f"r -> {text}"))
    assert found is not None
    assert (found.order, float(found.rate)) == (order, rate)


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


@pytest.mark.slow
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


PROVED = [
    "exp(-r**1.3)",
    "(1 + r**0.7)**-3",
    "1/(1 + log(1 + r))",
    "r/sinh(r)",
    "tanh(r/2)/r*2",
    "erf(r)/r",
    "exp(exp(-r) - 1)",
    "log(1 + r**2)/r**2",
    "besselk(0.3, 1 + r)",
    "1/sqrt(1 + r + sqrt(r))",
]

NOT_THESE: dict[Callable[[Any], object], list[str]] = {
    wave_of: ["cos(r)**2", "sin(r)", "sin(r)/(2*r)", "besselj(1, r)", "besselj(0, r**2)", "exp(-r)"],
    by_damped_cosine: ["exp(-r**2)*cos(r)", "exp(-r)*cos(r)*cos(r)", "exp(r)*cos(r)", "exp(-r)"],
    by_truncated_power: ["max(0, 1 - r**2)", "max(0, 2 - r)", "max(0.1, 1 - r)", "max(0, 1 + r)", "max(0, 1 - r)**-1"],
    by_corners: ["exp(-r)", "1 - min(r, 1)/2", "max(0, 1 - r)**1.5", "1"],
    by_complete_monotonicity: [
        *("exp(-r**3)", "(1 + r**3)**-1", "cosh(1/r)**-1", "exp(-r)*cos(r)", "max(0, 1 - r)", "1/(1 - r)", "exp(r)"),
        *("tanh(r)", "1 - r", "exp(-r) - exp(-2*r)", "(1 - exp(-r))*exp(-r)", "exp(-r)**-1", "r*exp(-r)", "cos(r)"),
        *("(exp(-r) + exp(-2*r))**0.5", "tanh(r**2)/r**2", "sinh(r)/r", "exp(-r)/exp(-2*r)", "1/cosh(r**1.5)"),
    ],
}


@pytest.mark.parametrize(("criterion", "text"), [(own, text) for own, texts in NOT_THESE.items() for text in texts])
def test_criteria_that_do_not_apply(criterion: Callable[[Any], object], text: str) -> None:
    assert criterion(written(f"r -> {text}")) is None


@pytest.mark.parametrize("text", sweep(PROVED, costly=["besselk(0.3, 1 + r)"]))
def test_proved_and_true(text: str) -> None:
    """The derivatives in u = r² alternate in sign at some points, by mpmath."""
    formula = written(f"r -> {text}")
    assert by_complete_monotonicity(formula) is not None
    with mp.workdps(60):
        for u in (mp.mpf("0.3"), mp.mpf(2)):
            terms = mp.taylor(lambda s: value_at(formula, mp.sqrt(s)), u, 6)
            assert all(c * (-1) ** k > 0 for k, c in enumerate(terms))


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


DIMENSIONS = (1, 2, 3, 5)
RADII = [mp.mpf(k) / 4 for k in range(1, 41)] + [mp.mpf(k) for k in range(11, 80)]


def stated(text: str) -> int:
    """The largest number of columns that a criterion states."""
    return max(found.holds or 0 for found in statements(written(f"r -> {text}")))


def least(transform: Callable[[Any], Any]) -> Any:
    with mp.workdps(30):
        return min(transform(radius) for radius in RADII)


def of_truncated_power(power: Any, d: int) -> Callable[[Any], Any]:
    a = mp.mpf(d + power + 1) / 2
    return lambda rho: mp.hyp1f2(mp.mpf(d + 1) / 2, a, a + mp.mpf(1) / 2, -(rho**2) / 4)


def of_overlap(m: int, d: int) -> Callable[[Any], Any]:
    """f′ = −(1 − r²)^{(m−1)/2}, by parts."""
    return lambda rho: mp.hyp1f2(mp.mpf(d + 1) / 2, mp.mpf(d) / 2 + 1, mp.mpf(d + m) / 2 + 1, -(rho**2) / 4)


@pytest.mark.long
@pytest.mark.parametrize("d", DIMENSIONS)
def test_truncated_powers(d: int) -> None:
    """(1 − r)^ℓ for ℓ = (d + 1)/2, and half of one less."""
    inside, outside = mp.mpf(d + 1) / 2, mp.mpf(d) / 2
    assert stated(f"max(0, 1 - r)**({d + 1}/2)") == d
    assert stated(f"max(0, 1 - r)**({d}/2)") < d
    assert least(of_truncated_power(inside, d)) > -(mp.mpf(10) ** -25)  # for d = 1 it has zeros
    assert least(of_truncated_power(outside, d)) < 0


@pytest.mark.long
@pytest.mark.parametrize(("m", "text"), [(1, "max(0, 1 - r)"), (3, "max(0, 1 - r)**2*(1 + r/2)"), (2, None), (5, None)])
def test_overlaps_of_balls_ranges(m: int, text: str | None) -> None:
    assert text is None or stated(text) == m
    assert least(of_overlap(m, m)) > -(mp.mpf(10) ** -25)
    assert least(of_overlap(m, m + 1)) < 0


@pytest.mark.parametrize("d", [2, 3, 5])
def test_damped_cosines(d: int) -> None:
    """At ρ = 0 the transform is Γ(d) Re (a − ib)^{−d}; its integral by quadrature for b/a a hundredth on both sides."""
    for factor, sign in ((0.99, 1), (1.01, -1)):
        b = factor * float(mp.tan(mp.pi / (2 * d)))
        assert (stated(f"exp(-r)*cos({b:.12f}*r)") >= d) == (sign > 0)
        total = mp.quad(lambda r, b=b: r ** (d - 1) * mp.exp(-r) * mp.cos(b * r), mp.linspace(0, 60, 13))
        assert mp.sign(total) == sign


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "weights", "power", "d"),
    [
        ("max(0, 1 - r)**4*(4*r + 1)", (1, 4), 4, 3),
        ("max(0, 1 - r)**6*(35*r**2 + 18*r + 3)/3", (3, 18, 35), 6, 3),
        ("max(0, 1 - r)**7*(16*r**2 + 7*r + 1)", (1, 7, 16), 7, 5),
    ],
)
def test_wendland_functions(text: str, weights: tuple[int, ...], power: int, d: int) -> None:
    """Positive in d columns, for which Gneiting's criterion holds, and negative somewhere in two more."""
    assert stated(text) == d

    def transform(columns: int) -> Callable[[Any], Any]:
        def value(rho: Any) -> Any:
            return mp.fsum(
                w
                * mp.beta(columns + n, power + 1)
                * mp.hyp2f3(
                    mp.mpf(columns + n) / 2,
                    mp.mpf(columns + n + 1) / 2,
                    mp.mpf(columns) / 2,
                    mp.mpf(columns + n + power + 1) / 2,
                    mp.mpf(columns + n + power + 2) / 2,
                    -(rho**2) / 4,
                )
                for n, w in enumerate(weights)
            )

        return value

    assert least(transform(d)) > 0
    assert d > 3 or least(transform(d + 2)) < 0  # for d = 5 beyond these radii
