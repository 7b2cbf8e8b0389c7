"""Rejection in rounds: the law, and the independence of the first draws from the number of all."""

from __future__ import annotations

import numpy as np
from scipy.stats import kstest

from kernelspec.random.streams import Stream
from kernelspec.special.exact_draws import draw_by_rejection

BUDGET = 1e-8


def triangular(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Density 2x on (0, 1), proposed uniformly."""
    return u[:, 0], u[:, 0]


def test_the_law() -> None:
    drawn = draw_by_rejection(Stream(3), 50_000, 1, triangular)
    assert kstest(drawn, np.square).pvalue > BUDGET


def test_the_first_draws_do_not_depend_on_how_many_follow() -> None:
    few, many = (draw_by_rejection(Stream(3), n, 1, triangular) for n in (9, 4000))
    assert np.array_equal(few, many[:9])
    assert not np.array_equal(few, draw_by_rejection(Stream(4), 9, 1, triangular))
    assert draw_by_rejection(Stream(3), 0, 1, triangular).shape == (0,)


def test_every_proposal_has_its_own_numbers() -> None:
    shapes = []

    def picky(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        shapes.append(u.shape)
        return u.sum(axis=1), np.full(len(u), 0.5)

    draw_by_rejection(Stream(3), 100, 3, picky)
    assert shapes[0] == (100, 3)
    assert all(width == 3 for _, width in shapes)
    assert [m for m, _ in shapes] == sorted((m for m, _ in shapes), reverse=True)
