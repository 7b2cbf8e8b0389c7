"""Adaptive integration against the normal density, against closed forms."""

from math import erf, exp, gamma, inf, pi, sqrt

import numpy as np
import pytest

from kernelspec.activations.formula import gauss_panels


@pytest.mark.parametrize(
    ("function", "breaks", "mean_square"),
    [
        (np.ones_like, (), 1),
        (lambda x: x**5, (), 945),
        (np.exp, (), exp(2)),
        (lambda x: np.sin(40 * x), (), (1 - exp(-3200)) / 2),
        (np.abs, (0.0,), 1),
        (lambda x: np.sqrt(np.abs(x)), (0.0,), sqrt(2 / pi)),
        (lambda x: np.abs(x) ** -0.2, (0.0,), 2**-0.2 * gamma(0.3) / sqrt(pi)),
        (lambda x: (x > 0.7).astype(float), (0.7,), (1 - erf(0.7 / sqrt(2))) / 2),
        (lambda x: (x > 0.7).astype(float), (), (1 - erf(0.7 / sqrt(2))) / 2),
        (lambda x: np.exp(-500 * x**2), (), 1 / sqrt(2001)),
    ],
)
def test_mean_squares(function, breaks, mean_square) -> None:
    panels = gauss_panels(function, breaks)
    assert panels.mean_square == pytest.approx(mean_square, rel=1e-12)
    assert abs(panels.mean_square - mean_square) <= panels.error + 1e-14 * mean_square
    assert (np.diff(panels.nodes) >= 0).all()


def test_means_are_found_where_only_the_square_is_smooth() -> None:
    panels = gauss_panels(lambda x: np.sqrt(np.abs(x)), (0.0,))
    half = np.exp(-np.square(panels.nodes) / 4) / (2 * pi) ** 0.25
    assert panels.weights @ (panels.values * half) == pytest.approx(2**0.25 * gamma(0.75) / sqrt(pi), rel=1e-13)


@pytest.mark.parametrize("function", [lambda x: 1 / x, lambda x: 1 / (x - 1.03), lambda x: np.full_like(x, inf)])
def test_what_is_not_integrable_has_an_error(function) -> None:
    panels = gauss_panels(function, (0.0,))
    assert not panels.error <= 1e-6 * panels.mean_square
