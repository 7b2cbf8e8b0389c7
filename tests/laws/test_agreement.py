"""Moments of keys alone."""

from __future__ import annotations

import numpy as np

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.comparisons import Match
from kernelspec.laws.keys import MatchLaw
from kernelspec.tables.rows import Rows

X = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 1.0]])


def test_all_three_are_the_chance_that_the_keys_agree() -> None:
    pairs = NumericPairs(Rows(X), Rows(X))
    moments = MatchLaw(Match(dim=2)).moments(pairs)
    equal = (X[:, None] == X[None]).all(axis=2)
    for moment in (moments.a, moments.b, moments.real):
        np.testing.assert_array_equal(moment, equal)
    # p² = p, so that the variance is k(1 − k) in every form
    np.testing.assert_array_equal(moments.paired(), moments.phase())


def test_keys_that_are_made_to_agree_do() -> None:
    moments = MatchLaw(Match(dim=2)).moments(NumericPairs(Rows(X), Rows(X)).with_keys_agreeing())
    np.testing.assert_array_equal(moments.a, np.ones((3, 3)))
