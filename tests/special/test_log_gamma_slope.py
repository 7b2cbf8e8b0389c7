"""ln Γ(1 + δ) / δ, against mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kernelspec.special.elementary import log_gamma_slope


@pytest.mark.long
@pytest.mark.parametrize("distance", [0.5, -0.5, 0.31, -0.2, 1e-3, -1e-6, 1e-9, -1e-15, 1e-300])
def test_against_mpmath(distance: float) -> None:
    with mpmath.workdps(340):
        delta = mpmath.mpf(distance)
        expected = float(mpmath.loggamma(1 + delta) / delta)
    assert log_gamma_slope(distance) == pytest.approx(expected, rel=1e-15)


def test_at_zero_it_is_minus_eulers_constant() -> None:
    assert log_gamma_slope(0.0) == pytest.approx(-np.euler_gamma, rel=1e-15)
