"""Tests of `analysis/overview.py`."""

from __future__ import annotations

import math

import pytest
from click.testing import CliRunner

import kernelspec as ks
from kernelspec.analysis.overview import half_distances, overview, variance_lines
from kernelspec.cli import main


def test_terms_with_weight_distance_and_smoothness() -> None:
    lines = overview(ks.analyze("let k = gaussian(2)[a]\n0.7*k*match()[c] + 0.3*laplace(3)[b] + match()[c]"))
    assert "positive definite: proved; symmetric; stationary in its numeric columns" in lines
    assert "columns: a, c, b" in lines
    assert "k(x, y) = 0.7*[x_c = y_c]*k + 0.3*exp(-Abs(Δ_b)/3) + [x_c = y_c]" in lines
    assert lines[-3:] == [
        "  0.7  [x_c = y_c]*k: compares c; k = ½ at 2.35; all derivatives",
        "  0.3  exp(-Abs(Δ_b)/3): k = ½ at 2.08; continuous, no derivative",
        "  1  [x_c = y_c]: compares c",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join([*(f"let k{i} = gaussian({i + 1})[a{i}]" for i in range(9)), " + ".join(f"k{i}" for i in range(9))]),
        "param s > 0\ngaussian(scale=s)",
        "gaussian() - 0.5*laplace()",
        "shift_gaussian(by=1)",
    ],
)
def test_it_is_short(text: str) -> None:
    lines = overview(ks.analyze(text))
    assert len(lines) <= 18
    assert max(map(len, lines)) <= 400


def test_variances_say_what_their_names_are() -> None:
    lines = variance_lines(ks.analyze("let k = gaussian()[a]\n2*k + match()[b]"))
    assert lines[-1] == "  with k = exp(-Δ_a²/2)"
    assert any("k(2Δ)" in line for line in lines)


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


def test_a_kernel_on_one_column_alone_says_so() -> None:
    assert "columns: 1" in ks.analyze("circle()").report()
    assert "columns: 1" in str(CliRunner().invoke(main, ["explain", "-e", "circle()"]).output)
    for text in ("gaussian()", "circle()[0]"):
        assert "columns: d (any number)" in ks.analyze(text).report()
