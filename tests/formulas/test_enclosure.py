"""What an enclosure knows, and how its parts sharpen each other."""

from __future__ import annotations

import math

import pytest

from kernelspec.expressions.enclosure import EVERYTHING, NOT_NEGATIVE, Enclosure, Undecided, finished
from kernelspec.expressions.interval import ZERO, Interval


def test_convex_means_curvature_and_kinks_upwards() -> None:
    assert Enclosure(ZERO, ZERO, NOT_NEGATIVE, may_rise=True).is_convex
    assert not Enclosure(ZERO, ZERO, NOT_NEGATIVE, may_fall=True).is_convex
    assert not Enclosure(ZERO, ZERO, Interval(-1e-300, 1.0)).is_convex


def test_positive_values_bring_logarithmic_derivatives() -> None:
    found = finished(Enclosure(Interval(1.0, 2.0), Interval(-4.0, -3.0), Interval(0.0, 1.0)))
    assert found.is_positive
    assert found.log_slope.low == pytest.approx(-4)
    assert found.log_slope.high == pytest.approx(-1.5)
    assert found.log_curvature.high < 0  # f″/f − (f′/f)² ≤ 1 − 2.25


def test_logarithmic_derivatives_sharpen_the_plain_ones() -> None:
    rough = Enclosure(Interval(1.0, 2.0), EVERYTHING, EVERYTHING, True, Interval(-1.0, -0.5), NOT_NEGATIVE)
    found = finished(rough)
    assert found.slope.low == pytest.approx(-2)
    assert found.slope.high == pytest.approx(-0.5)
    assert found.curvature.low == pytest.approx(0.25)


def test_what_touches_zero_stays_as_it_is() -> None:
    touching = Enclosure(Interval(0.0, 1.0), EVERYTHING, EVERYTHING)
    assert finished(touching) == touching


def test_undecided_is_an_exception_of_its_own() -> None:
    assert not issubclass(Undecided, ArithmeticError | ValueError)
    assert math.isinf(EVERYTHING.high)
