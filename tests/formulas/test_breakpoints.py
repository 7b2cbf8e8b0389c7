"""Where branches meet."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.expressions.jets import breakpoints, kinks
from tests.formulas.written import written


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
