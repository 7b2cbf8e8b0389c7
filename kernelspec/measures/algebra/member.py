"""A kernel on a line in the terms of the algebra."""

from __future__ import annotations

from dataclasses import dataclass

from kernelspec.measures.algebra.piecewise import Piecewise

__all__ = ["Member"]


@dataclass(frozen=True)
class Member:
    """A kernel on a line by its pieces: `lag` those of k(t), `frequency` those of its spectral density; one is None."""

    lag: Piecewise | None = None
    frequency: Piecewise | None = None
