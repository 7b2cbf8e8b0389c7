"""The power series at zero: its first coefficients are moments, and its bound holds."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.series import zero_series
from tests.measures.algebra.referees import density, gaussian, measure_of_text, product, triangle

N = MultiprecisionNumbers(480)


@pytest.mark.long
def test_against_quadrature() -> None:
    series = zero_series(line_members(measure_of_text("triangle(2)*gaussian(100)"), N), N)
    assert series is not None
    omega = np.array([0.0, 0.5, 3.0, 40.0])
    value, error = series.at(omega)
    k = product(triangle(2), gaussian(100))
    for i, at in enumerate(omega[:3]):
        assert value[i] == pytest.approx(density(k, at, breaks=(-2, 2)), abs=1e-13)
        assert error[i] < 1e-11
    assert not error[3] < 1e-6


def test_not_for_densities() -> None:
    assert zero_series(line_members(measure_of_text("laplace()*cauchy()"), N), N) is None
