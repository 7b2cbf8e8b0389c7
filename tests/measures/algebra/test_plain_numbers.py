"""SymPy's complex numbers give the values that the two real parts give."""

from __future__ import annotations

import pytest
import sympy

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.plain_numbers import PlainNumbers


def test_the_same_values() -> None:
    x, y = sympy.Rational(1, 3), sympy.Rational(7, 5)
    exact, plain = ExactNumbers(), PlainNumbers()
    values = []
    for system in (exact, plain):
        z, e = system.complex(x, y), system.complex(-x, y / 2)
        tail = system.gaussian_tail(e, z, e + z * z)
        found = tail + system.exponential_tail(e, z, False) * system.logarithm(z)
        real, imaginary = system.parts(found + system.inverse_powers([x, y], z) + system.polynomial([y, x], z))
        values.append(complex(real.evalf(20)) + 1j * complex(imaginary.evalf(20)))
    assert values[0] == pytest.approx(values[1], rel=1e-14)
