"""The uniform bound of complex measures, term by term and there and back."""

from __future__ import annotations

import math

import pytest

from kernelspec.analysis.bounds import JordanMoments, complex_bound, complex_bound_error
from kernelspec.errors import PlanError
from kernelspec.measures.masses import Masses

MASSES = Masses(1.2, 0.2, 0.5, 0.5, 1.5)
MOMENTS = JordanMoments(2.0, 3.0, 4.0)


def test_the_formula() -> None:
    d, eps, delta, diameter = 3, 0.2, 0.01, 5.0
    beta = ((d / 2) ** (-d / (d + 2)) + (d / 2) ** (2 / (d + 2))) * 2 ** ((6 * d + 2) / (d + 2))
    alpha = math.sqrt((1.2**2 + 0.2**2 + 2 * 0.5**2) * (2 + 3 + 2 * 4))
    size = 1.2 + 0.2 + 2 * 0.5
    bracket = math.log(beta / delta) + 2 * d / (d + 2) * math.log(alpha * diameter / eps)
    found = complex_bound(eps, delta, diameter, dim=d, masses=MASSES, moments=MOMENTS)
    assert found.samples == math.ceil(4 * (d + 2) * size**2 / eps**2 * bracket)
    assert found.columns == 6 * found.samples


@pytest.mark.parametrize("n", [10, 1000, 10**6])
def test_the_inverse(n: int) -> None:
    error = complex_bound_error(n, 0.05, 4.0, dim=2, masses=MASSES, moments=MOMENTS)
    assert complex_bound(error * (1 + 1e-9), 0.05, 4.0, dim=2, masses=MASSES, moments=MOMENTS).samples <= n
    assert complex_bound(error * (1 - 1e-6), 0.05, 4.0, dim=2, masses=MASSES, moments=MOMENTS).samples > n


def test_refusals() -> None:
    with pytest.raises(PlanError, match="0 < delta < 1"):
        complex_bound(0.1, 1.0, 1.0, dim=1, masses=MASSES, moments=MOMENTS)
    with pytest.raises(PlanError, match="n of at least 1"):
        complex_bound_error(0, 0.1, 1.0, dim=1, masses=MASSES, moments=MOMENTS)
    with pytest.raises(PlanError, match="infinite"):
        complex_bound(0.1, 0.1, 1.0, dim=1, masses=MASSES, moments=JordanMoments(1.0, math.inf, 0.0))
