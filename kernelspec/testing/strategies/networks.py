"""Compositional kernels as trees and grids, whose text is that of a spec."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Convolution", "Grid", "Layer", "Network", "Part"]


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
