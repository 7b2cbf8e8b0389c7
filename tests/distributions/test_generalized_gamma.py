"""Tests of `distributions/generalized_gamma.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import scipy.stats
import sympy

from kernelspec.distributions.generalized_gamma import GeneralizedGamma, generalized_gamma_transform
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.special.gamma_triangles import gamma_triangles_transform
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

    def stacy(self) -> tuple[Scalar, Scalar, Scalar]:
        return self.a, self.k, self.unit_length


test_standard = standard_positive_tests(
    [
        (Stacy(a=2.3, k=1.7, unit_length=0.6), scipy.stats.gengamma(2.3, 1.7, scale=0.6)),
        (Stacy(a=0.8, k=3.0), scipy.stats.gengamma(0.8, 3.0)),
    ]
)


@pytest.mark.slow
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


W = sympy.Symbol("w", positive=True)
THETA = sympy.Symbol("theta", positive=True)


@pytest.mark.slow
def test_whole_shapes_of_gamma() -> None:
    one, two = sympy.Integer(1), sympy.Integer(2)
    x = THETA * W
    assert generalized_gamma_transform(one, one, THETA, W) == sympy.log(1 + x**2) / (THETA * W**2)
    assert generalized_gamma_transform(two, one, THETA, W) == 2 * THETA / (1 + x**2)
    third = generalized_gamma_transform(sympy.Integer(3), one, THETA, W)
    by_hand = (1 - sympy.re(sympy.expand_complex((1 - sympy.I * x) ** -2))) / (THETA * W**2)
    assert sympy.simplify(sympy.expand_trig(third) - by_hand) == 0


@pytest.mark.parametrize("order", [3, 5, 12])
def test_whole_shapes_are_defined_at_zero(order: int) -> None:
    """There φ̂(0) = E R = aλ; elsewhere 2/(λ(a−1)ω²) · (1 − Re(1 − iλω)^{1−a})."""
    at = sympy.Rational(3, 2)
    found = generalized_gamma_transform(sympy.Integer(order), sympy.Integer(1), sympy.Integer(2), W)
    assert found.subs(W, 0) == 2 * order
    expected = (1 - ((1 - 2j * float(at)) ** (1 - order)).real) / ((order - 1) * float(at) ** 2)
    assert float(found.subs(W, at)) == pytest.approx(expected, rel=1e-13)


def test_a_symbol_for_the_shape_of_gamma_may_become_one() -> None:
    shape = sympy.Symbol("s", positive=True)
    written = generalized_gamma_transform(shape, sympy.Integer(1), THETA, W)
    assert written.subs(shape, 1) == sympy.log(1 + THETA**2 * W**2) / (THETA * W**2)


@pytest.mark.long
@pytest.mark.parametrize(("order", "power"), [("1.0", "1.3"), ("2.2", "1.5"), ("1.0", "4.0"), ("0.7", "3.0")])
def test_integrals_on_the_line(order: str, power: str) -> None:
    written = generalized_gamma_transform(sympy.Float(order), sympy.Float(power), sympy.Integer(1), sympy.Float(1.7))
    found = gamma_triangles_transform(float(order), float(power), np.array(1.7))
    assert float(written.evalf(15)) == pytest.approx(float(found), rel=1e-12)
