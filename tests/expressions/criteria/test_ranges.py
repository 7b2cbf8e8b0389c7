"""The numbers of columns that criteria state, against the sign of the transform just inside and just outside of them.

The radial transform in R^d is up to a positive factor ∫ f(r) r^{d−1} ₀F₁(d/2; −r²ρ²/4) dr, a hypergeometric function
for powers, in 30 digits. The same ranges are those of RandomFields' RMaskey, RMdampedcos and RMgengneiting.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import pytest

from kernelspec.expressions.criteria.necessary import statements
from tests.expressions.written import written

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
def test_overlaps_of_balls(m: int, text: str | None) -> None:
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
