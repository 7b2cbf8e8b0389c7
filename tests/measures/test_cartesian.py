"""Tests of `measures/cartesian.py`."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.measures.cartesian import cartesian, envelope, polar
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


@pytest.mark.parametrize(
    "text",
    [
        "gaussian() - 2 * laplace()",
        "shift_gaussian(by=1) - 0.5 * shift(laplace(), 2)",
        "stretch(shift(laplace(), 1) - gaussian(), 2)[1, 0]",
        "cosh_gaussian(by=0.5)",
        "sinh_gaussian(by=0.5)",
        "tilt(laplace(), 0.5)",
    ],
)
def test_dominates_up_to_a_constant(text: str) -> None:
    spec = ks.parse(text)
    measure = measure_of(spec.kernel(spec.columns(2)))
    outer = envelope(measure)
    omega = np.random.default_rng(0).standard_normal((50, 2)) * np.geomspace(0.1, 30, 50)[:, None]
    density = outer.density(omega)
    assert not outer.is_complex
    assert (density >= 0).all()
    near = np.sum(omega**2, axis=1) < 200  # the Gaussian underflows beyond
    ratio = np.abs(measure.density(omega))[near] / density[near]
    assert ratio.max() < 5


def test_a_positive_measure_is_its_own() -> None:
    spec = ks.parse("gaussian()")
    measure = measure_of(spec.kernel(spec.columns(2)))
    assert envelope(measure) is measure
