"""Sums over pairs of rows."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.planning.landmarks.landmarks import PairSums

VALUES = np.arange(16.0).reshape(4, 4)


def test_parts_of_a_matrix() -> None:
    sums = PairSums.of(VALUES)
    assert (sums.rows, sums.own, sums.others) == (4, 30.0, 90.0)
    assert sums + sums.scaled(2) == PairSums.of(3 * VALUES)


def test_all_rows_are_themselves() -> None:
    assert PairSums.of(VALUES).over_rows(4) == pytest.approx(VALUES.sum() / 4)


def test_more_rows_have_more_pairs_with_others() -> None:
    alike = np.full((5, 5), 2.0) + np.eye(5)
    assert PairSums.of(alike[:3, :3]).over_rows(5) == pytest.approx(alike.sum() / 5)


def test_relative_to_the_whole() -> None:
    squares, whole = np.square(0.1 * VALUES), np.square(VALUES)
    assert PairSums.of(squares).relative_to(PairSums.of(whole), 100) == pytest.approx(0.1)
    assert PairSums.of(squares).relative_to(PairSums.of(0 * whole), 100) is None
