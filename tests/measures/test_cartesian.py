"""Real and imaginary parts and polar forms of densities in SymPy."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.measures.cartesian import cartesian, polar
from kernelspec.measures.measure import measure_of

TEXTS = [
    "gaussian() - 2 * laplace()",
    "shift_gaussian(by=[1, 0.5])",
    "sinh_gaussian(by=0.5)",
    "cosh_gaussian(by=0.5)",
    "shift(laplace(), [1, 2]) - 0.5 * shift_gaussian(by=1)",
    "shift(shift_gaussian(by=1) + gaussian(), [1, 2])[1, 0]",
    "stretch(shift(laplace(), 1), 2)",
    "tilt(laplace(), 0.5)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_against_the_numbers(text: str) -> None:
    spec = ks.parse(text)
    columns = spec.columns(2)
    measure = measure_of(spec.symbolic_kernel(columns))
    frequency = SymbolicPairs.frequency(2)
    real, imaginary = cartesian(measure, frequency)
    modulus, argument = polar(measure, frequency)
    omega = np.array([[0.4, -0.7], [1.3, 0.2]])
    exact = measure_of(spec.kernel(columns)).density(omega)
    for point, value in zip(omega, exact, strict=True):
        at = dict(zip(frequency.components(), map(sympy.Float, point), strict=True))
        found = complex(float(real.subs(at).evalf()), float(sympy.S(imaginary).subs(at).evalf()))
        assert found == pytest.approx(complex(value), rel=1e-10)
        turned = complex((modulus * sympy.exp(sympy.I * argument)).subs(at).evalf())
        assert turned == pytest.approx(complex(value), rel=1e-10)
        assert float(modulus.subs(at).evalf()) > 0


def test_known_phases_are_not_reduced() -> None:
    spec = ks.parse("shift_gaussian(by=7)")
    frequency = SymbolicPairs.frequency(1)
    modulus, argument = polar(measure_of(spec.symbolic_kernel(spec.columns(1))), frequency)
    assert argument == 7 * frequency.component(1)
    assert not modulus.has(sympy.I)
