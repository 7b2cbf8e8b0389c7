"""The second moment of a random neuron's estimate, as a function of the correlation of its two inputs."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation

__all__ = ["low_degrees_of", "neuron_moment", "neuron_moment_expression"]

_ANGLES = 48
"""Angles between the inputs at which the moment is integrated; between them it is a polynomial of the angle."""

_LARGEST_RADIUS = 40.0
_PANELS, _NODES = 40, 12
_NODES_OF_ARC = 40


@lru_cache(maxsize=64)
def low_degrees_of(activation: Activation) -> tuple[float, float]:
    """c_0 and c_1, the coefficients E σ(X) and E X σ(X), over √E σ², of the Hermite polynomials 1 and x in σ/√E σ².

    Their squares are the a_0 and a_1 of the dual, as the activation knows them; their signs are integrated.
    """
    x, weight = _panels(np.linspace(-_LARGEST_RADIUS, _LARGEST_RADIUS, 2 * _PANELS + 1), _NODES)
    values = weight * np.exp(-0.5 * x**2) * activation.evaluate(x)
    size = np.sqrt(activation.coefficient(np.arange(2.0)))
    return float(np.copysign(size[0], values.sum())), float(np.copysign(size[1], values @ x))


def neuron_moment(activation: Activation, rho: np.ndarray, less: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    """E σ(U)²σ(V)²/(E σ²)² for standard normal U, V of correlation ρ, any shape; of σ/√E σ² − c − c′x for `less` c, c′.

    In polar coordinates U = r cos φ, V = r cos(φ − θ), ρ = cos θ: a smooth function of θ where σ is smooth but at 0.
    Gauss–Legendre on the four arcs between the zeros of U and V, and in r; interpolated in θ at Chebyshev's points.
    """
    from numpy.polynomial import chebyshev

    angle = np.arccos(np.clip(rho, -1.0, 1.0))
    found = chebyshev.chebval(angle * (2 / np.pi) - 1, _coefficients(activation, less))
    return np.asarray(np.maximum(found, 0.0))


def neuron_moment_expression(activation: Activation, rho: Any, less: tuple[float, float] = (0.0, 0.0)) -> Any:
    """The same in SymPy: in closed form for relu, step, sign and identity, else a function that is only named."""
    import sympy

    rho = sympy.S(rho)
    angle = sympy.acos(rho)
    if any(less):
        return sympy.Function(f"neuron_moment_{activation.name}_curved")(rho)
    match activation.name:
        case "sign":
            return sympy.S.One
        case "step":
            return 2 * (1 - angle / sympy.pi)
        case "relu":
            return 2 / sympy.pi * (3 * sympy.sin(angle) * rho + (sympy.pi - angle) * (1 + 2 * rho**2))
        case "identity":
            return 1 + 2 * rho**2
    return sympy.Function(f"neuron_moment_{activation.name}")(rho)


@lru_cache(maxsize=64)
def _coefficients(activation: Activation, less: tuple[float, float]) -> np.ndarray:
    """Chebyshev coefficients of the moment as a function of θ on [0, π]."""
    from numpy.polynomial import chebyshev

    points = chebyshev.chebpts1(_ANGLES)
    values = [_at_angle(activation, (point + 1) * np.pi / 2, less) for point in points]
    return np.asarray(chebyshev.chebfit(points, values, _ANGLES - 1))


def _at_angle(activation: Activation, theta: float, less: tuple[float, float]) -> float:
    edges = np.array([-np.pi / 2, theta - np.pi / 2, np.pi / 2, theta + np.pi / 2, 3 * np.pi / 2])
    direction, share = _panels(edges, _NODES_OF_ARC)
    radius, width = _panels(np.linspace(0.0, _LARGEST_RADIUS, _PANELS + 1), _NODES)
    weight = width * radius * np.exp(-0.5 * radius**2) / (2 * np.pi)
    inputs = [np.multiply.outer(radius, np.cos(direction - by)) for by in (0.0, theta)]
    squares = [np.square(activation.evaluate(x) - less[0] - less[1] * x) for x in inputs]
    return float(weight @ (squares[0] * squares[1]) @ share)


def _panels(edges: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights of Gauss–Legendre on the intervals between consecutive edges."""
    point, weight = np.polynomial.legendre.leggauss(nodes)
    half = np.diff(edges) / 2
    middle = edges[:-1] + half
    return (middle[:, None] + half[:, None] * point).ravel(), (half[:, None] * weight).ravel()
