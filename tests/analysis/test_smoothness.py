"""Derivatives of processes, against how k leaves 1 at small lags."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.analysis.smoothness import derivatives, smoothness_in_words
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel


def kernel(text: str) -> Kernel:
    spec = ks.parse(text)
    return spec.kernel(spec.columns(1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gaussian()", math.inf),
        ("matern(1/2)", 0),
        ("matern(1)", 0),
        ("matern(3/2)", 1),
        ("matern(2)", 1),
        ("matern(5/2)", 2),
        ("laplace()", 0),
        ("triangle(3)", 0),
        ("powered_exponential(1.5)", 0),
        ("rational_quadratic(2)", math.inf),
        ("periodic(2)", math.inf),
        ("gaussian() + 0.1*matern(3/2)", 1),
        ("gaussian()*laplace(5)", 0),
        ("stretch(matern(5/2), 3)**2", 2),
        ("polya(gamma(3))", 0),
        ("sinc()", math.inf),
        ("cauchy()", math.inf),
    ],
)
def test_a_process_has_a_derivative_where_k_falls_with_the_square(text: str, expected: float) -> None:
    """1 − k(h) ~ h^p with p = 2 just where there is a first derivative [Rasmussen and Williams 2006, section 4.1.1]."""
    found = kernel(text)
    assert derivatives(found) == expected
    lags = np.array([[1e-4], [2e-4]])
    one, two = found.value(NumericPairs.of_vectors(np.zeros((1, 1))))[0] - found.value(NumericPairs.of_vectors(lags))
    order = np.log2(two / one)
    assert (order > 1.95) == (expected >= 1) or text == "matern(1)"  # there h² ln h


def test_words_and_what_is_not_known() -> None:
    assert smoothness_in_words(kernel("matern(3/2)")) == "1 derivative"
    assert smoothness_in_words(kernel("laplace()")) == "continuous, no derivative"
    for text in ("gaussian() - 0.5*laplace()", "dual(relu, gaussian())", "noise()", "bochner(student_t(3))"):
        assert smoothness_in_words(kernel(text)) is None
