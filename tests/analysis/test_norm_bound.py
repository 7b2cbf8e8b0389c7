"""The largest norm of a feature, by hand and against features."""

from __future__ import annotations

import math

import pytest

import kernelspec as ks
from kernelspec.analysis.norm_bound import norm_bound
from kernelspec.elaboration.scope import Columns


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("gaussian()", 1.0),
        ("match()", 1.0),
        ("linear()", math.inf),
        ("tilt(cauchy(), by=1)", math.inf),
        ("4*gaussian()", 2.0),
        ("sinh_gaussian(by=1)", None),
    ],
)
def test_by_hand(text: str, bound: float | None) -> None:
    kernel = ks.parse(text).kernel(Columns(1))
    if bound is None:  # Jordan and polar samples have the total variation as their modulus
        bound = math.sqrt(float(ks.analyze(text, dim=1).masses.total_variation))
    assert norm_bound(kernel) == pytest.approx(bound, rel=1e-9)
