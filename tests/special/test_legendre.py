"""Tests of `special/legendre.py`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import erfcx, gamma, kv, spherical_jn

from kernelspec.special.legendre import (
    absolute_integral,
    legendre_pieces,
    legendre_waves,
    modulus_integral,
)


def test_between_the_zeros() -> None:
    # ∫_0^∞ e^{−t} |sin t| dt = ½ coth(π/2)
    pieces = legendre_pieces(lambda t: np.exp(-t) * np.sin(t), np.zeros(1), 1.0, both_sides=False)
    whole, size = absolute_integral(pieces, pieces.coefficients)
    assert whole == pytest.approx(0.5, abs=1e-13)
    assert size == pytest.approx(0.5 / np.tanh(np.pi / 2), abs=1e-13)


def test_the_modulus_of_a_wave_is_one() -> None:
    pieces = legendre_pieces(lambda t: np.exp((2j - 1) * t), np.zeros(1), 1.0, both_sides=False)
    size, error = modulus_integral(pieces)
    assert size == pytest.approx(1, abs=1e-12)
    assert error < 1e-12


def test_where_the_modulus_comes_to_zero_the_error_is_said() -> None:
    pieces = legendre_pieces(lambda t: (t - 1 + 0j) * np.exp(-t), np.zeros(1), 1.0, both_sides=False)
    size, error = modulus_integral(pieces)
    assert abs(size - 2 / np.e) <= error + 1e-12
    assert error < 1e-4


@pytest.mark.parametrize("place", [1e-3, 1e-5, 0.3])
def test_a_modulus_that_bends_sharply_beside_a_cut(place: float) -> None:
    """∫_{−1}^1 |x − c + iw| dx for w = c², far below the distance of c from the nearest cut."""
    w = place**2
    pieces = legendre_pieces(lambda t: np.asarray(t - place + 1j * w), np.zeros(1), 1.0, both_sides=True, within=1.0)

    def primitive(x: float) -> float:
        return float(x * np.hypot(x, w) + w**2 * np.arcsinh(x / w)) / 2

    found, error = modulus_integral(pieces)
    assert found == pytest.approx(primitive(1 - place) + primitive(1 + place), abs=1e-14)
    assert error < 1e-13


OMEGA = np.array([0.0, 1e-4, 0.3, -2.0, 7.5, 60.0])


def slow_transform(omega: np.ndarray) -> np.ndarray:
    """∫ (1 + t²)^(−3/10) e^{−iωt} dt, ω ≠ 0 [DLMF 10.32.11]."""
    a, w = 0.3, np.abs(omega)
    return 2 * np.sqrt(np.pi) / gamma(a) * (w / 2) ** (a - 0.5) * kv(a - 0.5, w)


CASES: dict[str, tuple[Callable[[np.ndarray], np.ndarray], tuple[float, ...], Callable[[np.ndarray], np.ndarray]]] = {
    "a moved Gaussian": (
        lambda t: np.exp(-((t - 3) ** 2) / 2),
        (3.0,),
        lambda w: np.sqrt(2 * np.pi) * np.exp(-(w**2) / 2 - 3j * w),
    ),
    "two exponentials": (
        lambda t: np.where(t > 0, np.exp(-np.abs(t)), np.exp(-2 * np.abs(t))),
        (0.0,),
        lambda w: 1 / (1 + 1j * w) + 1 / (2 - 1j * w),
    ),
    "a tent at the wrong landmark": (
        lambda t: np.maximum(0, 1 - np.abs(t - 0.3)),
        (0.0,),
        lambda w: np.sinc(w / 2 / np.pi) ** 2 * np.exp(-0.3j * w),
    ),
    "a root and an exponential": (
        lambda t: np.exp(-np.abs(t)) * np.sqrt(np.abs(t)),
        (0.0,),
        lambda w: np.real(np.sqrt(np.pi) / (1 + 1j * w) ** 1.5),
    ),
    "a power that falls slowly": (lambda t: 1 / (1 + t**2), (0.0,), lambda w: np.pi * np.exp(-np.abs(w))),
    "half a Gaussian": (
        lambda t: np.where(t > 0, np.exp(-(t**2)), 0.0),
        (0.0,),
        lambda w: np.sqrt(np.pi) / 2 * erfcx(1j * w / 2),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_transform_is_right_to_the_error_stated(name: str) -> None:
    function, marks, expected = CASES[name]
    values, errors = legendre_pieces(function, np.array(marks), 1.0, both_sides=True).transform(OMEGA)
    assert (np.abs(values - expected(OMEGA)) <= errors + 1e-15).all()
    assert errors.max() < 1e-10


def test_a_function_without_integral_has_its_transform_off_zero() -> None:
    pieces = legendre_pieces(lambda t: (1 + t**2) ** -0.3, np.zeros(1), 1.0, both_sides=False)
    values, errors = pieces.transform(OMEGA[1:])
    assert (np.abs(2 * values.real - slow_transform(OMEGA[1:])) <= 2 * errors).all()
    assert errors.max() < 1e-8
    assert pieces.beyond == np.inf


def test_too_few_pieces_show_in_the_error() -> None:
    pieces = legendre_pieces(
        lambda t: np.cos(300 * t) * np.exp(-(t**2)), np.zeros(1), 1.0, both_sides=True, most_pieces=64
    )
    values, errors = pieces.transform(np.array([0.0, 300.0]))
    expected = np.sqrt(np.pi) * np.array([np.exp(-(150.0**2)), 0.5])
    assert (np.abs(values - expected) <= errors).all()
    assert errors.max() > 1e-6


@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-7])
def test_a_kink_beside_a_cut_is_not_overlooked(gap: float) -> None:
    """Between the end of a piece and its first node."""
    end = 1 - gap
    pieces = legendre_pieces(lambda t: np.maximum(0, end - np.abs(t)), np.zeros(1), 1.0, both_sides=True)
    values, errors = pieces.transform(np.zeros(1))
    assert abs(values[0] - end**2) <= errors[0]
    assert errors[0] < 1e-12


def test_parts_of_the_line_add_up() -> None:
    def function(t: np.ndarray) -> np.ndarray:
        return np.exp(-np.abs(t)) / (1 + t**2)

    whole, within, beyond = (
        legendre_pieces(function, np.zeros(1), 1.0, both_sides=True, **limits).transform(OMEGA)[0]
        for limits in ({}, {"within": 2.5}, {"beyond": 2.5})
    )
    np.testing.assert_allclose(within + beyond, whole, atol=1e-13)


def test_against_scipy() -> None:
    x = np.array([1e-7, -1e-3, 0.5, 3.14159, -7.0, 21.9, 22.1, 400.0])
    degrees = np.arange(24)
    bessel = spherical_jn(degrees, np.abs(x)[:, None]) * np.sign(x)[:, None] ** degrees
    np.testing.assert_allclose(legendre_waves(x), 2 * (-1j) ** degrees * bessel, atol=1e-14)
