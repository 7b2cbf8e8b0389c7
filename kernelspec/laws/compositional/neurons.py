"""The dual of an activation sampled by random neurons, and its second moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from kernelspec.activations.activation import Activation
from kernelspec.expressions.arguments import Value
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.of_rows import InnerProduct
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.laws.coordinate import columns_read_by
from kernelspec.laws.law import KernelLaw, Moments, reads_shown
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import Neurons
from kernelspec.samples.frequencies import ColumnRead
from kernelspec.samples.samples import Samples

__all__ = ["NeuronLaw", "low_degrees_of", "neuron_moment", "neuron_moment_expression", "neurons"]

_ANGLES = 48
"""Angles between the inputs at which the moment is integrated; in between it is interpolated by a polynomial."""

_LARGEST_RADIUS = 40.0
_PANELS, _NODES = 40, 12
_NODES_OF_ARC = 40


@lru_cache(maxsize=64)
def low_degrees_of(activation: Activation) -> tuple[float, float]:
    """c_0 and c_1, the coefficients E σ(X) and E X σ(X), over √E σ², of the Hermite polynomials 1 and x in σ/√E σ².

    Their squares are the a_0 and a_1 of the dual, which the activation states; integration gives their signs.
    """
    x, weight = _panels(np.linspace(-_LARGEST_RADIUS, _LARGEST_RADIUS, 2 * _PANELS + 1), _NODES)
    values = weight * np.exp(-0.5 * x**2) * activation.evaluate(x)
    size = np.sqrt(activation.coefficient(np.arange(2.0)))
    return float(np.copysign(size[0], values.sum())), float(np.copysign(size[1], values @ x))


def neuron_moment(activation: Activation, rho: np.ndarray, less: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    """E σ(U)²σ(V)²/(E σ²)² for standard normal U, V of correlation ρ, any shape; for σ/√E σ² − c − c′x with `less` c,
    c′.

    In polar coordinates U = r cos φ, V = r cos(φ − θ), ρ = cos θ, it is a smooth function of θ if σ is smooth except at
    0. Gauss–Legendre on the four arcs between the zeros of U and V, and in r; interpolated in θ at Chebyshev points.
    """
    from numpy.polynomial import chebyshev

    angle = np.arccos(np.clip(rho, -1.0, 1.0))
    found = chebyshev.chebval(angle * (2 / np.pi) - 1, _coefficients(activation, less))
    return np.asarray(np.maximum(found, 0.0))


def neuron_moment_expression(activation: Activation, rho: Any, less: tuple[float, float] = (0.0, 0.0)) -> Any:
    """The same in SymPy: closed forms for relu, step, sign and identity, else an unevaluated named function."""
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


@dataclass(frozen=True)
class NeuronLaw(KernelLaw):
    """p = σ(w·x)σ(w·y)/E σ², w ~ N(0, I), on rows of norm 1: E p = σ̂(x·y), a neuron with random weights.

    One real feature; E p² = E σ(U)²σ(V)²/(E σ²)² for normal U, V of correlation x·y, which is finite even if that of
    random monomials is not. `below` is the inner product of rows of norm 1 under the dual, at `positions` of its
    columns. With `is_curved`, the Hermite polynomials 1 and x are subtracted from σ, so that the samples are of (Σ_{l ≥
    2} a_l ρ^l)/(1 − a_0 − a_1). Reference: Cho and Saul 2009; Daniely, Frostig and Singer 2016.
    """

    has_phasor: ClassVar[bool] = False
    has_key: ClassVar[bool] = False
    has_amplitude: ClassVar[bool] = True

    kernel: Dual
    below: InnerProduct
    positions: tuple[int, ...]
    is_curved: bool = False

    def validate(self) -> None:
        super().validate()
        inside = all(0 <= position < self.kernel.dim for position in self.positions)
        if not inside or len(self.positions) != self.below.dim:
            raise ValueError(
                f"neurons on {self.below.dim} columns are applied to {self.positions} of {self.kernel.dim}"
            )

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        reads = self._reads(columns)
        weights = stream.normal("weights", (n, len(reads)))
        drawn = Neurons(self.kernel.activation, reads, weights, *self._less)
        return [Samples(np.arange(n), np.full(n, 1 / self._share), np.ones(n), amplitudes=(drawn,))]

    def value(self, pairs: Pairs) -> Value:
        whole = self.kernel.value(pairs)
        if not self.is_curved:
            return whole
        constant, slope = self._less
        return (whole - constant**2 - slope**2 * self.kernel.base.value(pairs)) / self._share

    def moments(self, pairs: Pairs) -> Moments:
        rho, activation = self.kernel.base.value(pairs), self.kernel.activation
        if isinstance(pairs, NumericPairs):
            second = neuron_moment(activation, np.asarray(rho, dtype=float), self._less) / self._share**2
        else:
            second = neuron_moment_expression(activation, rho, self._less) / self._share**2
        return Moments(second, second, second)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        chosen = tuple(columns[i] for i in self.positions)
        shown = reads_shown(self._reads(columns), chosen, names)
        given = ", less what is constant and linear in them" if self.is_curved else ""
        return [f"neurons {self.kernel.activation} with normal weights on columns {shown}{given}"]

    @property
    def _less(self) -> tuple[float, float]:
        """What is subtracted from the activation: c_0 and c_1."""
        return low_degrees_of(self.kernel.activation) if self.is_curved else (0.0, 0.0)

    @property
    def _share(self) -> float:
        """1 − a_0 − a_1 if these are subtracted."""
        return 1.0 - sum(c**2 for c in self._less)

    def _reads(self, columns: tuple[int, ...]) -> tuple[ColumnRead, ...]:
        return columns_read_by(self.below, tuple(columns[i] for i in self.positions))


def neurons(kernel: Kernel) -> NeuronLaw | None:
    """The scheme "neurons", for dual(…) of sphere() or normalize(linear()), perhaps on some of the columns."""
    if not isinstance(kernel, Dual):
        return None
    below = kernel.base
    positions = tuple(range(below.dim)) if isinstance(below.dim, int) else ()
    while isinstance(below, Select):
        positions = tuple(positions[i] for i in below.positions) if positions else below.positions
        below = below.base
    return NeuronLaw(kernel, below, positions) if isinstance(below, InnerProduct) and below.has_unit_rows else None
