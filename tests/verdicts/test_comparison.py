"""Tests of `verdicts/comparison.py`."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.verdicts.comparison import compare, largest_quotient
from kernelspec.verdicts.laws import DIGITS, Band, Factor, Fejer, SpectralLaw, law_of_kernel
from tests.verdicts.examples import EXAMPLES


def terms(weights: dict[str, float], dim: int) -> list[tuple[Any, SpectralLaw]]:
    found = []
    for text, weight in weights.items():
        law = law_of_kernel(ks.parse(text).symbolic_kernel(Columns(dim)), tuple(range(dim)))
        assert law is not None
        found.append((mp.mpf(weight), law))
    return found


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


FACTORS: dict[str, Factor] = {
    **{name: EXAMPLES[name][0] for name in EXAMPLES},
    "band": Band(mp.mpf(2)),
    "narrow": Band(mp.mpf(1)),
    "fejer": Fejer(mp.mpf(1)),
    "wide": Fejer(mp.mpf(5) / 2),
}


def density(factor: Factor, omega: float) -> float:
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
