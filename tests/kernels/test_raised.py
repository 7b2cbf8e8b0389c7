"""Real powers of catalogue kernels: the values are the powers, and the samples have them as their mean."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.testing.samples import assert_samples

KERNELS = [
    "gaussian(scale=2)", "laplace(scale=2)", "exponential(scale=2)", "periodic(period=2, scale=0.7)",
    "powered_exponential(alpha=1.5, scale=2)", "rational_quadratic(alpha=2, scale=3)", "rbf_cosine(gamma=2)",
    "matern(nu=1/2, scale=2)", "laplace()*gaussian()[0]", "stretch(laplace(), [1, 3])",
]  # fmt: skip
X = np.random.default_rng(0).standard_normal((6, 2))


@pytest.mark.parametrize("exponent", ["0.5", "1/3", "2.5", "1e-3"])
@pytest.mark.parametrize("text", KERNELS)
def test_values_are_powers(text: str, exponent: str) -> None:
    power = float(eval_fraction(exponent))
    expected = ks.parse(text).gram(X) ** power
    np.testing.assert_allclose(ks.parse(f"({text})**({exponent})").gram(X), expected, rtol=1e-12)
    verdict = ks.analyze(f"({text})**({exponent})", dim=2).verdict
    assert verdict.positive_definite == "proved"


def eval_fraction(text: str) -> float:
    numerator, _, denominator = text.partition("/")
    return float(numerator) / float(denominator or 1)


@pytest.mark.parametrize("text", KERNELS)
def test_samples_of_powers(text: str) -> None:
    assert_samples(f"({text})**0.5", X, methods=["auto"], n=4000)


def test_powers_of_sums_and_of_what_has_no_closed_form_are_refused() -> None:
    for text in (
        "(gaussian() + laplace())**0.5",
        "cauchy()**0.5",
        "matern(nu=3/2)**0.5",
        "triangle()**0.5",
        "periodic(1, 1e-3)**1000.5",
    ):
        with pytest.raises(ks.KernelspecError, match="the power of this kernel must be"):
            ks.parse(text)


def test_a_symbol_may_be_the_power() -> None:
    facts = ks.analyze("param s > 0\nlaplace()**s", dim=1)
    assert facts.verdict.positive_definite == "proved"
    assert str(facts.second_moment) == "oo"
