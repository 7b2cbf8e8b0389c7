"""Complex numbers in two real parts against SymPy's own."""

from __future__ import annotations

import pytest
import sympy

from kernelspec.measures.algebra.exact_numbers import ExactComplex, ExactNumbers

N = ExactNumbers()
Z, W = ExactComplex(sympy.Rational(1, 3), sympy.Integer(2)), ExactComplex(sympy.Integer(-1), sympy.sqrt(2))


def number(z: ExactComplex) -> complex:
    return complex((z.re + sympy.I * z.im).evalf(20))


def test_operations() -> None:
    z, w = number(Z), number(W)
    for found, expected in ((Z + W, z + w), (Z - W, z - w), (Z * W, z * w), (Z / W, z / w), (Z**3, z**3), (-Z, -z)):
        assert number(found) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    "base", [Z, W, ExactComplex(sympy.Integer(2), sympy.S.Zero), ExactComplex(sympy.S.Zero, sympy.Integer(3))]
)
def test_series(base: ExactComplex) -> None:
    weights = [sympy.Integer(2), sympy.sqrt(3), sympy.Integer(-1), sympy.Rational(1, 2)]
    z = number(base)
    powers = sum(float(c) * z**n for n, c in enumerate(weights))
    assert number(N.polynomial(weights, base)) == pytest.approx(powers, rel=1e-13)
    inverse = sum(float(c) / z ** (n + 1) for n, c in enumerate(weights))
    assert number(N.inverse_powers(weights, base)) == pytest.approx(inverse, rel=1e-13)


def test_order_that_depends_on_symbols() -> None:
    a, b = sympy.symbols("a b", positive=True)
    assert N.less(a, a + b) is True
    assert N.less(a + b, a) is False
    assert N.less(a, b) is None
