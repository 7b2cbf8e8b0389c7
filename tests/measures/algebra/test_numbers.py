"""Tests of `measures/algebra/numbers.py`."""

from __future__ import annotations

from fractions import Fraction

import mpmath as mp
import pytest
import sympy

from kernelspec.measures.algebra.exact_numbers import ExactNumbers, PlainNumbers
from kernelspec.measures.algebra.numbers import Arithmetic, Coefficients, MultiprecisionNumbers, TrackedNumbers


def operations(protocol: type) -> set[str]:
    return {name for name in vars(protocol) if not name.startswith("_")}


@pytest.mark.parametrize("system", [ExactNumbers(), PlainNumbers(), MultiprecisionNumbers(30), TrackedNumbers()])
def test_arithmetic(system: object) -> None:
    assert all(callable(getattr(system, name, None)) for name in operations(Arithmetic))


@pytest.mark.parametrize("system", [ExactNumbers(), MultiprecisionNumbers(30)])
def test_coefficients(system: object) -> None:
    assert all(callable(getattr(system, name, None)) for name in operations(Coefficients))


N = MultiprecisionNumbers(50)


def test_the_precision_of_others_is_left_alone() -> None:
    before = mp.mp.dps
    N.exponential(N.number(1))
    assert mp.mp.dps == before


@pytest.mark.parametrize("value", [Fraction(1, 3), sympy.Rational(1, 3)])
def test_exact_parameters_stay_exact(value: object) -> None:
    assert abs(N.number(value) * 3 - 1) < N.context.mpf(10) ** -15


def test_what_cancels_is_zero() -> None:
    third = N.number(Fraction(1, 3))
    assert N.is_zero(third + third + third - 1, 1)
    assert not N.is_zero(N.number(1e-30), 1)


def test_differences_of_tails_do_not_cancel_on_the_left() -> None:
    places = (N.complex(-20, 0), N.complex(-19, 0))
    found = N.gaussian_difference((0, 0), places, N.complex(0, 0))
    with mp.workdps(60):
        expected = mp.erfc(19) - mp.erfc(20)
    assert float(abs(found + expected) / expected) < 1e-40 or float(abs(found - expected) / expected) < 1e-40


@pytest.mark.long
def test_the_same_values() -> None:
    x, y = sympy.Rational(1, 3), sympy.Rational(7, 5)
    exact, plain = ExactNumbers(), PlainNumbers()
    values = []
    for system in (exact, plain):
        z, e = system.complex(x, y), system.complex(-x, y / 2)
        tail = system.gaussian_tail(e, z, e + z * z)
        found = tail + system.exponential_tail(e, z, False) * system.logarithm(z)
        found = found + system.inverse_powers([x, y], z) + system.polynomial([y, x], z)
        whole = found.re + sympy.I * found.im if system is exact else found
        values.append(complex(whole.evalf(20)))
    assert values[0] == pytest.approx(values[1], rel=1e-14)


@pytest.mark.parametrize("from_below", [False, True])
def test_the_cut_of_the_exponential_integral(from_below: bool) -> None:
    """For a negative number the limit from one side, by E₁ beside the cut."""
    plain, w = PlainNumbers(), sympy.Rational(-3, 2)
    found = complex(plain.exponential_tail(sympy.S.One, w, from_below).evalf(20))
    beside = complex(mp.exp(1 + w) * mp.expint(1, mp.mpc(w, -1e-18 if from_below else 1e-18)))
    assert found == pytest.approx(beside, rel=1e-14)
