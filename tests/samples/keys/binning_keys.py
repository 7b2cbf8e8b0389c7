"""Keys of random grids with pitches between one and two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.laws.keys import BinningLaw
from kernelspec.random.streams import Stream
from kernelspec.samples.keys import BinningKey

__all__ = ["OneToTwo", "drawn", "law_of_pitches"]


@dataclass(frozen=True)
class OneToTwo:
    """The uniform law on (1, 2)."""

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return 1 + stream.generator("uniform").random(shape)

    def __str__(self) -> str:
        return "uniform(1, 2)"


def law_of_pitches(d: int) -> BinningLaw:
    """The law with these pitches; the draw does not ask for its kernel."""
    return BinningLaw(Laplace(dim=d), OneToTwo())  # type: ignore[arg-type]


def drawn(n: int, d: int, seed: int = 0) -> BinningKey:
    """The key of n samples on d columns."""
    (batch,) = law_of_pitches(d).draw(Stream(seed), n, tuple(range(d)))
    (key,) = batch.keys
    assert isinstance(key, BinningKey)
    return key
