"""The compiled cosine and sine, against mpmath."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest

from kernelspec.numerics.turns import DOUBLE, SINGLE, sine_of_turns, write_turns

KINDS: list[tuple[Any, float, float]] = [(np.float32, 2e-7, 2.0**23), (np.float64, 3e-16, 2.0**52)]


def pairs(turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    ones, coefficients = np.ones_like(turns), SINGLE if turns.dtype == np.float32 else DOUBLE
    alone, n = np.empty_like(turns), len(turns)
    write_turns(turns[None], ones, coefficients, False, 0, alone[None])
    near, apart = np.empty(2 * n, dtype=turns.dtype), np.empty(2 * max(n, 4096), dtype=turns.dtype)
    write_turns(turns[None], ones, coefficients, True, 0, near[None])
    write_turns(turns[None], ones, coefficients, True, 0, apart[None])
    half = len(apart) // 2
    for cosines, sines in ((near[:n], near[n:]), (apart[:n], apart[half : half + n])):
        assert np.array_equal(cosines, alone, equal_nan=True)
        assert np.array_equal(sines, near[n:], equal_nan=True)
    return near[:n], near[n:]


@pytest.mark.parametrize(("coefficients", "bound"), [(DOUBLE, 2e-16), (SINGLE, 1e-7)], ids=["double", "single"])
def test_sine_of_turns(coefficients: tuple[float, ...], bound: float) -> None:
    kind = type(coefficients[0]) if coefficients is SINGLE else np.float64
    points = np.concatenate([np.linspace(-0.25, 0.25, 501), [1e-30, -1e-9]]).astype(kind)
    for v in points:
        exact = mp.sin(2 * mp.pi * mp.mpf(float(v)))
        assert abs(float(sine_of_turns(v, coefficients)) - exact) <= bound * max(abs(exact), mp.mpf(1e-300)) * 2


def assert_near(turns: np.ndarray, bound: float) -> None:
    cosines, sines = pairs(turns)
    with mp.workdps(40):
        for t, c, s in zip(turns.tolist(), cosines.tolist(), sines.tolist(), strict=True):
            angle = 2 * mp.pi * mp.frac(mp.mpf(t))
            assert abs(c - mp.cos(angle)) <= bound, t
            assert abs(s - mp.sin(angle)) <= bound, t


def over_decades(count: int, kind: Any) -> np.ndarray:
    """Numbers of both signs over twelve decades, to 10⁶ radians."""
    generator = np.random.default_rng(5)
    size = 10 ** generator.uniform(-6, 6, count) / (2 * np.pi)
    return (size * generator.choice([-1.0, 1.0], count)).astype(kind)


@pytest.mark.parametrize(("kind", "bound", "largest"), KINDS)
def test_errors_over_twelve_decades(kind: Any, bound: float, largest: float) -> None:
    assert_near(over_decades(1000, kind), bound)
    eighths = np.arange(-17, 18, dtype=kind) / 8
    assert_near(np.concatenate([eighths, np.nextafter(eighths, np.inf), np.nextafter(eighths, -np.inf)]), bound)


@pytest.mark.long
@pytest.mark.parametrize(("kind", "bound", "largest"), KINDS)
def test_errors_of_many(kind: Any, bound: float, largest: float, thorough: bool) -> None:
    assert_near(over_decades(100_000 if thorough else 20_000, kind), bound)


@pytest.mark.parametrize(("kind", "bound", "largest"), KINDS)
def test_every_number_beyond_the_last_fraction_is_whole(kind: Any, bound: float, largest: float) -> None:
    whole = np.array([largest, largest + 1, 3e20, np.finfo(kind).max, -largest, -np.finfo(kind).max], dtype=kind)
    cosines, sines = pairs(whole)
    assert (cosines == 1).all()
    assert (sines == 0).all()
    halves = np.array([largest / 2 + 0.5, -largest / 2 - 0.5], dtype=kind)
    assert (pairs(halves)[0] == -1).all()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_what_is_no_number_stays_none(kind: type) -> None:
    assert np.isnan(pairs(np.array([np.nan, np.inf, -np.inf], dtype=kind))).all()


def test_amplitudes_multiply() -> None:
    turns, sizes = np.linspace(-2, 2, 40), np.linspace(0, 3, 40)
    line, one, other = np.full(120, np.nan), *pairs(turns)
    write_turns(turns[None], sizes, DOUBLE, True, 10, line[None])
    assert np.array_equal(line[10:50], sizes * one)
    assert np.array_equal(line[70:110], sizes * other)
    assert np.isnan(line).sum() == 40


def test_no_more_than_fits_is_written() -> None:
    line = np.zeros(6)
    write_turns(np.zeros((1, 9)), np.ones(9), DOUBLE, True, 1, line[None])
    assert line.tolist() == [0, 1, 1, 0, 0, 0]


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 5, 32, 3000])  # few, some together, and more than are near at a time
def test_rows_together_are_those_alone(n: int, kind: Any, paired: bool) -> None:
    coefficients = SINGLE if kind is np.float32 else DOUBLE
    generator = np.random.default_rng(n)
    turns, sizes = generator.normal(size=(70, n + 2)).astype(kind), generator.normal(size=n).astype(kind)
    lines, alone = np.full((2, 67, 2 * n + 8), np.nan, dtype=kind)
    write_turns(turns, sizes, coefficients, paired, 3, lines)
    for i in range(67):
        write_turns(turns[i : i + 1], sizes, coefficients, paired, 3, alone[i : i + 1])
    assert np.array_equal(lines, alone, equal_nan=True)
    assert np.isnan(lines).sum() == 67 * (2 * n + 8 - (2 if paired else 1) * n)
