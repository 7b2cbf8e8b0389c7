"""Signs of sums of falling densities: proofs hold on a grid, and what is disproved is negative there."""

from __future__ import annotations

import math
from typing import Any

import hypothesis.strategies as st
import mpmath as mp
import pytest
from hypothesis import given, settings

from kernelspec.verdicts.densities.falling import Bessel, Falling, is_known, sign_of_sum
from tests.thoroughness import examples
from tests.verdicts.densities.examples import EXAMPLES

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


@pytest.mark.slow
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
