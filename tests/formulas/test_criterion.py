"""Polya's criterion: proofs, and the numbers that refute it."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from kernelspec.formulas.criterion import polya_criterion
from kernelspec.formulas.formula import Constant, Formula
from tests.formulas.written import POLYA, mixtures, written


@pytest.mark.parametrize("text", POLYA)
def test_polya_kernels_are_proved_with_the_argument(text: str) -> None:
    found = polya_criterion(written(text))
    assert found.is_proved
    assert "f is convex (f'' ≥ 0 by interval arithmetic" in found.reason


def test_a_limit_may_follow_from_the_logarithmic_derivative() -> None:
    assert "(log f)' ≤" in polya_criterion(written("t -> (1 + 0.4*t)*exp(-t)")).reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("t -> exp(-t**2)", "not Polya: f is not convex at t = 0."),
        ("t -> (1 + t)*exp(-t)", "not Polya: f is not convex at t = 0."),
        ("t -> exp(-max(t, 1) + 1)", "not Polya: f is not convex at t = 1: it is"),
        ("t -> cos(t)", "not Polya: f is negative at t = 1.5"),
        ("t -> 1 - t", "not Polya: f is negative at t = 1.0"),
        ("t -> abs(1 - t)", "not Polya: f is not decreasing at t = 1"),
        ("t -> exp(-t) + t*exp(-t**2)/10 + t*exp(-t)", "not Polya: f is not"),
        ("t -> 1/2 + exp(-t)/2", "not proved to be Polya: no rule shows that f(t) tends to 0"),
        ("t -> exp(-t)*sin(pi/2)", "not proved to be Polya: no rule shows that f(t) tends to exactly 1"),
        ("t -> (1 + t/2)*exp(-t)", "not proved to be Polya: neither convex by interval arithmetic"),
    ],
)
def test_others_are_not_and_the_reason_has_the_number(text: str, reason: str) -> None:
    found = polya_criterion(written(text))
    assert not found.is_proved
    assert found.reason.startswith(reason)


def test_free_parameters_are_named() -> None:
    assert polya_criterion(Formula(Constant("s"))).reason == "depends on s"


@pytest.mark.long
@settings(max_examples=80)
@given(mixtures())
def test_mixtures_and_products_of_polya_kernels_are_proved(text: str) -> None:
    assert polya_criterion(written(text)).is_proved


@pytest.mark.long
@settings(max_examples=40)
@given(mixtures(), st.integers(1, 6), st.sampled_from([0.05, 0.2]))
def test_a_bump_is_never_proved(text: str, place: int, size: float) -> None:
    bumped = f"{text} + {size}*t*exp(-8*(t - {place})**2)"
    assert not polya_criterion(written(bumped)).is_proved
