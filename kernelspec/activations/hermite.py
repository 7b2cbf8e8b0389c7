"""Hermite polynomials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from kernelspec.activations.finite_series import FiniteSeries
from kernelspec.notation.arguments import Scalar, integer
from kernelspec.special.floats import floats

__all__ = ["Hermite"]


@dataclass(frozen=True, kw_only=True)
class Hermite(FiniteSeries):
    """σ(x) = He_n(x)/√n!, σ̂(ρ) = ρⁿ: every degree is n. Reference: O'Donnell 2014, section 11.2."""

    name: ClassVar[str] = "hermite"
    formula: ClassVar[str] = "He_n(x)/√n!"
    reference: ClassVar[str] = "O'Donnell 2014, section 11.2"

    n: Scalar = integer(at_least=0, at_most=10_000)

    def terms(self) -> Sequence[tuple[int, Scalar]]:
        return ((int(self.n), 1.0),)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        x = floats(x)
        before, found = np.zeros_like(x), np.ones_like(x)
        for k in range(int(self.n)):
            before, found = found, (x * found - sqrt(k) * before) / sqrt(k + 1)
        return found
