"""Tests of `verdicts/densities.py`."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import hypothesis.strategies as st
import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.special.closed_forms import DIGITS, Band, Bessel, Density, Falling, Fejer
from kernelspec.verdicts.comparison import compare, largest_quotient
from kernelspec.verdicts.densities import SpectralLaw, is_known, law_of_kernel, sign_of_sum
from tests.thoroughness import examples
from tests.verdicts.test_line_sign import EXAMPLES

POINTS = [mp.mpf(x) for x in ("0.01", "0.3", "1", "7", "250")]


@pytest.mark.parametrize("name", EXAMPLES)
def test_logarithm_and_slope(name: str) -> None:
    falling, exact = EXAMPLES[name]
    with mp.workdps(30):
        for u in POINTS:
            assert mp.almosteq(falling.log(u), mp.log(exact(u)), rel_eps=1e-14)
            assert mp.almosteq(falling.slope(u), mp.diff(lambda v: mp.log(exact(v)), u), rel_eps=1e-9)
            if falling.bessel is None:
                assert mp.almosteq(falling.curvature(u), mp.diff(falling.slope, u), rel_eps=1e-9, abs_eps=1e-20)


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


@pytest.mark.slow
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


SIZES = st.sampled_from([0.01, 0.1, 0.5, 1.0, 1.1, 2.0, 7.0, 100.0])


@st.composite
def falling(draw: st.DrawFn) -> Falling:
    kind = draw(st.sampled_from(["line", "root", "power", "bessel"]))
    size, constant = mp.mpf(draw(SIZES)), mp.log(mp.mpf(draw(SIZES)))
    if kind == "line":
        return Falling(constant, line=size)
    if kind == "root":
        return Falling(constant, root=size)
    if kind == "power":
        return Falling(constant, ((mp.mpf(draw(st.sampled_from([1, 1.5, 3]))), size),))
    return Falling(constant, bessel=Bessel(mp.mpf(2), mp.mpf(draw(st.sampled_from([0.5, 1.5, -0.5]))), size))


def value(terms: list[tuple[Any, Falling]], u: Any) -> Any:
    return sum(w * mp.exp(p.log(u)) for w, p in terms)


@pytest.mark.long
@settings(max_examples=examples(25))
@given(st.lists(st.tuples(st.sampled_from([-2.0, -0.3, 0.2, 1.0, 5.0]), falling()), min_size=2, max_size=4))
def test_answers_agree_with_a_grid(drawn: list[tuple[float, Falling]]) -> None:
    with mp.workdps(30):
        terms = [(mp.mpf(w), p) for w, p in drawn]
        found = sign_of_sum(terms)
        if found.answer == "disproved":
            assert value(terms, found.at) < 0
        if found.answer == "proved":
            for n in range(-60, 60):
                u = mp.mpf(2) ** n
                size = sum(abs(w) * mp.exp(p.log(u)) for w, p in terms)
                assert value(terms, u) >= -mp.mpf("1e-20") * size


def gaussian(scale: float) -> Falling:
    s = mp.mpf(scale)
    return Falling(mp.log(s / mp.sqrt(2 * mp.pi)), line=s * s / 2)


@pytest.mark.parametrize(("weight", "answer"), [(0.499, "proved"), (0.501, "disproved")])
def test_two_gaussians(weight: float, answer: str) -> None:
    with mp.workdps(30):
        assert sign_of_sum([(mp.mpf(1), gaussian(1)), (mp.mpf(-weight), gaussian(2))]).answer == answer


def test_what_vanishes_at_zero_is_asked() -> None:
    with mp.workdps(30):
        terms = [(mp.mpf(1), gaussian(1)), (mp.mpf(-1) / 2, gaussian(2))]
        assert sign_of_sum(terms).answer == "unknown"
        assert sign_of_sum(terms, lambda at: at == 0).answer == "proved"


def test_what_vanishes_at_infinity_is_asked() -> None:
    with mp.workdps(30):
        laplace = EXAMPLES["laplace"][0]
        half = laplace.stretched(mp.mpf(2), 1)  # twice as large far out
        terms = [(mp.mpf(2), laplace), (mp.mpf(-1), half)]
        assert sign_of_sum(terms).answer == "unknown"
        assert sign_of_sum(terms, lambda at: at == math.inf).answer == "proved"


def test_a_dip_between() -> None:
    """e^{−u/2} − 4e^{−2u} + 4.5e^{−4.5u} is −0.083 at u = ¼, and positive at 0 and far out."""
    with mp.workdps(30):
        terms = [(mp.mpf(1), gaussian(1)), (mp.mpf(-2), gaussian(2)), (mp.mpf(3) / 2, gaussian(3))]
        found = sign_of_sum(terms)
        assert found.answer == "disproved"
        assert 0.1 < found.at < 1


def test_digits_that_are_lost_count_as_unknown() -> None:
    assert is_known(mp.mpf(-1e7))
    assert not is_known(mp.mpf(-1e9))
    assert not is_known(mp.inf)


def terms(weights: dict[str, float], dim: int) -> list[tuple[Any, SpectralLaw]]:
    found = []
    for text, weight in weights.items():
        law = law_of_kernel(ks.parse(text).symbolic_kernel(Columns(dim)), tuple(range(dim)))
        assert law is not None
        found.append((mp.mpf(weight), law))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("weights", "dim", "answer", "words"),
    [
        ({"laplace()": 1, "gaussian()": -0.1}, 5, "proved", "column by column"),
        ({"laplace()": 1, "gaussian()": -0.1}, 6, "disproved", ""),
        ({"exponential()": 1, "gaussian()": -0.3}, 5, "proved", "length of ω"),
        ({"laplace()": 1, "exponential()": -0.1}, 2, "disproved", ""),
        ({"laplace()": 1, "exponential()": 1, "gaussian()": -0.2}, 2, "proved", "every length"),
        ({"laplace()": 1, "cauchy()": 0.1}, 3, "proved", "all weights"),
        ({"laplace()": 1, "cauchy()": 1, "gaussian()": -0.5}, 2, "proved", "column by column"),
    ],
)
def test_answers(weights: dict[str, float], dim: int, answer: str, words: str) -> None:
    with mp.workdps(DIGITS):
        given = terms(weights, dim)
        found = compare(given, lambda at: None)
        assert found.answer == answer
        assert words in found.words
        if answer == "disproved":
            assert found.frequency is not None
            density = sum(w * mp.exp(law.log(list(found.frequency))) for w, law in given)
            assert mp.almosteq(density, found.density, rel_eps=1e-15)
            assert density < 0


def test_a_tie_is_asked() -> None:
    with mp.workdps(DIGITS):
        given = terms({"laplace()": 4, "laplace(scale=2)": -1}, 2)
        assert compare(given, lambda at: None).answer == "unknown"
        assert compare(given, lambda at: 0 if at == 0 else None).answer == "proved"
        assert compare(given, lambda at: 1 if at == 0 else None).answer == "proved"
        assert compare(given, lambda at: -1 if at == 0 else None).answer == "disproved"


FACTORS: dict[str, Density] = {
    **{name: EXAMPLES[name][0] for name in EXAMPLES},
    "band": Band(mp.mpf(2)),
    "narrow": Band(mp.mpf(1)),
    "fejer": Fejer(mp.mpf(1)),
    "wide": Fejer(mp.mpf(5) / 2),
}


def density(factor: Density, omega: float) -> float:
    w = mp.mpf(omega)
    return float(factor.density(w) if isinstance(factor, Band | Fejer) else mp.exp(factor.log(w * w)))


@cache
def on_grid(name: str) -> list[float]:
    with mp.workdps(30):
        return [density(FACTORS[name], w) for w in np.concatenate([[0.0], np.geomspace(1e-4, 30, 300)])]


@pytest.mark.long
@pytest.mark.parametrize(("over", "under"), list(itertools.permutations(FACTORS, 2)))
def test_no_quotient_is_larger(over: str, under: str) -> None:
    with mp.workdps(30):
        p, q = FACTORS[over], FACTORS[under]
        found = largest_quotient(p, q)
        if found is None:
            return
        largest = max((a / b for a, b in zip(on_grid(over), on_grid(under), strict=True) if b > 0), default=0.0)
        if found.log == mp.inf:
            at = float(found.at)
            a, b = density(p, at), density(q, at)
            assert b == 0 or a / b > 1e3 or a > 1e6 * b
            return
        assert largest <= float(mp.exp(found.log)) * (1 + 1e-12)
        if not isinstance(p, Fejer):  # of which a bound is compared
            attained = density(p, float(found.at)) / density(q, float(found.at))
            assert attained >= 0.99 * float(mp.exp(found.log))


def test_a_laplace_and_a_gaussian_kernel() -> None:
    with mp.workdps(30):
        found = largest_quotient(FACTORS["gaussian"], FACTORS["laplace"])
        assert found is not None
        assert mp.almosteq(mp.exp(found.log), mp.sqrt(2 * mp.pi) * mp.exp(-mp.mpf(1) / 2), rel_eps=1e-15)
        assert mp.almosteq(found.at, 1, rel_eps=1e-6)
        assert not found.is_exact


def test_a_narrow_valley_of_a_density_is_found() -> None:
    """∫ e^{−s} s^{−d/2} e^{u − u/s} ds has the minimum 0.0918 near u = 100 for d = 200, less than 0.1 [mpmath]."""
    verdict = ks.analyze("rational_quadratic(1) - 0.1*gaussian()", dim=200).verdict
    assert verdict.positive_definite == "disproved"


@pytest.mark.parametrize(
    ("text", "dim"),
    [("radial(r -> cos(2*r)*exp(-r**2/2))", 2), ("radial(r -> exp(-r**2/2)*cos(2*r))[0, 1]*gaussian()[2]", 3)],
)
def test_waves_of_the_distance_are_not_those_of_a_column(text: str, dim: int) -> None:
    assert ks.analyze(text, dim=dim).verdict.positive_definite == "disproved"
    plane = 0.4 * np.array(list(itertools.product(range(9), repeat=2)))
    rows = np.pad(plane, [(0, 0), (0, dim - 2)])
    assert np.linalg.eigvalsh(ks.parse(text).gram(rows))[0] < -0.01


def test_waves_on_three_columns_are_not_proved_by_one() -> None:
    """∫ f(r) sin(2r) r dr < 0: the density at 2 on three columns."""
    density = mp.quad(lambda r: (1 + mp.cos(3 * r)) * mp.exp(-(r**2) / 2) * mp.sin(2 * r) * r, [0, 2, 4, 8, 12])
    assert density < -0.01
    verdict = ks.analyze("radial(r -> (1 + cos(3*r))*exp(-r**2/2))", dim=3).verdict
    assert verdict.positive_definite != "proved"


@pytest.mark.long
def test_waves_under_a_gaussian_have_a_largest_dimension() -> None:
    text = "radial(r -> cos(r)*exp(-r**2))"
    for dim in range(2, 10):
        with mp.workdps(30):
            at_zero = mp.quad(lambda r, d=dim: mp.cos(r) * mp.exp(-(r**2)) * r ** (d - 1), [0, 2, 4, 8, 12])
        verdict = ks.analyze(text, dim=dim).verdict.positive_definite
        assert verdict == "disproved" if at_zero < 0 else verdict != "disproved"
