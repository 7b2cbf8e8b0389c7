"""sin x / x."""

from __future__ import annotations

import mpmath
import numpy as np

from kernelspec.special.elementary import sinc


def test_values_to_the_last_digits_up_to_large_arguments() -> None:
    x = np.concatenate([np.geomspace(1e-300, 1e15, 400), np.pi * np.arange(1.0, 50.0), [1e-8, 1e22]])
    with mpmath.workdps(60):
        expected = np.array([float(mpmath.sin(mpmath.mpf(v)) / mpmath.mpf(v)) for v in x])
    np.testing.assert_allclose(sinc(x), expected, rtol=1e-15)


def test_one_at_zero_and_even() -> None:
    x = np.array([0.0, -0.0, 5e-324, 0.3, 7.0])
    np.testing.assert_array_equal(sinc(x)[:3], 1.0)
    np.testing.assert_array_equal(sinc(-x), sinc(x))
    np.testing.assert_array_equal(sinc(np.pi * np.arange(1, 9)).round(15), 0)


def test_shapes_and_integers() -> None:
    assert sinc(np.zeros((2, 0, 3))).shape == (2, 0, 3)
    assert sinc(np.array(2)).shape == ()
    assert sinc(np.array([0, 2])).dtype == np.float64
    assert float(sinc(np.array(2))) == np.sin(2.0) / 2
