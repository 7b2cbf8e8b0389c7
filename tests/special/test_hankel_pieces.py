"""Transforms of functions of the distance, against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special

from kernelspec.special.hankel_pieces import hankel_pieces

RADII = np.array([1e-3, 0.1, 1.0, 3.0, 10.0, 47.3, 300.0, 1e4])


def spherical(r: np.ndarray) -> np.ndarray:
    return 1 - 1.5 * np.minimum(r, 1) + 0.5 * np.minimum(r, 1) ** 3


def circular(r: np.ndarray) -> np.ndarray:
    h = np.minimum(r, 1)
    return 2 / np.pi * (np.arccos(h) - h * np.sqrt(1 - h * h))


BALLS: dict[str, tuple[Any, int, Any]] = {
    "Gaussian on 1": (lambda r: np.exp(-r * r / 2), 1, lambda w: special.gammainc(0.5, w * w / 2)),
    "Gaussian on 2": (lambda r: np.exp(-r * r / 2), 2, lambda w: special.gammainc(1, w * w / 2)),
    "Gaussian on 4": (lambda r: np.exp(-r * r / 2), 4, lambda w: special.gammainc(2, w * w / 2)),
    "exponential on 1": (lambda r: np.exp(-r), 1, lambda w: 2 / np.pi * np.arctan(w)),
    "exponential on 2": (lambda r: np.exp(-r), 2, lambda w: 1 - (1 + w * w) ** -0.5),
    "exponential on 3": (lambda r: np.exp(-r), 3, lambda w: 2 / np.pi * (np.arctan(w) - w / (1 + w * w))),
    "rational on 1": (lambda r: 1 / (1 + r * r), 1, lambda w: 1 - np.exp(-w)),
    "rational on 3": (lambda r: 1 / (1 + r * r), 3, lambda w: special.gammainc(2, w)),
}
"""With the distribution functions of the modulus: chi, Cauchy's, and gamma for the rational in space."""


@pytest.mark.parametrize("name", BALLS)
def test_mass_of_balls(name: str) -> None:
    function, dim, exact = BALLS[name]
    values, errors = hankel_pieces(function, np.zeros(1), 1.0, dim).ball(RADII)
    assert (np.abs(values - exact(RADII)) <= errors + 1e-15).all()
    assert errors[:6].max() < 1e-7


@pytest.mark.parametrize(("function", "dim", "volume"), [(circular, 2, np.pi / 4), (spherical, 3, np.pi / 6)])
def test_overlaps_of_balls_have_squared_densities(function: Any, dim: int, volume: float) -> None:
    """|transform of a ball of diameter 1|² / (volume (2π)^d) [Matérn 1960]."""
    ball = (np.pi / RADII) ** (dim / 2) * special.jv(dim / 2, RADII / 2)
    exact = ball**2 / volume / (2 * np.pi) ** dim
    values, errors = hankel_pieces(function, np.array([0.0, 1.0]), 1.0, dim).density(RADII)
    assert (np.abs(values - exact) <= errors + 1e-12 * exact).all()
    assert (errors < 1e-7 * exact[0]).all()


def test_tails_that_fall_below_any_number_before_the_ball_outgrows_them() -> None:
    """(1 + r²)^{−3} on R⁴ is the transform of 2^{−5} π^{−2} ρ K₁(ρ) [DLMF 10.22.46]: the tail counts near 0."""
    rho = np.array([1e-8, 1e-5, 1e-3, 0.5])
    values, errors = hankel_pieces(lambda r: (1 + r * r) ** -3.0, np.zeros(1), 0.5, 4).density(rho)
    exact = rho * special.k1(rho) / 32 / np.pi**2
    assert (np.abs(values - exact) <= errors + 1e-14 * exact).all()
    assert (errors < 1e-9 * exact).all()


def test_values_where_nothing_is_resolved_are_said_to_be_unknown() -> None:
    _, errors = hankel_pieces(lambda r: np.exp(-r), np.zeros(1), 1.0, 1).ball(np.array([1e20]))
    assert errors[0] == np.inf
