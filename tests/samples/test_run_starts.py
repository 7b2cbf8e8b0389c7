"""Runs of consecutive samples."""

from __future__ import annotations

import numpy as np

from kernelspec.samples.factor import joined_starts, taken_runs


def test_runs_taken_in_another_order() -> None:
    flat, starts = taken_runs(np.array([0, 2, 2, 5]), np.array([2, 0, 1, 2]))
    assert flat.tolist() == [2, 3, 4, 0, 1, 2, 3, 4]
    assert starts.tolist() == [0, 3, 5, 5, 8]


def test_none_taken() -> None:
    flat, starts = taken_runs(np.array([0, 2]), np.array([], dtype=np.intp))
    assert flat.tolist() == []
    assert starts.tolist() == [0]


def test_joined() -> None:
    assert joined_starts([np.array([0, 1, 3]), np.array([0]), np.array([0, 4])]).tolist() == [0, 1, 3, 7]
