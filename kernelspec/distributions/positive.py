"""Laws on (0, ∞): what polya() takes, each with its Polya kernel."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kernelspec.distributions.distribution import Distribution

if TYPE_CHECKING:
    import numpy as np

    from kernelspec.notation.arguments import Scalar

__all__ = ["LARGEST", "SMALLEST", "Positive"]

SMALLEST = 1e-280
LARGEST = 1e280
"""Draws are moved between the two, so that no R is zero or infinite, and quotients by it are floats."""


@dataclass(frozen=True, kw_only=True)
class Positive(Distribution):
    """The law of R > 0, with its Polya kernel φ(t) = E max(0, 1 − |t|/R), of area E R over the line.

    φ(t) = P(R > t) − t E[1/R; R > t] for t ≥ 0; its Fourier transform φ̂(ω) = ∫ e^{−iωt} φ(t) dt is
    (2/ω²) E[(1 − cos Rω)/R], which is E R at ω = 0. Reference: Feller 1971, section XV.3.
    """

    @abstractmethod
    def inverse_mean(self) -> Scalar:
        """M = E[1/R]; infinite where too much mass is near zero."""

    @abstractmethod
    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        """φ(t) as floats for t ≥ 0, to a relative error of 1e-12 from t = 0 to the smallest values."""

    @abstractmethod
    def polya_kernel_expression(self, lag: Any) -> Any:
        """φ(t) in SymPy, for a non-negative expression t."""

    @abstractmethod
    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        """φ̂(ω) as floats for any real ω, to a relative error of 1e-12 where 1 − Re cf does not cancel further."""

    @abstractmethod
    def polya_transform_expression(self, frequency: Any) -> Any:
        """φ̂(ω) in SymPy: a closed form, or an unevaluated integral where there is none."""

    @property
    def is_symmetric(self) -> bool:
        return False

    def mass_at_zero(self) -> Scalar:
        """P(R = 0), which polya() does not allow."""
        return 0
