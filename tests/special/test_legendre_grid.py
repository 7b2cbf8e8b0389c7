"""First cuts: at the landmarks, closer towards them, octaves outside, and what is left out."""

from __future__ import annotations

import numpy as np

from kernelspec.special.legendre import first_cuts


def test_landmarks_are_cuts() -> None:
    cuts, reach, beyond = first_cuts(lambda t: np.exp(-np.abs(t)), np.array([-1.0, 2.0]), 1.0, True, np.inf)
    assert {-1.0, 0.0, 2.0} <= set(cuts.tolist())
    assert reach == 2
    assert beyond == 0
    assert np.diff(cuts)[(cuts[:-1] >= 2)][0] < 1e-5
    assert cuts[-1] > 40  # e^{−40} is beyond rounding


def test_within_an_interval_and_a_tail_that_is_left_out() -> None:
    cuts, _, beyond = first_cuts(lambda t: 1 / (1 + t * t), np.zeros(1), 1.0, False, 3.0)
    assert (cuts[0], cuts[-1], beyond) == (0, 3, 0)
    _, _, beyond = first_cuts(lambda t: (1 + np.abs(t)) ** -1.01, np.zeros(1), 1.0, False, np.inf)
    assert 12.5 < beyond < 20  # ∫ from T on is 100 T^{−1/100}, T = 2²⁹⁹
