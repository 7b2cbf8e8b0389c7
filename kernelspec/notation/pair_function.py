"""The least that pairs of rows need to know of a function of them: its numbers and its expression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar
    from kernelspec.notation.pairs import NumericPairs, Pairs

__all__ = ["ExponentialOf", "PairFunction"]


class PairFunction(Protocol):
    """A function of (x, y), written twice: for arrays and for SymPy."""

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        """The values as floats."""

    def expression(self, pairs: Pairs) -> Any:
        """The value as a SymPy expression."""


@dataclass(frozen=True)
class ExponentialOf:
    """e^{β·Δ}, β one entry per column."""

    rates: tuple[Scalar, ...]

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        with np.errstate(over="ignore"):  # infinite far away: what grows like this may
            values: np.ndarray = np.exp(pairs.inner(self.rates))
        return values

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        return sympy.exp(pairs.inner(self.rates))
