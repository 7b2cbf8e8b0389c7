"""Verdicts that depend on exact numbers: periods, directions and cancellations."""

from __future__ import annotations

import pytest

import kernelspec as ks


@pytest.mark.parametrize(
    ("text", "state", "symmetric"),
    [
        # not one of these lags is a period, though k(r) and k(0) are one float
        ("shift(cosine(by=1e-8), by=1)", "disproved", False),
        ("shift(sinc(bandwidth=1e-9), by=1)", "disproved", False),
        ("shift(rational_quadratic(alpha=2, scale=1e9), by=1)", "disproved", False),
        # all of these are, though k(r) and k(0) are different floats
        ("shift(cosine(by=pi), by=2e10)", "proved", True),
        ("shift(periodic(period=0.1), by=1e9)", "proved", True),
        ("shift(circle(), by=2*pi*1e10)", "proved", True),
        # multiples of a Gaussian: (Δ + 1)²/2 − (Δ + 1) = Δ²/2 − 1/2
        ("shift(tilt(gaussian(), by=1), by=1)", "proved", True),
        ("tilt(shift(gaussian(), by=1), by=1)", "proved", True),
        ("shift(tilt(gaussian(scale=3), by=1/3), by=3)", "proved", True),
        ("shift(tilt(gaussian(scale=3), by=1/3), by=3 + 1e-20)", "disproved", False),
        # sums of decimals, which cancel where floats do not, and do not where floats do
        ("shift(shift(shift(gaussian(), 0.1), 0.2), -0.3)", "proved", True),
        ("gaussian() - 1e-17*gaussian() - gaussian()", "disproved", True),
        ("gaussian(scale=1) - gaussian(scale=1.00000000000000000001)", "disproved", True),  # k(0) = 0, and k is not 0
    ],
)
def test_exact_numbers_decide(text: str, state: str, symmetric: bool) -> None:
    verdict = ks.analyze(text, dim=1).verdict
    assert (verdict.positive_definite, verdict.symmetric) == (state, symmetric)


@pytest.mark.parametrize("text", ["param r\nshift(cosine(1), by=r)", "param b\ncosh_gaussian(by=b)"])
def test_what_hangs_on_a_symbol_is_not_known(text: str) -> None:
    verdict = ks.analyze(text, dim=1).verdict
    assert (verdict.positive_definite, verdict.symmetric) == ("unknown", None)


def test_even_functions_of_what_is_not_symmetric_may_be_symmetric() -> None:
    # cos(Δ + π/2) = −sin Δ, whose square is symmetric; rows find nothing, and no rule knows
    squared = ks.analyze("shift(cosine(1), by=pi/2)**2", dim=1).verdict
    assert squared.symmetric is not False
    cubed = ks.analyze("shift(cosine(1), by=pi/2)**3", dim=1).verdict
    assert (cubed.positive_definite, cubed.symmetric) == ("disproved", False)


def test_a_parameter_with_a_symbol_solves_for_the_period() -> None:
    verdict = ks.analyze("param w > 0\nshift(cosine(by=w), by=2*pi/w)").verdict
    assert (verdict.positive_definite, verdict.symmetric) == ("proved", True)
