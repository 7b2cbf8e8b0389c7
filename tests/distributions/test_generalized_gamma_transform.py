"""Transforms of the gamma family in SymPy: the exact special cases."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from kernelspec.distributions.generalized_gamma import generalized_gamma_transform
from kernelspec.special.gamma_triangles import gamma_triangles_transform

W = sympy.Symbol("w", positive=True)
THETA = sympy.Symbol("theta", positive=True)


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
def test_rayleigh_is_elementary() -> None:
    written = sympy.hyperexpand(generalized_gamma_transform(sympy.Integer(1), sympy.Integer(2), sympy.Integer(1), W))
    by_hand = 2 * sympy.sqrt(sympy.pi) / W**2 * (1 - sympy.exp(-(W**2) / 4))
    assert sympy.simplify(written - by_hand) == 0


@pytest.mark.long
@pytest.mark.parametrize(("order", "power"), [("1.0", "1.3"), ("2.2", "1.5"), ("1.0", "4.0"), ("0.7", "3.0")])
def test_integrals_on_the_line(order: str, power: str) -> None:
    written = generalized_gamma_transform(sympy.Float(order), sympy.Float(power), sympy.Integer(1), sympy.Float(1.7))
    found = gamma_triangles_transform(float(order), float(power), np.array(1.7))
    assert float(written.evalf(15)) == pytest.approx(float(found), rel=1e-12)
