"""Compiled features of sparse frequencies."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.numerics.sparse_phasor import write_features
from kernelspec.numerics.turns import DOUBLE


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("n", [1, 16, 17, 64, 65, 129, 200])
def test_features(n: int, paired: bool) -> None:
    generator = np.random.default_rng(n)
    data = generator.normal(size=(130, 7)) * 30
    counts = generator.integers(0, 4, n)
    starts = np.concatenate([[0], np.cumsum(counts)])
    places, turns = generator.integers(0, 7, starts[-1]), generator.normal(size=starts[-1])
    phases, amplitudes = generator.normal(size=n), generator.random(n)
    out = np.full((130, 2 * n if paired else n), np.nan)
    write_features(data, starts, places, turns, phases, amplitudes, DOUBLE, paired, out)
    matrix = np.zeros((7, n))
    np.add.at(matrix, (places, np.repeat(np.arange(n), counts)), turns)
    angle = 2 * np.pi * (data @ matrix + phases)
    assert np.abs(out[:, :n] - amplitudes * np.cos(angle)).max() < 1e-12
    if paired:
        assert np.abs(out[:, n:] - amplitudes * np.sin(angle)).max() < 1e-12


def test_whole_turns_are_taken_off_exactly() -> None:
    # 2⁴⁰ + ⅛ turns: an angle in radians of that size would have lost ten digits
    data = np.array([[1.0]])
    out = np.empty((1, 2))
    ends, places, rate = np.array([0, 1]), np.array([0]), np.array([2.0**40 + 0.125])
    write_features(data, ends, places, rate, np.zeros(1), np.ones(1), DOUBLE, True, out)
    np.testing.assert_allclose(out, np.sqrt(0.5), rtol=4e-16)


def test_not_a_number_stays_one() -> None:
    out = np.empty((1, 2))
    ends, places = np.array([0, 1]), np.array([0])
    write_features(np.array([[np.nan]]), ends, places, np.ones(1), np.zeros(1), np.ones(1), DOUBLE, True, out)
    assert np.isnan(out).all()
