"""A positive law times a number, with the Polya kernel stretched by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.distributions.positive import LARGEST, SMALLEST, Positive
from kernelspec.notation.arguments import Scalar

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["Scaled"]


@dataclass(frozen=True, kw_only=True)
class Scaled(Positive):
    """The law of c·R, c = `factor` > 0: φ(t/c), φ̂ = c φ̂(cω), mean c E R, and E[1/R]/c."""

    name: ClassVar[str] = "scaled"
    formula: ClassVar[str] = "p(x/c) / c"
    reference: ClassVar[str] = "change of variables"

    base: Positive
    factor: Scalar

    def validate(self) -> None:
        """Raise ValueError unless the factor is positive: a law from a file may have any."""
        if not self.factor > 0:
            raise ValueError(f"the factor is {self.factor}")

    def support(self) -> tuple[Scalar, Scalar]:
        low, high = self.base.support()
        return self.factor * low, self.factor * high

    def decay_rate(self) -> Scalar:
        return self.base.decay_rate() / self.factor

    def mean(self) -> Scalar:
        return self.factor * self.base.mean()

    def inverse_mean(self) -> Scalar:
        return self.base.inverse_mean() / self.factor

    def mass_at_zero(self) -> Scalar:
        return self.base.mass_at_zero()

    def density(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self.base.density(np.asarray(x) / self.factor) / self.factor)

    def density_expression(self, x: Any) -> Any:
        return self.base.density_expression(x / self.factor) / self.factor

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        return self.base.polya_kernel(np.asarray(lag) / self.factor)

    def log_polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        return self.base.log_polya_kernel(np.asarray(lag) / self.factor)

    def polya_kernel_expression(self, lag: Any) -> Any:
        return self.base.polya_kernel_expression(lag / self.factor)

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        return np.asarray(self.factor * self.base.polya_transform(self.factor * np.asarray(frequency)))

    def polya_transform_expression(self, frequency: Any) -> Any:
        return self.factor * self.base.polya_transform_expression(self.factor * frequency)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.clip(self.factor * self.base.draw(stream, shape), SMALLEST, LARGEST))
