"""Random binning: the key of a sample is the cell of a random grid that a row falls into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.distributions.positive import Positive
from kernelspec.kernels.leaf import Stationary
from kernelspec.laws.agreement import Agreement
from kernelspec.laws.columns_shown import columns_shown
from kernelspec.samples.keys.binning import BinningKey
from kernelspec.samples.samples import Samples

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.random.streams import Stream

__all__ = ["BinningLaw", "binning"]


@dataclass(frozen=True)
class BinningLaw(Agreement):
    """p = 1[x and y share a bin], E p = ∏ E max(0, 1 − |x_i − y_i|/R), R ~ `pitch` [Rahimi and Recht 2007, section 4].

    The pitch of every sample and column is a draw of that law, the offset uniform within a pitch. Variance k(1 − k).
    """

    kernel: Stationary
    pitch: Positive

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        shape = (n, len(columns))
        pitches = np.asarray(self.pitch.draw(stream.child(0), shape), dtype=np.float64)
        key = BinningKey(pitches, stream.child(1).uniforms("offset", shape), columns)
        return [Samples(np.arange(n), np.ones(n), np.ones(n), None, (key,))]

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        shown = columns_shown(columns, names)
        return [f"key: the bin of a random grid with pitches of {self.pitch} on columns {shown}"]


def binning(kernel: Kernel) -> BinningLaw | None:
    """The scheme "binning": for Polya kernels, mixtures of triangles over a law of pitches."""
    if not isinstance(kernel, Stationary):
        return None
    pitch = kernel.pitch_law()
    return None if pitch is None else BinningLaw(kernel, pitch)
