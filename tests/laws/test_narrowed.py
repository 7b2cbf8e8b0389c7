"""Laws on the columns in which rows have entries."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.law import Moments
from kernelspec.laws.narrowed import narrowed
from kernelspec.laws.rules import law_of
from kernelspec.tables.rows import Rows
from tests.laws.texts import kernel_of

KEPT = (1, 4, 5, 8)
NARROWED = [
    "gaussian(scale=2)",
    "matern(nu=3/2, scale=3)",
    "laplace(scale=9)",
    "polya(gamma(shape=2))",
    "rbf_cosine(gamma=2)",
    "0.3*gaussian() + 0.7*cauchy()",
    "gaussian(scale=3)*laplace(scale=9)",
    "laplace(scale=9)**2",
    "stretch(gaussian(), [1, 2, 3, 4, 5, 6, 7, 8, 9])",
    "stretch(gaussian() + laplace(), 2)",
    "0.3*rbf_cosine() + 0.7*gaussian()",
    "rbf_cosine()*gaussian()",
]
WHOLE = ["shift_gaussian(by=0.4)", "minmax()", "linear()", "gaussian()[0:3]", "bochner(student_t(dof=3))", "sphere()"]


@pytest.mark.parametrize("text", NARROWED)
def test_the_same_kernel_and_moments_on_fewer_columns(text: str) -> None:
    generator = np.random.default_rng(0)
    x, y = np.zeros((5, 9)), np.zeros((6, 9))
    x[:, KEPT], y[:, KEPT] = generator.standard_normal((5, 4)), generator.standard_normal((6, 4))
    whole, fewer = law_of(kernel_of(text, 9)), narrowed(law_of(kernel_of(text, 9)), KEPT)
    assert fewer is not None
    fewer.validate()
    assert fewer.dim == len(KEPT)
    pairs = NumericPairs(Rows(x), Rows(y))
    some = pairs.select(KEPT)
    np.testing.assert_allclose(fewer.value(some), whole.value(pairs), rtol=1e-12)
    for part in fields(Moments):
        own, expected = (getattr(found, part.name) for found in (fewer.moments(some), whole.moments(pairs)))
        np.testing.assert_allclose(own, expected, rtol=1e-12)


@pytest.mark.parametrize("text", WHOLE)
def test_laws_that_stay_as_wide_as_they_are(text: str) -> None:
    assert narrowed(law_of(kernel_of(text, 9)), KEPT) is None
