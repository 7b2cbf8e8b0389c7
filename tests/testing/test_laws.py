"""Samplers and features of another shape than their contract's are refused, not judged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernelspec.errors import PlanError
from kernelspec.testing import assert_measure, assert_sampler, assert_unbiased

LAW = "gamma(shape=2, scale=3)"
ROWS = np.random.default_rng(0).standard_normal((6, 3))


@pytest.mark.parametrize("size", [None, 10, 0, (20_000, 2)])
def test_a_sampler_gives_as_many_draws_as_it_is_asked_for(size: Any) -> None:
    with pytest.raises(PlanError, match=r"draws must have the shape \(n,\), here \(20000,\)"):
        assert_sampler(lambda n, generator: generator.gamma(2, 3, size), LAW)
    assert_sampler(lambda n, generator: generator.gamma(2, 3, n), LAW)


@pytest.mark.parametrize("shape", [(1, 2), (0, 2), (20_000, 3), (20_000,)])
def test_frequencies_are_as_many_as_they_are_asked_for(shape: tuple[int, ...]) -> None:
    with pytest.raises(PlanError, match=r"frequencies must have the shape \(n, dim\), here \(20000, 2\)"):
        assert_measure(lambda n, generator: generator.standard_normal(shape), "gaussian()", dim=2)


def test_rows_are_those_of_any_table() -> None:
    assert_unbiased(lambda X, generator: np.ones((6, 1)), {"a": ROWS[:, 0], "b": ROWS[:, 1]}, "constant()")


@pytest.mark.parametrize("features", [np.ones((3, 2)), np.ones(6), None])
def test_features_have_a_row_for_each(features: Any) -> None:
    with pytest.raises(PlanError, match=r"features of 6 rows must have the shape \(6, columns\)"):
        assert_unbiased(lambda X, generator: features, ROWS, "constant()")
