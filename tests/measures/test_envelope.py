"""Positive measures above signed and complex ones."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.measures.cartesian import envelope
from kernelspec.measures.measure import measure_of


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
