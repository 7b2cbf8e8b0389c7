"""Laws on (0, ∞): what polya() takes, each with its Polya kernel."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.distributions.distribution import Distribution
from kernelspec.notation.elementary import holds
from kernelspec.notation.infinity import infinity

if TYPE_CHECKING:
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

    def decay_rate(self) -> Scalar:
        """β₀ such that φ(t) e^{βt} is integrable for all β < β₀: ∞ for a bounded R; 0 where none is known."""
        high = self.support()[1]
        return infinity(high) if holds(high < infinity(high)) else 0

    @abstractmethod
    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        """φ(t) as floats for t ≥ 0, to a relative error of 1e-12 from t = 0 to the smallest values."""

    def log_polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        """ln φ(t) at lags (n,) so far out that φ(t) is too small for floats; −∞ where it is 0.

        Here of φ(t) itself, for laws whose φ falls like a power or ends with their support.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.polya_kernel(lag)))

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
