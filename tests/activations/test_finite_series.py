"""Activations with finitely many coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from kernelspec.activations.polynomials import Hermite
from kernelspec.activations.series import FiniteSeries
from kernelspec.expressions.arguments import Scalar
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_proportions


@dataclass(frozen=True, kw_only=True)
class Sparse(FiniteSeries):
    name: ClassVar[str] = "sparse"
    formula: ClassVar[str] = "none"
    reference: ClassVar[str] = "none"

    def terms(self) -> Sequence[tuple[int, Scalar]]:
        return ((0, 0.25), (1, 0.25), (7, 0.375), (900, 0.125))

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        raise NotImplementedError


def test_series_over_gaps() -> None:
    x = np.array([-1.2, -1.0, -0.3, 0.0, 0.99, 1.0, 1.1])
    expected = 0.25 + 0.25 * x + 0.375 * x**7 + 0.125 * x**900
    np.testing.assert_allclose(Sparse().dual_at(x), expected, rtol=1e-13)
    assert float(Sparse().dual_absolute(np.array(4.0))) == np.inf


def test_coefficients_and_slope() -> None:
    assert Sparse().coefficient(np.array([0, 1, 2, 7, 899, 900, 901, 10**12])).tolist() == [
        0.25,
        0.25,
        0,
        0.375,
        0,
        0.125,
        0,
        0,
    ]
    assert Sparse().derivative_at_one() == 0.25 + 7 * 0.375 + 112.5


@pytest.mark.parametrize("weight", [1.0, 0.5, 1.01])
def test_degrees(weight: float) -> None:
    drawn = Sparse().draw_degrees(Stream(1), 100_000, weight)
    masses = np.array([0.25, 0.25 * weight, 0.375 * weight**7, 0.125 * weight**900])
    counts = [(drawn == degree).sum() for degree in (0, 1, 7, 900)]
    assert sum(counts) == 100_000
    assert_proportions(counts, masses / masses.sum(), budget=1e-8)


def test_weights_whose_powers_overflow() -> None:
    assert (Sparse().draw_degrees(Stream(1), 100, 1e9) == 900).all()
    assert (Hermite(n=10_000).draw_degrees(Stream(1), 100, 1e-9) == 10_000).all()
