"""Formulas beyond the range of floats, against mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kernelspec.expressions.evaluation import scaled_values, value_at, values
from tests.formulas.written import written


@pytest.mark.parametrize(
    "text",
    [
        "t -> exp(-t)",
        "t -> exp(-t**2)/(1 + t)",
        "t -> 2/(exp(t) + exp(-t))",
        "t -> exp(-t)*(2 + cos(t))",
        "t -> sqrt(exp(-3*t))",
        "t -> max(exp(-t), exp(-2*t)) + 1/exp(t)",
        "t -> 2**(-3*t)",
        "t -> exp(-t)**(1 + 1/t)",
        "t -> exp(log(1/t)*t)",
        "t -> 1 - t",
    ],
)
def test_logarithms_of_values(text: str) -> None:
    formula, points = (
        written(text),
        np.array([0.5, 3.0, 40.0, 300.0] if "t**2" in text else [0.5, 3.0, 700.0, 800.0, 5000.0]),
    )
    mantissa, exponent = scaled_values(formula, points)
    for t, m, s in zip(points, mantissa, exponent, strict=True):
        with mpmath.workdps(40):
            ratio = value_at(formula, t) / mpmath.exp(mpmath.mpf(s)) / mpmath.mpf(m)
            assert abs(ratio - 1) < 1e-15 * (10 + abs(s))  # the exponent itself is a float


def test_floats_that_suffice_are_left_alone() -> None:
    formula, points = written("t -> exp(-t)*cos(t)"), np.linspace(0, 40, 9)
    mantissa, exponent = scaled_values(formula, points)
    np.testing.assert_array_equal(mantissa, values(formula, points))
    assert not exponent.any()
