"""Integrals over the half line, against closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest

from kernelspec.expressions.integrals import SineTransform, half_line_integral, tail_integral
from kernelspec.expressions.jets import breakpoints, jet
from tests.expressions.written import written


@pytest.mark.parametrize(
    ("text", "area"),
    [
        ("t -> exp(-t)", 1),
        ("t -> exp(-1e6*t)", 1e-6),
        ("t -> exp(-t**0.2)", math.gamma(6)),
        ("t -> (1 + t)**-1.5", 2),
        ("t -> max(0, 1 - t/3)**2.5", 3 / 3.5),
        ("t -> max(0, 1 - t)/2 + max(0, 1 - t/5)/2", 1.5),
        ("t -> exp(-t)/sqrt(t)", math.sqrt(math.pi)),
    ],
)
def test_areas(text: str, area: float) -> None:
    formula = written(text)
    assert half_line_integral(lambda t: jet(formula, t).value, breakpoints(formula)) == pytest.approx(area, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ("t -> exp(-t)", 0),
        ("t -> max(0, 1 - t)", 0),
        ("t -> (1 + t)**-1.01", 1e-3 / 0.01),
        ("t -> 1/(1 + t)", math.inf),
        ("t -> (1 + t)**-0.2", math.inf),
        ("t -> 1/(1 + log(1 + t))", math.inf),
        ("t -> 1/((1 + t)*(1 + log(1 + t)))", math.inf),
        ("t -> 1/((1 + t)*(1 + log(1 + t))**2)", 1 / (1 + 300 * math.log(10))),
    ],
)
def test_tails(text: str, tail: float) -> None:
    formula = written(text)
    found = tail_integral(lambda t: jet(formula, t).value)
    assert found == pytest.approx(tail, rel=0.01)


SLOPES: dict[str, Callable[[mp.mpf], mp.mpf]] = {
    "t -> exp(-t)": lambda w: -w / (1 + w**2),
    "t -> (1 + t)**-0.2": lambda w: -w * mp.re(mp.exp(-1j * w) * mp.expint(mp.mpf("0.2"), -1j * w)),
    "t -> 1/(1 + t)": lambda w: -w * mp.re(mp.exp(-1j * w) * mp.e1(-1j * w)),
    "t -> max(0, 1 - t)": lambda w: -(1 - mp.cos(w)) / w,
    "t -> max(0, 1 - t)**2": lambda w: -2 * (w - mp.sin(w)) / w**2,
    "t -> max(0, 1 - t)/2 + exp(-t)/2": lambda w: -(w / (1 + w**2) + (1 - mp.cos(w)) / w) / 2,
    "t -> exp(-sqrt(t))": lambda w: (
        -w
        * mp.re(
            1j
            * mp.quad(
                lambda u: 2 * u * mp.exp(-w * u**2 - mp.sqrt(1j) * u),
                [0, 1 / mp.sqrt(w), 5 / mp.sqrt(w), 14 / mp.sqrt(w)],
            )
        )
    ),
}
"""∫ f′(t) sin(ωt) dt = −ω ∫ f(t) cos(ωt) dt for f of the formula."""


@pytest.mark.parametrize("text", SLOPES)
def test_sine_integrals_of_slopes(text: str) -> None:
    formula = written(text)
    transform = SineTransform(lambda t: jet(formula, t).first, lambda t: jet(formula, t).second, breakpoints(formula))
    for frequency in (1e-6, 1e-3, 0.1, 1.0, 3.3, 20.0, 1e3):
        found = transform(frequency)
        with mp.workdps(40):
            exact = float(SLOPES[text](mp.mpf(frequency)))
        assert found == pytest.approx(exact, rel=2e-12)


def test_features_far_below_the_period_are_seen() -> None:
    found = SineTransform(lambda t: -np.exp(-t / 1e-8) / 1e-8, lambda t: np.exp(-t / 1e-8) / 1e-16)(1e-3)
    assert found == pytest.approx(-1e-11, rel=1e-12)
