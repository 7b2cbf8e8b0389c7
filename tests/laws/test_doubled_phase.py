"""B of the polar estimator of a sinh kernel, by integration over the plane."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.integrate import dblquad

from kernelspec.kernels.leaves.sinh_gaussian import SinhGaussian
from kernelspec.laws.doubled_phase import DoubledPhase
from kernelspec.measures.measure_of import measure_of
from kernelspec.notation.pairs import NumericPairs
from kernelspec.notation.symbolic_pairs import SymbolicPairs


@pytest.mark.slow
def test_against_integration_over_frequencies() -> None:
    kernel, lag = SinhGaussian(scale=0.8, by=(0.9, -0.5), dim=2), np.array([0.3, 0.4])

    def integrand(v: float, u: float) -> float:
        omega = np.array([[u, v]])
        density = complex(measure_of(kernel).density(omega)[0])
        return float(abs(density) * np.cos(2 * (omega @ lag)[0] + 2 * np.angle(density)))

    expected = dblquad(integrand, -9, 9, -9, 9, epsabs=1e-9)[0]
    found = NumericPairs.of_vectors(lag[None]).of(DoubledPhase(kernel))
    assert float(found[0]) == pytest.approx(expected, abs=1e-7)


@pytest.mark.slow
def test_expression() -> None:
    exact = SinhGaussian(scale=sympy.Rational(4, 5), by=(sympy.Rational(9, 10), sympy.Rational(-1, 2)), dim=2)
    frequency = SymbolicPairs.frequency(2)
    at = dict(zip(frequency.components(), (0.3, 0.4), strict=True))
    found = frequency.of(DoubledPhase(exact)).subs(at).evalf()
    numeric = SinhGaussian(scale=0.8, by=(0.9, -0.5), dim=2)
    assert float(found) == pytest.approx(
        float(NumericPairs.of_vectors(np.array([[0.3, 0.4]])).of(DoubledPhase(numeric))[0]), abs=1e-9
    )
