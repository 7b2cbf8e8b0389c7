"""Floats with a bound on rounding: the special functions against mpmath, everywhere in the plane."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from kernelspec.measures.algebra.numbers import Tracked, TrackedNumbers

N = TrackedNumbers()


def plane(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return 10 ** rng.uniform(-3, 2.2, 300) * np.exp(1j * rng.uniform(-np.pi, np.pi, 300))


def exactly(values: np.ndarray) -> Tracked:
    return Tracked(values, np.zeros(values.shape))


def test_exponential_integral() -> None:
    z = np.concatenate([plane(0), [-3.0, -20.0, 4.0]])
    found = N.exponential_tail(exactly(np.zeros(len(z))), exactly(z), False)
    with mp.workdps(100):
        expected = np.array([complex(mp.exp(mp.mpc(v)) * mp.e1(mp.mpc(v))) for v in z])
    assert (np.abs(found.value - expected) <= found.error).all()
    assert (found.error <= 5e-12 * np.abs(expected)).all()


def test_the_cut_from_both_sides() -> None:
    at = exactly(np.array([-2.0 + 0j]))
    above = N.exponential_tail(exactly(np.zeros(1)), at, False).value
    below = N.exponential_tail(exactly(np.zeros(1)), at, True).value
    expected = complex(mp.exp(-2) * (-mp.ei(2) - 1j * mp.pi))
    np.testing.assert_allclose(above, expected, rtol=1e-14)
    np.testing.assert_allclose(below, np.conj(expected), rtol=1e-14)


@pytest.mark.long
def test_gaussian_tails() -> None:
    z = plane(1)
    z = z[np.abs(z) < 20]
    exponent = -(np.abs(z) ** 2)
    found = N.gaussian_tail(exactly(exponent), exactly(z), exactly(exponent + z**2))
    with mp.workdps(200):  # e^{z²} and erfc(z) cancel up to 174 digits
        expected = np.array(
            [complex(mp.exp(mp.mpf(e) + mp.mpc(v) ** 2) * mp.erfc(mp.mpc(v))) for e, v in zip(exponent, z, strict=True)]
        )
    assert (np.abs(found.value - expected) <= 1e-10 * np.abs(expected) + 1e-300).all()


@pytest.mark.parametrize("count", [1, 5])
def test_series(count: int) -> None:
    z = plane(2)
    weights = list(np.arange(1.0, count + 1))
    found = N.polynomial(weights, exactly(z)).value
    np.testing.assert_allclose(found, np.polyval(weights[::-1], z), rtol=1e-12)
    inverse = N.inverse_powers(weights, exactly(z)).value
    np.testing.assert_allclose(inverse, np.polyval(weights[::-1], 1 / z) / z, rtol=1e-12)
