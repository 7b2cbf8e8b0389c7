"""The rule by Sturm's theorem: proofs and disproofs with their frequency."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.verdicts.exact_signs import by_exact_signs
from kernelspec.verdicts.rules import Question


def question(text: str, dim: int) -> Question:
    return Question(ks.parse(text).symbolic_kernel(Columns(dim)))


def test_a_tie_is_proved_and_the_polynomial_printed() -> None:
    found = by_exact_signs(question("laplace() - 4*sqrt(3)/9*matern(3/2)", 1))
    assert found is not None
    assert found.positive_definite == "proved"
    assert "P(x) = x**2 - 2*x + 1" in found.reasons[0]
    assert "1 distinct root" in found.reasons[0]


@pytest.mark.parametrize(
    ("text", "dim"),
    [
        ("laplace() - 0.8*matern(3/2)", 1),
        ("laplace()*cosine(2) - 0.3*laplace()", 1),
        ("exponential() - 0.7*exponential(1/2)", 3),
        ("gaussian() - 0.6*gaussian(scale=2)", 1),
        ("gaussian() - 0.3*gaussian(scale=2)", 2),
        ("triangle() - 0.6*triangle(width=2)", 1),
    ],
)
def test_the_density_is_negative_at_the_frequency(text: str, dim: int) -> None:
    found = by_exact_signs(question(text, dim))
    assert found is not None
    assert found.positive_definite == "disproved"
    assert found.frequency is not None
    assert ks.analyze(ks.parse(text), dim=dim).spectral_density_at(np.array([found.frequency]))[0] < 0


@pytest.mark.parametrize("text", ["gaussian() - 0.1*cosine(1)", "linear() - gaussian()", "minmax() - 0.1*gaussian()"])
def test_what_has_no_density_is_left_to_others(text: str) -> None:
    assert by_exact_signs(question(text, 1)) is None
