"""Tests of `measures/algebra/numbers.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy

from kernelspec.measures.algebra.exact_numbers import PlainNumbers
from kernelspec.measures.algebra.numbers import MultiprecisionNumbers, Tracked, TrackedNumbers

N = MultiprecisionNumbers(50)


def test_the_precision_of_others_is_left_alone() -> None:
    before = mp.mp.dps
    N.exponential(N.number(1))
    assert mp.mp.dps == before


@pytest.mark.parametrize("from_below", [False, True])
def test_the_cut_of_the_exponential_integral(from_below: bool) -> None:
    """For a negative number the limit from one side, by E₁ beside the cut."""
    plain, w = PlainNumbers(), sympy.Rational(-3, 2)
    found = complex(plain.exponential_tail(sympy.S.One, w, from_below).evalf(20))
    beside = complex(mp.exp(1 + w) * mp.expint(1, mp.mpc(w, -1e-18 if from_below else 1e-18)))
    assert found == pytest.approx(beside, rel=1e-14)


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
