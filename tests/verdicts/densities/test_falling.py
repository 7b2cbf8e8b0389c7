"""Logarithms, slopes and tails of falling densities, against mpmath."""

from __future__ import annotations

import itertools

import mpmath as mp
import pytest

from kernelspec.verdicts.densities.falling import Bessel, Falling
from tests.verdicts.densities.examples import EXAMPLES

POINTS = [mp.mpf(x) for x in ("0.01", "0.3", "1", "7", "250")]


@pytest.mark.parametrize("name", EXAMPLES)
def test_logarithm_and_slope(name: str) -> None:
    falling, exact = EXAMPLES[name]
    with mp.workdps(30):
        for u in POINTS:
            assert mp.almosteq(falling.log(u), mp.log(exact(u)), rel_eps=1e-14)
            assert mp.almosteq(falling.slope(u), mp.diff(lambda v: mp.log(exact(v)), u), rel_eps=1e-9)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_logarithm_is_convex_and_decreasing(name: str) -> None:
    falling, _ = EXAMPLES[name]
    with mp.workdps(30):
        slopes = [falling.slope(u) for u in POINTS]
    assert all(a <= b < 0 for a, b in itertools.pairwise(slopes))


def test_the_start() -> None:
    with mp.workdps(30):
        for falling, exact in EXAMPLES.values():
            assert mp.almosteq(falling.log(0), mp.log(exact(mp.mpf("1e-60"))), rel_eps=1e-10, abs_eps=1e-10)


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(EXAMPLES, 2)))
def test_where_a_quotient_is_said_to_decrease_it_does(one: str, other: str) -> None:
    """Along 200 points out to 10⁸ times as far."""
    with mp.workdps(30):
        over, under = EXAMPLES[one][0], EXAMPLES[other][0]
        start = mp.mpf(100)
        if not over.falls_faster(under, start):
            return
        heights = [over.log(u) - under.log(u) for u in (start * mp.mpf(10) ** (mp.mpf(n) / 25) for n in range(200))]
        assert all(b <= a for a, b in itertools.pairwise(heights))


def test_light_tails_fall_faster_than_heavy_ones() -> None:
    order = ["gaussian", "cauchy", "laplace"]
    with mp.workdps(30):
        for i, j in itertools.combinations(range(3), 2):
            light, heavy = EXAMPLES[order[i]][0], EXAMPLES[order[j]][0]
            assert light.falls_faster(heavy, mp.mpf(1000))
            assert not heavy.falls_faster(light, mp.mpf(1000))
            assert light.weight_of_tail > heavy.weight_of_tail


@pytest.mark.parametrize("name", ["gaussian", "laplace", "cauchy", "student"])
def test_products_on_axis_and_diagonal(name: str) -> None:
    falling, exact = EXAMPLES[name]
    with mp.workdps(30):
        for u in POINTS:
            assert mp.almosteq(falling.on_axis(3).log(u), mp.log(exact(u) * exact(mp.mpf(0)) ** 2), rel_eps=1e-14)
            assert mp.almosteq(falling.on_diagonal(3).log(u), 3 * mp.log(exact(u / 3)), rel_eps=1e-14)
            axis, diagonal, between = (
                falling.on_axis(3).log(u),
                falling.on_diagonal(3).log(u),
                falling.log(u / 2) + falling.log(u / 3) + falling.log(u / 6),
            )
            slack = mp.mpf("1e-20") * abs(axis)
            assert diagonal - slack <= between <= axis + slack


def test_stretched_and_limits() -> None:
    with mp.workdps(30):
        for falling, exact in EXAMPLES.values():
            moved = falling.stretched(mp.mpf(-2), 1)  # k(−2Δ): p(ω/2)/2
            assert mp.almosteq(moved.log(mp.mpf(3)), mp.log(exact(mp.mpf(3) / 4) / 2), rel_eps=1e-14)
        laplace = EXAMPLES["laplace"][0]
        assert mp.almosteq(laplace.log_of_limit(), -mp.log(mp.pi), rel_eps=1e-15)
        assert laplace.has_same_power(laplace.stretched(mp.mpf(3), 1))
        assert not laplace.has_same_power(Falling(mp.mpf(0), line=mp.mpf(1)))


@pytest.mark.parametrize("order", [12.25, 40, 99.5])
def test_a_bessel_function_of_a_large_order(order: float) -> None:
    """K_λ(x) = ∫ e^{−x cosh t} cosh λt dt over t > 0 [DLMF 10.32.9]."""
    x, profile = mp.mpf(7), Falling(mp.mpf(0), bessel=Bessel(mp.mpf(order), mp.mpf(order), mp.mpf(7)))
    expected = mp.quad(lambda t: mp.exp(-x * mp.cosh(t)) * mp.cosh(order * t), [0, 1, 2, 3, 4, 5, 6, 7])
    found = profile.log(mp.mpf(1)) - mp.log(2) - order * mp.log(x / 2) + mp.loggamma(order)
    assert abs(found - mp.log(expected)) < 1e-12
