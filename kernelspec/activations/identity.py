"""The identity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.activations.finite_series import FiniteSeries

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar

__all__ = ["Identity"]


@dataclass(frozen=True, kw_only=True)
class Identity(FiniteSeries):
    """σ(x) = x, σ̂(ρ) = ρ: every degree is one."""

    name: ClassVar[str] = "identity"
    formula: ClassVar[str] = "x"
    reference: ClassVar[str] = "Daniely, Frostig and Singer 2016"

    def terms(self) -> Sequence[tuple[int, Scalar]]:
        return ((1, 1.0),)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.array(x, dtype=float)
