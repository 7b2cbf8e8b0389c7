"""Sums of laws in several columns: bounds column by column, at every length, and frequencies against."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.verdicts.densities.comparison import compare
from kernelspec.verdicts.densities.laws import DIGITS, SpectralLaw, law_of_kernel


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
