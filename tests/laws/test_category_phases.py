"""Equality of categories by random phases: mean, variance, and what is built on it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.comparisons import Match
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.laws.keys import CategoryPhasesLaw, category_phases
from kernelspec.laws.law import Moments
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import CategoryPhases
from kernelspec.samples.keys import MatchKey
from kernelspec.tables.rows import Rows
from kernelspec.testing.samples import assert_samples

X = np.array([[0, 1, 2.5], [0, 1, 2.5], [0, 2, 1], [1, 1, 0], [1, 2, 2.5], [3, 2, 2.5]], dtype=float)


def test_moments() -> None:
    pairs = NumericPairs(Rows(X[:, :2]), Rows(X[:, :2]))
    equal = (X[:, None, :2] == X[None, :, :2]).all(axis=2)
    law = CategoryPhasesLaw(Match(dim=2))
    found = law.moments(pairs)
    assert isinstance(found, Moments)
    assert (found.a, found.real) == (1, 0)
    np.testing.assert_array_equal(found.b, equal)
    np.testing.assert_array_equal(law.value(pairs), equal)
    assert category_phases(Match(dim=2)) == law
    assert category_phases(Gaussian(dim=2)) is None


def test_a_product_of_samples_is_one_sample() -> None:
    law = CategoryPhasesLaw(Match(dim=1))
    products = law.draw_products(Stream(0), np.array([1, 50, 2]), (0,))
    assert products is not None
    assert len(products) == 3
    assert law.draw_products(Stream(0), np.array([1, 0]), (0,)) is None
    assert law.has_phasor
    assert not law.has_key
    (factor,) = products.amplitudes
    assert isinstance(factor, CategoryPhases)
    assert factor.categories == MatchKey((0,))


def test_the_first_samples_do_not_depend_on_how_many_follow() -> None:
    few, many = (CategoryPhasesLaw(Match(dim=2)).draw(Stream(5), n, (0, 1))[0].amplitudes[0] for n in (10, 100))
    assert isinstance(few, CategoryPhases)
    assert isinstance(many, CategoryPhases)
    np.testing.assert_array_equal(few.words, many.words[:10])


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "match()",
        "match()[0] * gaussian()[2]",
        "0.5*match()[0] + 0.5*match()[0, 1]",
        "match()[0] ** 2",
        "dual(exp(c=2), match()[0])",
        "dual(step, match()[0])",
        "layer(relu, match()[0], match()[1], gaussian()[2])",
        "full(relu, input=image(1, 3, 1, base=match()))",
    ],
)
def test_mean_and_variance(text: str) -> None:
    fmap = ks.compile(text, dim=3, n_features=24, method="category_phases")
    assert fmap.plan.method == "category_phases"
    assert not fmap.plan.chosen.is_sparse
    assert_samples(text, X, methods=["category_phases"], n=4000, budget=1e-8)


def test_words_and_numbers() -> None:
    table = pd.DataFrame({"colour": ["red", "blue", "red", "green"], "size": [1, 1, 2, 1]})
    fmap = ks.compile("match()", data=table, n_features=4000, method="category_phases")
    found = fmap.approximate(table)
    np.testing.assert_allclose(np.diag(found), 1, rtol=1e-12)
    # |z| below 6 with a standard error of √(½/2000)
    assert np.abs(found - np.eye(4)).max() < 6 * np.sqrt(0.5 / 2000)


def test_keys_are_what_the_plan_takes() -> None:
    assert ks.compile("match()", dim=2).plan.chosen.is_sparse
