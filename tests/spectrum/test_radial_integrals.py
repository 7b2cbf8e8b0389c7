"""Integrals over a density against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.measures.tails import radial_integrals
from tests.spectrum.test_mass_integrals import measure_of_text


@pytest.mark.parametrize(
    ("text", "dim", "power", "real", "modulus"),
    [
        ("gaussian()", 1, 0, 1, 1),
        ("gaussian()", 3, 2, 3, 3),  # E χ²(3)
        ("2*gaussian() - laplace()", 1, 0, 1, None),
        ("tilt(gaussian(), by=1)", 1, 0, 1, None),
    ],
)
def test_against_closed_forms(text: str, dim: int, power: int, real: float, modulus: float | None) -> None:
    found = radial_integrals(measure_of_text(text, dim)[0], power)
    assert abs(found.real - real) <= found.error < 1e-5
    assert found.absolute_real >= abs(found.real) - found.error
    if modulus is not None:
        assert abs(found.modulus - modulus) <= found.error


def test_a_density_that_is_infinite_within_is_not_known() -> None:
    found = radial_integrals(measure_of_text("product(t -> besselj(0, t)) - 0.2*gaussian()", 1)[0])
    assert np.isinf(found.error)
