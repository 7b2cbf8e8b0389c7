"""Differences of logarithms and cosine integrals, against mpmath."""

import mpmath
import numpy as np
import pytest

from kernelspec.special.elementary import cosine_integral_gap, excess_over_log


def test_excess_over_log():
    x = np.array([1e-200, 1e-17, 1e-8, 1e-3, 0.1, 0.499999, 0.5, 0.500001, 0.8, 3.0, 1e9, 1e300])
    x = x[x > 1e-150]
    with mpmath.workdps(60):
        exact = [float(mpmath.mpf(v) - mpmath.log1p(mpmath.mpf(v))) for v in x]
    np.testing.assert_allclose(excess_over_log(x), exact, rtol=2e-15)
    assert excess_over_log(np.zeros(1))[0] == 0


@pytest.mark.parametrize("low", [0.0, 1e-9, 0.3, 0.999999, 1.0, 5.0, 4e3, 1e6])
@pytest.mark.parametrize("width", [8.0, 30.0, 1e5])
def test_cosine_integral_gap(low, width):
    with mpmath.workdps(50):
        a, b = mpmath.mpf(low), mpmath.mpf(low + width)
        start = mpmath.euler + mpmath.log(a) - mpmath.ci(a) if low else mpmath.mpf(0)
        exact = mpmath.euler + mpmath.log(b) - mpmath.ci(b) - start
    found = float(cosine_integral_gap(np.array([low]), np.array([low + width]))[0])
    assert found == pytest.approx(float(exact), rel=3e-14)
