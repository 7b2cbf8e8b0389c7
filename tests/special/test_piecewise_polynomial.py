"""Polynomials on panels, against the functions they stand for."""

from __future__ import annotations

import numpy as np

from kernelspec.special.gamma_triangles import PiecewisePolynomial, interpolated


def test_smooth_functions() -> None:
    x = np.linspace(-1, 4.2, 1001)
    approximation = interpolated(np.sin, -1, 4.2, 0.75, 17)
    assert approximation.coefficients.shape == (18, 7)
    np.testing.assert_allclose(approximation(x), np.sin(x), atol=1e-15)


def test_polynomials_are_exact_and_go_on() -> None:
    approximation = interpolated(lambda x: 1 + x**3, 0, 2, 1, 3)
    x = np.array([-1.0, 0.0, 0.5, 1.0, 1.7, 2.0, 3.0])
    np.testing.assert_allclose(approximation(x), 1 + x**3, atol=1e-13)


def test_every_panel_has_its_own_coefficients() -> None:
    steps = PiecewisePolynomial(0.0, 0.5, np.array([[1.0, 2.0], [10.0, 20.0]]))
    assert steps(np.array([[0.0, 0.25], [0.5, 0.75]])).tolist() == [[9.0, 10.0], [18.0, 20.0]]


def test_blocks_leave_no_trace() -> None:
    x = np.random.default_rng(5).uniform(0, 3, 50_001)
    approximation = interpolated(np.exp, 0, 3, 1, 12)
    np.testing.assert_array_equal(approximation(x)[::777], approximation(x[::777]))
    assert approximation(np.zeros((0, 4))).shape == (0, 4)
