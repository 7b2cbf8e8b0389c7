"""B of the polar estimator of a sinh kernel, by integration over the plane."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaves.gaussian_directions import SinhGaussian
from kernelspec.laws.polar import DoubledPhase
from kernelspec.measures.measure import measure_of


def test_against_integration_over_frequencies() -> None:
    kernel, lag = SinhGaussian(scale=0.8, by=(0.9, -0.5), dim=2), np.array([0.3, 0.4])

    # sums over a lattice: an error below 1e-16 for what is smooth and falls as exp(-0.3 ω²)
    points = np.arange(-12, 12, 0.1)
    omega = np.stack(np.meshgrid(points, points), axis=-1).reshape(-1, 2)
    density = np.asarray(measure_of(kernel).density(omega), dtype=complex)
    expected = 0.1**2 * (np.abs(density) * np.cos(2 * omega @ lag + 2 * np.angle(density))).sum()
    found = NumericPairs.of_vectors(lag[None]).of(DoubledPhase(kernel))
    assert float(found[0]) == pytest.approx(expected, abs=1e-12)


def test_expression() -> None:
    exact = SinhGaussian(scale=sympy.Rational(4, 5), by=(sympy.Rational(9, 10), sympy.Rational(-1, 2)), dim=2)
    frequency = SymbolicPairs.frequency(2)
    stated = sympy.lambdify(frequency.components(), frequency.of(DoubledPhase(exact)), "scipy")
    numeric = SinhGaussian(scale=0.8, by=(0.9, -0.5), dim=2)
    assert stated(0.3, 0.4) == pytest.approx(
        float(NumericPairs.of_vectors(np.array([[0.3, 0.4]])).of(DoubledPhase(numeric))[0]), abs=1e-9
    )
