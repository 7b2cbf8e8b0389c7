"""Sums decided by their spectral measures."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.verdicts.rules import Question, by_densities


def asked(text: str, dim: int) -> tuple[str, str]:
    found = by_densities(Question(ks.parse(text).symbolic_kernel(Columns(dim))))
    return ("", "") if found is None else (found.positive_definite, found.reasons[-1])


@pytest.mark.parametrize(
    ("text", "dim", "answer", "words"),
    [
        ("laplace() - 0.1*gaussian()", 5, "proved", "nowhere negative"),
        ("laplace() - 0.1*gaussian()", 6, "disproved", "-3.82e-06 < 0 at ω = (1, 1, 1, 1, 1, 1)"),
        ("triangle() - 0.001*gaussian()", 1, "disproved", "-1.07e-12 < 0 at ω = (6.28319)"),
        ("gaussian() - 0.25*gaussian(scale=2)", 2, "proved", "nowhere negative"),
        ("cosine(by=1)*cosine(by=2) - 0.6*cosine(by=3)", 1, "disproved", "the atom -0.05 < 0 at ω = ("),
        ("cosine(by=1) - 0.1*gaussian()", 1, "disproved", "density"),
        ("gaussian() - 0.1*gaussian()[1]", 2, "disproved", "density on column 1 is"),
        ("match()[0] + gaussian()[1] - 0.2*gaussian(scale=2)[1]", 2, "proved", "nowhere negative"),
        ("match()[0] + gaussian()[1] - 0.8*gaussian(scale=2)[1]", 2, "", ""),
        ("gaussian() - 0.1*match()", 1, "", ""),
        ("param w\\ngaussian() - w*laplace()", 1, "", ""),
    ],
)
def test_answers(text: str, dim: int, answer: str, words: str) -> None:
    found, reason = asked(text.replace("\\n", "\n"), dim)
    assert found == answer
    assert words in reason


def test_a_frequency_is_where_the_density_is_negative() -> None:
    text = "exponential() - 0.5*gaussian()"
    found = by_densities(Question(ks.parse(text).symbolic_kernel(Columns(3))))
    assert found is not None
    assert found.frequency is not None
    assert ks.analyze(text, dim=3).spectral_density_at(np.array([found.frequency]))[0] < 0
