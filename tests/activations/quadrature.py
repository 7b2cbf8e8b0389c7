"""Expectations under normal laws for the tests of this folder, for functions that are smooth on either side of zero."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["line_mean", "plane_mean"]

Function = Callable[[np.ndarray], np.ndarray]

NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)


def _panels(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    half = np.diff(corners)[:, None] / 2
    return (corners[:-1, None] + half * (1 + NODES)).ravel(), (half * WEIGHTS).ravel()


def line_mean(f: Function) -> float:
    """E f(X)."""
    x, w = _panels(np.linspace(-24, 24, 49))
    return float(w @ (f(x) * np.exp(-(x**2) / 2)) / np.sqrt(2 * np.pi))


def plane_mean(f: Function, rho: float) -> float:
    """E f(X)f(Y), in polar coordinates: X = r cos θ, Y = r cos(θ − α), ρ = cos α, on the sectors between the kinks."""
    alpha = np.arccos(rho)
    cuts = np.sort(np.mod(np.array([1, 3, 1, 3]) * np.pi / 2 + np.array([0, 0, alpha, alpha]), 2 * np.pi))
    angle, turn = _panels(np.append(cuts, cuts[0] + 2 * np.pi))
    r, w = _panels(np.linspace(0, 18, 10))
    inner = f(r[:, None] * np.cos(angle)) * f(r[:, None] * np.cos(angle - alpha)) @ turn
    return float(w @ (r * np.exp(-(r**2) / 2) * inner) / (2 * np.pi))
