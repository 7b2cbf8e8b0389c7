"""What the laws of the gamma family share, on a law that has no name of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import scipy.stats
import sympy

from kernelspec.distributions.generalized_gamma import GeneralizedGamma
from kernelspec.expressions.arguments import Scalar, real
from tests.distributions.standard_positive import standard_positive_tests


@dataclass(frozen=True, kw_only=True)
class Stacy(GeneralizedGamma):
    """All three parameters."""

    name: ClassVar[str] = "stacy"
    formula: ClassVar[str] = "k u^{ak−1} exp(−u^k) / λΓ(a)"
    reference: ClassVar[str] = "Stacy 1962"

    a: Scalar = real(above=0)
    k: Scalar = real(above=0)
    unit_length: Scalar = real(1, above=0)

    def order(self) -> Scalar:
        return self.a

    def power(self) -> Scalar:
        return self.k

    def unit(self) -> Scalar:
        return self.unit_length


test_standard = standard_positive_tests(
    [
        (Stacy(a=2.3, k=1.7, unit_length=0.6), scipy.stats.gengamma(2.3, 1.7, scale=0.6)),
        (Stacy(a=0.8, k=3.0), scipy.stats.gengamma(0.8, 3.0)),
    ]
)


def test_whole_numbers_and_halves_are_exact_in_sympy() -> None:
    t = sympy.Symbol("t", nonnegative=True)
    assert not Stacy(a=1.5, k=2.0, unit_length=3.0).polya_kernel_expression(t).atoms(sympy.Float)
    assert Stacy(a=1.3, k=2.0).polya_kernel_expression(t).atoms(sympy.Float)


@pytest.mark.parametrize("scale", [1e-30, 0.7, 1e30])
def test_the_unit_stretches(scale: float) -> None:
    one, other = Stacy(a=0.4, k=1.2), Stacy(a=0.4, k=1.2, unit_length=scale)
    lags = np.geomspace(1e-3, 100, 40)
    np.testing.assert_allclose(other.polya_kernel(scale * lags), one.polya_kernel(lags), rtol=1e-12)
    np.testing.assert_allclose(other.polya_transform(lags / scale), scale * one.polya_transform(lags), rtol=1e-12)
    np.testing.assert_allclose(other.density(scale * lags), one.density(lags) / scale, rtol=1e-12)
