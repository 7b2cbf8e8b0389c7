"""The contract of a law of positive pitches, on the smallest that keeps it: one certain pitch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
import sympy

from kernelspec.distributions.distribution import Distribution, Positive
from kernelspec.errors import NoDensityError, RangeError
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.kernels.leaves.polya import Polya
from kernelspec.kernels.leaves.triangle import Triangle
from kernelspec.random.streams import Stream


@dataclass(frozen=True, kw_only=True)
class Certain(Positive):
    name: ClassVar[str] = "certain"
    formula: ClassVar[str] = "δ(r − a)"
    reference: ClassVar[str] = "none"

    size: Scalar = real(1, above=0)

    def support(self) -> tuple[Scalar, Scalar]:
        return self.size, self.size

    def mean(self) -> Scalar:
        return self.size

    def inverse_mean(self) -> Scalar:
        return 1 / self.size

    def density(self, x: np.ndarray) -> np.ndarray:
        raise NoDensityError("a certain number has no density")

    def density_expression(self, x: Any) -> Any:
        return sympy.DiracDelta(x - self.size)

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        return np.maximum(0, 1 - lag / float(self.size))

    def polya_kernel_expression(self, lag: Any) -> Any:
        return sympy.Max(0, 1 - lag / self.size)

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        return float(self.size) * np.sinc(frequency * self.size / (2 * np.pi)) ** 2

    def polya_transform_expression(self, frequency: Any) -> Any:
        return self.size * sympy.sinc(frequency * self.size / 2) ** 2

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return np.full(shape, float(self.size))


def test_a_law_keeps_the_whole_contract_or_is_none() -> None:
    own = Positive.__abstractmethods__ - Distribution.__abstractmethods__
    assert own == {
        "inverse_mean",
        "polya_kernel",
        "polya_kernel_expression",
        "polya_transform",
        "polya_transform_expression",
    }
    for method in Positive.__abstractmethods__:
        partial = type("Partial", (Certain,), {method: getattr(Positive, method)})
        with pytest.raises(TypeError, match=f"abstract method '?{method}"):
            partial(size=1.0)


def test_pitches_have_no_sign_and_no_mass_at_zero_unless_they_say_so() -> None:
    assert not Certain(size=2.0).is_symmetric
    assert Certain(size=2.0).mass_at_zero() == 0


def test_a_certain_pitch_makes_the_triangle_kernel() -> None:
    polya, triangle = Polya(distribution=Certain(size=1.7), dim=1), Triangle(width=1.7, dim=1)
    lags, frequencies = np.linspace(-3, 3, 41), np.linspace(-20, 20, 41)
    np.testing.assert_allclose(polya.factor(lags), triangle.factor(lags), rtol=1e-15)
    np.testing.assert_allclose(polya.factor_density(frequencies), triangle.factor_density(frequencies), rtol=1e-12)
    np.testing.assert_allclose(polya.draw(Stream(3), 50), triangle.draw(Stream(3), 50), rtol=1e-15)


def test_mass_at_zero_is_refused_where_it_is_known() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Half(Certain):
        def mass_at_zero(self) -> Scalar:
            return self.size / 2

    with pytest.raises(RangeError, match="mass at 0"):
        Polya(distribution=Half(size=1.0), dim=1)
    Polya(distribution=Half(size=sympy.Symbol("s")), dim=1)  # not known yet
