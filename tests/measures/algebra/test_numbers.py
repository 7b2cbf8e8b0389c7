"""Tests of `measures/algebra/numbers.py`."""

from __future__ import annotations

from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.measures.algebra.exact_numbers import ClosedCoefficients, ExactComplex, ExactNumbers, PlainNumbers
from kernelspec.measures.algebra.kernel_series import vanishing_jumps
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.numbers import Arithmetic, Coefficients, MultiprecisionNumbers, Tracked, TrackedNumbers
from kernelspec.measures.measure import measure_of
from kernelspec.special.closed_numbers import ClosedNumber


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


N_OF_EXACT_NUMBERS = ExactNumbers()
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
    assert number(N_OF_EXACT_NUMBERS.polynomial(weights, base)) == pytest.approx(powers, rel=1e-13)
    inverse = sum(float(c) / z ** (n + 1) for n, c in enumerate(weights))
    assert number(N_OF_EXACT_NUMBERS.inverse_powers(weights, base)) == pytest.approx(inverse, rel=1e-13)


def test_order_that_depends_on_symbols() -> None:
    a, b = sympy.symbols("a b", positive=True)
    assert N_OF_EXACT_NUMBERS.less(a, a + b) is True
    assert N_OF_EXACT_NUMBERS.less(a + b, a) is False
    assert N_OF_EXACT_NUMBERS.less(a, b) is None


N_OF_TRACKED_NUMBERS = TrackedNumbers()


def plane(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return 10 ** rng.uniform(-3, 2.2, 300) * np.exp(1j * rng.uniform(-np.pi, np.pi, 300))


def exactly(values: np.ndarray) -> Tracked:
    return Tracked(values, np.zeros(values.shape))


@pytest.mark.slow
def test_exponential_integral() -> None:
    z = np.concatenate([plane(0), [-3.0, -20.0, 4.0]])
    found = N_OF_TRACKED_NUMBERS.exponential_tail(exactly(np.zeros(len(z))), exactly(z), False)
    with mp.workdps(100):
        expected = np.array([complex(mp.exp(mp.mpc(v)) * mp.e1(mp.mpc(v))) for v in z])
    assert (np.abs(found.value - expected) <= found.error).all()
    assert (found.error <= 5e-12 * np.abs(expected)).all()


def test_the_cut_from_both_sides() -> None:
    at = exactly(np.array([-2.0 + 0j]))
    above = N_OF_TRACKED_NUMBERS.exponential_tail(exactly(np.zeros(1)), at, False).value
    below = N_OF_TRACKED_NUMBERS.exponential_tail(exactly(np.zeros(1)), at, True).value
    expected = complex(mp.exp(-2) * (-mp.ei(2) - 1j * mp.pi))
    np.testing.assert_allclose(above, expected, rtol=1e-14)
    np.testing.assert_allclose(below, np.conj(expected), rtol=1e-14)


@pytest.mark.long
def test_gaussian_tails() -> None:
    z = plane(1)
    z = z[np.abs(z) < 20]
    exponent = -(np.abs(z) ** 2)
    found = N_OF_TRACKED_NUMBERS.gaussian_tail(exactly(exponent), exactly(z), exactly(exponent + z**2))
    with mp.workdps(200):  # e^{z²} and erfc(z) cancel up to 174 digits
        expected = np.array(
            [complex(mp.exp(mp.mpf(e) + mp.mpc(v) ** 2) * mp.erfc(mp.mpc(v))) for e, v in zip(exponent, z, strict=True)]
        )
    assert (np.abs(found.value - expected) <= 1e-10 * np.abs(expected) + 1e-300).all()


@pytest.mark.parametrize("count", [1, 5])
def test_series_tracked_numbers(count: int) -> None:
    z = plane(2)
    weights = list(np.arange(1.0, count + 1))
    found = N_OF_TRACKED_NUMBERS.polynomial(weights, exactly(z)).value
    np.testing.assert_allclose(found, np.polyval(weights[::-1], z), rtol=1e-12)
    inverse = N_OF_TRACKED_NUMBERS.inverse_powers(weights, exactly(z)).value
    np.testing.assert_allclose(inverse, np.polyval(weights[::-1], 1 / z) / z, rtol=1e-12)


NUMBERS = ClosedCoefficients()


def jumps(text: str, count: int = 6) -> dict[float, list[bool]]:
    measure = measure_of(ks.parse(text).symbolic_kernel(Columns(1)))
    found = vanishing_jumps(line_members(measure, NUMBERS), count)
    return {float(end.enclosed(20)[0]): row for end, row in found.items()}


def test_orders_and_roots() -> None:
    two, root = NUMBERS.number(2), NUMBERS.root(NUMBERS.number(2))
    assert NUMBERS.less(root, two) is True
    assert NUMBERS.smaller(root, two) is root
    assert NUMBERS.larger(root, two) is two
    assert NUMBERS.is_zero(root * root - two, two)
    assert NUMBERS.exponential(ClosedNumber.of(0)) == 1


def test_jumps_of_matern_kernels() -> None:
    assert jumps("laplace()") == {0.0: [True, False, True, False, True, False]}
    assert jumps("matern(3/2)")[0.0][:4] == [True, True, True, False]
    assert jumps("laplace()*cauchy()")[0.0][:2] == [True, False]
    assert jumps("gaussian()") == {}


def test_what_cancels_is_seen_and_what_nearly_does_too() -> None:
    assert jumps("1.5*laplace(0.3) - 0.5*laplace(0.1)")[0.0][:4] == [True, True, True, False]
    assert jumps("1.5*laplace(0.3) - (0.5 + 1e-30)*laplace(0.1)")[0.0][:2] == [True, False]
    assert jumps("laplace() - laplace()*cauchy()")[0.0][:4] == [True, True, True, False]
    assert jumps("triangle()*laplace() - 0.1*triangle()")[1.0][:2] == [True, False]
