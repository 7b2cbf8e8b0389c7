"""Compositional kernels: trees and grids of layers over mixed kernels, with rows to evaluate them on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

import hypothesis.strategies as st
import numpy as np
from hypothesis.extra import numpy as arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ENTIRE", "HEAVY", "KINKED", "Convolution", "Grid", "Layer", "Network", "Part", "grids", "layers", "rows_of"]


@dataclass(frozen=True)
class Part:
    """`kernel`, a text, on the columns from `start` to `stop`, which hold what `kind` says."""

    kernel: str
    kind: str
    start: int
    stop: int

    def kinds(self) -> dict[range, str]:
        """What its columns hold."""
        return {range(self.start, self.stop): self.kind}

    def __str__(self) -> str:
        return f"{self.kernel}[{self.start}:{self.stop}]"


@dataclass(frozen=True)
class Layer:
    """σ̂ of the mean of what lies below; `activation` is σ as a text."""

    activation: str
    below: tuple[Layer | Part, ...]

    def kinds(self) -> dict[range, str]:
        """What the columns of each part below hold."""
        return {columns: kind for node in self.below for columns, kind in node.kinds().items()}

    def __str__(self) -> str:
        name = "layer" if len(self.below) > 1 else "dual"
        return f"{name}({self.activation}, {', '.join(map(str, self.below))})"


@dataclass(frozen=True)
class Convolution:
    """σ̂ of the mean over windows of size × size places, every `stride` places."""

    activation: str
    size: int
    stride: int
    padding: str

    def over(self, shown: str) -> str:
        """The text, with that of the grid below."""
        return f"conv({self.activation}, size={self.size}, stride={self.stride}, padding={self.padding}, input={shown})"


@dataclass(frozen=True)
class Grid:
    """σ̂ of the mean over a whole grid, above convolutions over height × width places of `channels` nodes `kernel`."""

    height: int
    width: int
    channels: int
    kernel: str
    kind: str
    convolutions: tuple[Convolution, ...]
    activation: str

    def kinds(self) -> dict[range, str]:
        """What each column holds."""
        return {range(i, i + 1): self.kind for i in range(self.height * self.width * self.channels)}

    def __str__(self) -> str:
        shown = f"image({self.height}, {self.width}, {self.channels}, base={self.kernel})"
        for convolution in self.convolutions:
            shown = convolution.over(shown)
        return f"full({self.activation}, input={shown})"


Network: TypeAlias = Layer | Grid
"""A compositional kernel."""


ENTIRE: Mapping[str, float] = MappingProxyType(
    {
        "cos(1)": 0.76,
        "exp(c=0.5)": 0.5,
        "exp(c=1)": 1,
        "exp(c=2)": 2,
        "hermite(2)": 2,
        "hermite(3)": 3,
        "identity": 1,
        "polynomial([1, 0.5, 0.5])": 0.42,
        "sin(1)": 1.3,
    }
)
"""Activations whose duals are entire functions, with the expected degree, roughly."""

KINKED: Mapping[str, float] = MappingProxyType(
    {"abs": 1, "erf": 1.2, "gaussian(a=0.5)": 0.33, "gelu": 1.1, "leaky_relu(slope=0.1)": 1, "relu": 1}
)
"""Activations whose duals have a finite radius of convergence, or none that is known, and a finite expected degree."""

HEAVY = ("sign", "step")
"""Activations of infinite expected degree."""

_DRAWN_AT_ONCE = ("circle()", "gaussian(scale=1)", "gaussian(scale=2)")
"""Kernels on numbers of which millions are multiplied in one draw, as heavy degrees need."""

_PARTS: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        "binary()": ("signs", 1),
        "cauchy(scale=1.5)": ("numbers", 2),
        "circle()": ("numbers", 1),
        "gaussian(scale=1)": ("numbers", 3),
        "gaussian(scale=2)": ("numbers", 3),
        "laplace(scale=2)": ("numbers", 3),
        "match()": ("categories", 2),
        "minmax()": ("sizes", 3),
    }
)
"""What the columns hold, and the largest number of them."""

_VECTORS: Mapping[str, tuple[str, int]] = MappingProxyType(
    {"normalize(linear())": ("vectors", 4), "sphere()": ("unit vectors", 4)}
)
"""Kernels whose samples are not bounded by one: only entire duals of them have samples of finite variance."""

_PIXELS: Mapping[str, str] = MappingProxyType(
    {
        "binary()": "signs",
        "circle()": "numbers",
        "gaussian(scale=1)": "numbers",
        "gaussian(scale=2)": "numbers",
        "laplace(scale=2)": "numbers",
        "match()": "categories",
    }
)

_BOUNDED = MappingProxyType({**ENTIRE, **KINKED})

_LEAST, _MOST = 0.3, 8.0
"""The expected number of factors along a path: fewer would hardly ever vary, more hardly ever be seen."""


@st.composite
def layers(draw: st.DrawFn, *, max_depth: int = 4, max_parts: int = 6) -> Layer:
    """Trees of layers, at most so deep, over at most so many catalogue kernels of all kinds.

    Heavy tails come above kernels that are drawn at once; sphere() and linear() below one or two entire duals.
    """
    writer = _Trees(draw, vectors=draw(st.integers(0, 3)) == 0)
    return writer.layer(min(max_depth, 2) if writer.vectors else max_depth, max_parts, 1.0)


@st.composite
def grids(draw: st.DrawFn, *, max_depth: int = 4) -> Grid:
    """Grids of at most 4 × 4 × 2 columns, with at most `max_depth` layers, of all strides and both paddings."""
    height, width = (draw(st.sampled_from([3, 4, 2, 1, 4, 3])) for _ in range(2))
    channels = draw(st.integers(1, 2))
    kernel = draw(st.sampled_from(list(_PIXELS)))
    depth = draw(st.integers(1, max_depth))
    heavy = draw(st.integers(0, depth)) if kernel != "laplace(scale=2)" else 0  # 0: none of the layers
    activations, growth = [], 1.0
    for i in range(1, depth + 1):
        if i == heavy:
            activations.append(draw(st.sampled_from(HEAVY)))
        else:
            # of gelu no more degrees are drawn than one by one
            name, mean = _activation(draw, _BOUNDED, growth, left_out="gelu" if heavy else "")
            activations.append(name)
            growth *= mean
    convolutions, side = [], (height, width)
    for name in activations[:-1]:
        padding = draw(st.sampled_from(["valid", "same"]))
        most = min(3, *side) if padding == "valid" else 3
        size = draw(st.sampled_from([size for size in (2, 3, 1, 3, 2) if size <= most]))
        convolution = Convolution(name, size, draw(st.sampled_from([1, 2, 1, 3])), padding)
        convolutions.append(convolution)
        lost = size - 1 if padding == "valid" else 0
        side = (-(-(side[0] - lost) // convolution.stride), -(-(side[1] - lost) // convolution.stride))
    return Grid(height, width, channels, kernel, _PIXELS[kernel], tuple(convolutions), activations[-1])


def rows_of(network: Network, n: int) -> st.SearchStrategy[NDArray[np.float64]]:
    """n rows on which a compositional kernel is defined; categories and numbers repeat."""
    kinds = network.kinds()
    ordered = sorted(kinds, key=lambda columns: columns.start)
    return st.tuples(*(_columns(kinds[columns], n, len(columns)) for columns in ordered)).map(np.hstack)


def _columns(kind: str, n: int, dim: int) -> st.SearchStrategy[NDArray[np.float64]]:
    quarters = st.integers(-8, 8).map(lambda quarter: quarter / 4)
    entries = {
        "signs": st.sampled_from([-1.0, 1.0]),
        "numbers": quarters,
        "categories": st.integers(0, 2).map(float),
        "sizes": st.integers(1, 8).map(lambda quarter: quarter / 4),
        "vectors": quarters,
        "unit vectors": quarters,
    }
    tables = arrays.arrays("float64", (n, dim), elements=entries[kind])
    if "vectors" not in kind:
        return tables
    tables = tables.map(lambda rows: np.where((rows == 0).all(axis=1, keepdims=True), 1.0, rows))
    return tables.map(lambda rows: rows / np.linalg.norm(rows, axis=1, keepdims=True)) if kind[0] == "u" else tables


def _activation(draw: st.DrawFn, known: Mapping[str, float], growth: float, *, left_out: str = "") -> tuple[str, float]:
    """An activation that keeps the number of factors in bounds, and its expected degree."""
    names = [name for name, mean in known.items() if _LEAST <= growth * mean <= _MOST and name != left_out]
    name = draw(st.sampled_from(names))
    return name, known[name]


class _Trees:
    """Writes one tree, column after column."""

    def __init__(self, draw: st.DrawFn, *, vectors: bool) -> None:
        self.draw, self.vectors, self.width = draw, vectors, 0
        self.blocks: list[tuple[str, int, int]] = []

    def layer(self, depth: int, parts: int, growth: float) -> Layer:
        """A layer of at most such a depth over at most so many parts."""
        draw = self.draw
        if not self.vectors and draw(st.integers(0, 6)) == 0:
            below = [
                self.part(draw(st.sampled_from(_DRAWN_AT_ONCE))) for _ in range(draw(st.integers(1, min(2, parts))))
            ]
            return Layer(draw(st.sampled_from(HEAVY)), tuple(below))
        name, mean = _activation(draw, ENTIRE if self.vectors else _BOUNDED, growth)
        nodes: list[Layer | Part] = []
        many = draw(st.integers(1, min(3, parts)))
        for i in range(many):
            share = parts // many + (i < parts % many)
            if depth > 1 and draw(st.integers(0, 2)) > 0:
                nodes.append(self.layer(depth - 1, share, growth * mean))
            else:
                known = {**_PARTS, **_VECTORS} if self.vectors else _PARTS
                nodes.append(self.part(draw(st.sampled_from(list(known)))))
        return Layer(name, tuple(nodes))

    def part(self, kernel: str) -> Part:
        """A kernel on columns of its own, or on some that hold what it reads already."""
        kind, most = {**_PARTS, **_VECTORS}[kernel]
        shared = [(start, stop) for held, start, stop in self.blocks if held == kind and stop - start <= most]
        again = bool(shared) and self.draw(st.booleans())
        if again:
            held, stop = self.draw(st.sampled_from(shared))
            return Part(kernel, kind, held, stop)
        least = 2 if "vectors" in kind else 1
        start = self.width
        self.width += self.draw(st.integers(least, most))
        self.blocks.append((kind, start, self.width))
        return Part(kernel, kind, start, self.width)
