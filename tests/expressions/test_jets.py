"""Tests of `expressions/jets.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from kernelspec.expressions.jets import breakpoints, jet, kinks
from tests.expressions.written import POLYA, SMOOTH, written


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("t -> exp(-t)", []),
        ("t -> max(0, 1 - t)", [1]),
        ("t -> max(0, 1 - t/3)**2", [3]),
        ("t -> max(0, 1 - 1e-9*t) + abs(t - 2)", [2, 1e9]),
        ("t -> max(0, 1 - 1e9*t)", [1e-9]),
        ("t -> abs(t)", []),
        ("t -> min(t, t**2 - 1) + abs(cos(t/10))*0", [(1 + 5**0.5) / 2, *(10 * np.pi * (np.arange(3) + 0.5))]),
        ("t -> max(max(0, 1 - t), max(0, 1 - t))", [1]),
    ],
)
def test_breakpoints(text: str, points: list[float]) -> None:
    found = np.array(breakpoints(written(text)))
    np.testing.assert_allclose(found[: len(points)], points, rtol=1e-15)
    assert len(found) == len(points) or "cos" in text


def test_kinks_are_the_breakpoints_with_a_jump_of_the_slope() -> None:
    assert kinks(written("t -> exp(-t)")) == ()
    assert kinks(written("t -> max(0, 1 - t)**2")) == ()
    assert kinks(written("t -> max(0, 1 - t)/2 + exp(-t)/2")) == ((1.0, pytest.approx(0.5, rel=1e-12)),)
    (first, second) = kinks(written("t -> max(0, 1 - t)/4 + 3*max(0, 1 - t/7)/4"))
    assert first == (1.0, pytest.approx(0.25))
    assert second == (pytest.approx(7.0, rel=1e-15), pytest.approx(3 / 28))


FUNCTIONS = {**POLYA, **SMOOTH}


@pytest.mark.parametrize("text", FUNCTIONS)
def test_derivatives_of_first_and_second_order(text: str) -> None:
    x = np.array([0.05, 0.31, 0.77, 1.4, 1.9])
    with mp.workdps(60):
        exact = [[float(mp.diff(FUNCTIONS[text], mp.mpf(float(point)), n)) for point in x] for n in range(3)]
    for side in (1, -1):
        found = jet(written(text), x, side)
        np.testing.assert_allclose(found.value, exact[0], rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(found.first, exact[1], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(found.second, exact[2], rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "x", "left", "right"),
    [
        ("x -> max(0, 1 - x)", 1.0, -1, 0),
        ("x -> min(0, 1 - x)", 1.0, 0, -1),
        ("x -> abs(x)", 0.0, -1, 1),
        ("x -> max(x**2, x**4)", 0.0, 0, 0),
        ("x -> max(x**2, x)", 0.0, 0, 1),
        ("x -> max(x**2, x)", 1.0, 1, 2),
        ("x -> abs(sin(x))*exp(x)", 0.0, -1, 1),
        ("x -> max(x, 2*x - 1) + abs(1 - x)*3", 1.0, -2, 5),
        ("x -> -abs(x)/2", 0.0, 0.5, -0.5),
        ("x -> max(max(0, x), -2*x)", 0.0, -2, 1),
    ],
)
def test_one_sided_derivatives_at_kinks(text: str, x: float, left: float, right: float) -> None:
    assert jet(written(text), x, side=-1).first == left
    assert jet(written(text), x, side=1).first == right


def test_branches_of_one_slope_are_told_apart_by_their_curvature() -> None:
    for highest in ("x -> max(x**2, -x**2)", "x -> max(-x**2, x**2)", "x -> abs(-x**2)"):
        assert (jet(written(highest), 0.0, 1).second, jet(written(highest), 0.0, -1).second) == (2, 2)
    for lowest in ("x -> min(x**2, -x**2)", "x -> min(-x**2, x**2)"):
        assert jet(written(lowest), 0.0).second == -2


def test_infinite_slopes_and_parts_that_stand_still() -> None:
    assert jet(written("t -> exp(-sqrt(t))"), 0.0).first == -np.inf
    assert jet(written("t -> exp(-sqrt(t))"), 0.0).second == np.inf
    found = jet(written("t -> max(0, 1 - t)**1.5"), np.array([1.0, 2.0]))
    np.testing.assert_array_equal([found.value, found.first, found.second], np.zeros((3, 2)))


def test_tanh_far_out() -> None:
    found = jet(written("x -> tanh(x)"), np.array([-1e300, -300.0, 20.0, 800.0]))
    np.testing.assert_array_equal(found.value, [-1, -1, 1, 1])
    np.testing.assert_allclose(found.first, [0, 4 * np.exp(-600), 4 * np.exp(-40), 0], rtol=1e-13)
    np.testing.assert_allclose(found.second, [0, 8 * np.exp(-600), -8 * np.exp(-40), 0], rtol=1e-13)


def test_shapes() -> None:
    found = jet(written("t -> 2"), np.ones((3, 2)))
    assert {part.shape for part in (found.value, found.first, found.second)} == {(3, 2)}
