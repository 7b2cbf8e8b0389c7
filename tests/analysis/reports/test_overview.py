"""A kernel on one screen."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.analysis.overview import overview, variance_lines


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
