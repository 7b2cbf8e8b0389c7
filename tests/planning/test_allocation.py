"""Shares of a budget against the best of all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from kernelspec.planning.candidates import allocate


def divisions(budget: int, costs: list[int]) -> Iterator[list[int]]:
    """Every way to spend a budget, at least one sample each; the last takes all it can."""
    first, *rest = costs
    if not rest:
        yield [budget // first]
        return
    for n in range(1, (budget - sum(rest)) // first + 1):
        for others in divisions(budget - n * first, rest):
            yield [n, *others]


def variance(counts: list[int], spreads: list[float]) -> float:
    return sum(s * s / n for s, n in zip(spreads, counts, strict=True))


@pytest.mark.parametrize(("prices", "slack"), [([1], 1e-12), ([2], 1e-12), ([1, 2], 0.05)])
def test_is_the_best_of_all_divisions(prices: list[int], slack: float) -> None:
    # with equal costs the optimum itself; with an odd entry that only some can use, within 5 %
    generator = np.random.default_rng(0)
    for _ in range(150):
        k = int(generator.integers(1, 5))
        costs = [int(c) for c in generator.choice(prices, k)]
        spreads = [float(s) for s in generator.exponential(size=k) * 10 ** generator.uniform(-2, 1, k)]
        budget = int(sum(costs) + generator.integers(0, 20))
        found = allocate(budget, costs, spreads)
        assert sum(c * n for c, n in zip(costs, found, strict=True)) <= budget
        assert min(found) >= 1
        best = min(variance(counts, spreads) for counts in divisions(budget, costs))
        assert variance(found, spreads) <= best * (1 + slack)


def test_follows_neyman() -> None:
    assert allocate(600, [1, 1, 1], [1, 2, 3]) == [100, 200, 300]
    counts = allocate(3000, [1, 2], [1, 1])
    assert counts[0] / counts[1] == pytest.approx(np.sqrt(2), rel=0.01)


def test_nothing_is_left_that_would_help() -> None:
    for budget in range(5, 60):
        assert budget - np.dot(allocate(budget, [2, 2, 1], [3, 1, 0.01]), [2, 2, 1]) == 0


def test_without_spread_one_sample_is_enough() -> None:
    assert allocate(100, [1, 2], [0, 1]) == [1, 49]
    assert allocate(100, [1, 2], [0, 0]) == [1, 1]
    assert allocate(10, [], []) == []


def test_small_spreads_still_get_a_sample() -> None:
    counts = allocate(50, [2, 2, 2], [1, 1e-9, 1e-12])
    assert counts == [23, 1, 1]


@pytest.mark.parametrize("unit", [2.0**-600, 2.0**600, 2.0**1000])
def test_squares_of_spreads_need_not_be_floats(unit: float) -> None:
    assert allocate(50, [2, 2, 1], [unit, 3 * unit, unit / 7]) == allocate(50, [2, 2, 1], [1, 3, 1 / 7])


def test_a_budget_too_small() -> None:
    assert allocate(4, [2, 2], [1, 5]) == [1, 1]
    with pytest.raises(ValueError, match="smaller than one sample"):
        allocate(3, [2, 2], [1, 5])


def test_many_strata() -> None:
    spreads = np.random.default_rng(0).exponential(size=5000)
    counts = allocate(100_000, [2] * 5000, spreads.tolist())
    assert sum(counts) == 50_000
    assert len(counts) == 5000
