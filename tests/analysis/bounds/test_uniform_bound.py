"""Rahimi and Recht's bound: the least number of frequencies that its inequality allows."""

from __future__ import annotations

import math

import pytest

import kernelspec as ks
from kernelspec.analysis.bounds import least_error, uniform_bound
from kernelspec.errors import PlanError


def failure(samples: int, eps: float, diameter: float, dim: int, moment: float) -> float:
    """2⁸ (σ_p l / ε)² exp(−D ε² / (4(d + 2)))."""
    return 2**8 * moment * (diameter / eps) ** 2 * math.exp(-samples * eps**2 / (4 * (dim + 2)))


@pytest.mark.parametrize(
    ("eps", "delta", "diameter", "dim"), [(0.1, 0.05, 3, 2), (0.5, 1e-6, 100, 8), (0.02, 0.5, 1, 1)]
)
def test_the_least_that_suffices(eps: float, delta: float, diameter: float, dim: int) -> None:
    bound = ks.analyze("gaussian(scale=2)", dim=dim).bound(eps, delta, diameter)
    assert failure(bound.samples, eps, diameter, dim, dim / 4) <= delta * (1 + 1e-9)
    assert failure(bound.samples - 1, eps, diameter, dim, dim / 4) > delta
    assert bound.columns == 2 * bound.samples


def test_eps_is_in_units_of_the_kernel() -> None:
    one = ks.analyze("gaussian()", dim=2).bound(0.1, 0.1, 1)
    assert ks.analyze("5*gaussian()", dim=2).bound(0.5, 0.1, 1) == one


def test_a_tolerance_that_anything_meets() -> None:
    assert uniform_bound(1e6, 0.5, 1, dim=1, k0=1, second_moment=1).samples == 1


@pytest.mark.parametrize("text", ["cosine(0)", "gaussian() - gaussian()"])
def test_constants_need_one_frequency(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    assert (facts.bound(0.1, 0.1, 1).samples, facts.bound(0.1, 0.1, 1).columns) == (1, 2)


@pytest.mark.parametrize(
    ("eps", "delta", "diameter"),
    [
        (0, 0.1, 1),
        (math.inf, 0.1, 1),
        (math.nan, 0.1, 1),
        (0.1, 0, 1),
        (0.1, 1, 1),
        (0.1, 0.1, 0),
        (0.1, 0.1, math.inf),
    ],
)
def test_arguments_out_of_range(eps: float, delta: float, diameter: float) -> None:
    with pytest.raises(PlanError, match="a bound needs"):
        ks.analyze("gaussian()", dim=2).bound(eps, delta, diameter)


def test_the_least_error_is_where_the_samples_are_used_up() -> None:
    assert least_error(lambda eps: 3 / eps**2, 1200, 0.1, 1) == pytest.approx(0.05, rel=1e-12)
