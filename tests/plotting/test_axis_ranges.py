"""Ranges of axes: those given, and those that come from the kernels."""

from __future__ import annotations

import numpy as np
from scipy import stats

from tests.plotting.reading_figures import curve, plot


def test_ranges_given() -> None:
    left, right = plot("laplace()", lags=(-2, 3), frequencies=(1, 4)).axes
    assert left.get_xlim() == (-2, 3)
    assert right.get_xlim() == (1, 4)
    lags, values = curve(left, "laplace()")
    assert lags[0] == -2
    assert lags[-1] == 3
    assert 0 in lags  # the cusp
    np.testing.assert_allclose(values, np.exp(-np.abs(lags)), rtol=1e-12)


def test_ranges_of_the_slowest_and_the_widest() -> None:
    left, right = plot("gaussian()", "gaussian(scale=5)").axes
    assert np.exp(-(left.get_xlim()[1] ** 2) / 50) <= 0.02
    assert stats.norm.cdf(right.get_xlim()[1]) > 0.995
