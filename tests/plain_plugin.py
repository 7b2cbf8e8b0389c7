"""A plug-in in a module whose annotations are types, not text: without `from __future__ import annotations`."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kernelspec.distributions.numerical import FromDensity
from kernelspec.expressions.arguments import Scalar, Value, real

__all__ = ["PlainRayleigh"]


@dataclass(frozen=True, kw_only=True)
class PlainRayleigh(FromDensity):
    """x/s² e^{−x²/2s²}."""

    name: ClassVar[str] = "plain_rayleigh"
    formula: ClassVar[str] = "x/s² e^{−x²/2s²}"
    reference: ClassVar[str] = "none"

    s: Scalar = real(1, above=0)

    def density(self, x: Value) -> Value:
        """At x ≥ 0."""
        return x / float(self.s) ** 2 * np.exp(-(x**2) / 2 / float(self.s) ** 2)
