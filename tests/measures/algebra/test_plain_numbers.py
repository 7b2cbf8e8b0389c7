"""SymPy's complex numbers give the values that the two real parts give."""

from __future__ import annotations

import mpmath as mp
import pytest
import sympy

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.numbers import PlainNumbers


@pytest.mark.long
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


@pytest.mark.parametrize("from_below", [False, True])
def test_the_cut_of_the_exponential_integral(from_below: bool) -> None:
    """For a negative number the limit from one side, by E₁ beside the cut."""
    plain, w = PlainNumbers(), sympy.Rational(-3, 2)
    found = complex(plain.exponential_tail(sympy.S.One, w, from_below).evalf(20))
    beside = complex(mp.exp(1 + w) * mp.expint(1, mp.mpc(w, -1e-18 if from_below else 1e-18)))
    assert found == pytest.approx(beside, rel=1e-14)
