"""Ratios of gamma functions, against mpmath and the recurrence."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kernelspec.special.elementary import log_gamma_ratio, stirling_remainder

ARGUMENTS = [10.0, 10.5, 12.25, 17.0, 40.0, 333.3, 1e4, 1e8, 1e15, 1e30]


@pytest.mark.parametrize("x", ARGUMENTS)
def test_stirling_remainder(x: float) -> None:
    with mpmath.workdps(80):
        exact = mpmath.mpf(x)
        main = (exact - 0.5) * mpmath.log(exact) - exact + mpmath.log(2 * mpmath.pi) / 2
        remainder = float(mpmath.loggamma(exact) - main)
    assert stirling_remainder(x) == pytest.approx(remainder, rel=1e-14, abs=2e-16)


@pytest.mark.parametrize("x", [0.01, 0.5, 1.0, 9.99, *ARGUMENTS])
@pytest.mark.parametrize("shift", [0.0, 1e-9, 0.5, 1.0, 3.25, 200.0, 1e5])
def test_ratios_up_and_down(x: float, shift: float) -> None:
    with mpmath.workdps(80):
        exact = mpmath.mpf(x) + mpmath.mpf(shift)
        ratio = float(mpmath.loggamma(exact) - mpmath.loggamma(mpmath.mpf(x)))
    assert log_gamma_ratio(x, shift) == pytest.approx(ratio, rel=1e-13, abs=1e-14)
    if x + shift == exact:
        assert log_gamma_ratio(x + shift, -shift) == pytest.approx(-ratio, rel=1e-13, abs=1e-14)


def test_large_arguments_lose_nothing() -> None:
    # ln Γ(10³⁰ + 1) − ln Γ(10³⁰) = ln 10³⁰, though each logarithm has 68 digits before the point
    assert log_gamma_ratio(1e30, 1.0) == pytest.approx(30 * np.log(10), rel=1e-15)
    assert log_gamma_ratio(1e15, 0.5) == pytest.approx(7.5 * np.log(10), rel=1e-15)


def test_the_two_methods_meet() -> None:
    for x in (9.0, 9.5, 9.999999, 10.0, 10.5):
        assert log_gamma_ratio(x, 1.0) == pytest.approx(np.log(x), rel=1e-14)
        assert log_gamma_ratio(x + 1, -1.0) == pytest.approx(-np.log(x), rel=1e-14)
