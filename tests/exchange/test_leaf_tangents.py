"""Derivatives at lags of zero, where formulas have 0/0: every kernel is 1 there, whatever its arguments are."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks

ROWS = np.array([[0.5, 1.0], [0.5, 1.0], [0.5, 2.0], [-1.0, 1.0]])
"""Two equal rows, and two that are equal in one column."""


@pytest.mark.parametrize(
    "text",
    [
        "gaussian(scale=s)",
        "laplace(scale=s)",
        "exponential(scale=s)",
        "matern(nu=1/2, scale=s)",
        "matern(nu=1.3, scale=s)",
        "matern(nu=5/2, scale=s)",
        "cauchy(scale=s)",
        "rational_quadratic(alpha=s, scale=s)",
        "powered_exponential(alpha=s, scale=s)",
        "triangle(width=4*s)",
        "sinc(bandwidth=s)",
        "periodic(period=s, scale=s)",
        "cosine(by=s)",
        "rbf_cosine(gamma=s)",
        "stretch(laplace(), [s, 1])",
        "stretch(exponential(), [s, s**2])",
        "stretch(sinc(), [1, s])",
        "stretch(powered_exponential(alpha=0.5), s)",
    ],
)
def test_gradients_are_finite_and_zero_where_rows_are_equal(text: str) -> None:
    kernel = ks.to_sklearn(f"param s = 1.3\n{text}")
    value, gradient = kernel(ROWS, eval_gradient=True)
    assert np.isfinite(gradient).all()
    np.testing.assert_array_equal(gradient[[0, 0, 1, 1, 2, 3], [0, 1, 0, 1, 2, 3], 0], 0)
    assert np.abs(gradient).max() > 0
    step = 1e-5
    up, down = (kernel.clone_with_theta(kernel.theta + h)(ROWS) for h in (step, -step))
    np.testing.assert_allclose(gradient[..., 0], (up - down) / (2 * step), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(value, kernel(ROWS), rtol=1e-13)
