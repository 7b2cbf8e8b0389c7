"""Where k = ½."""

from __future__ import annotations

import math

import pytest

import kernelspec as ks
from kernelspec.analysis.overview import half_distances

HALF = math.sqrt(2 * math.log(2))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gaussian(scale=3)", {0: 3 * HALF, 1: 3 * HALF}),
        ("laplace(scale=3)", {0: 3 * math.log(2), 1: 3 * math.log(2)}),
        ("stretch(gaussian(), [5, 800])", {0: 5 * HALF, 1: 800 * HALF}),
        ("triangle(width=4)[1]", {0: None, 1: 2}),
        ("gaussian(2)[0]*match()[1]", {0: 2 * HALF}),
        ("gaussian(1e-12)", {0: 0.0}),
        ("constant()", {0: None}),
    ],
)
def test_half_distances(text: str, expected: dict[int, float | None]) -> None:
    spec = ks.parse(text)
    found = half_distances(spec.kernel(spec.columns(2)), expected)
    assert {i for i, t in found.items() if t is None} == {i for i, t in expected.items() if t is None}
    assert all(t is None or t == pytest.approx(expected[i], rel=1e-9) for i, t in found.items())
