"""The largest norm of a feature, by hand and against features."""

from __future__ import annotations

import math

import numpy as np
import pytest
from kernelspec.laws.rewriting import rewrite

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


def test_rows_scaled_by_a_hyperbolic_sine_have_no_bound() -> None:
    kernel = ks.parse("sinh_gaussian(by=1)").kernel(Columns(1))
    assert norm_bound(rewrite(kernel, "rows")) == math.inf
    far = ks.compile("sinh_gaussian(by=1)", dim=1, n_features=6, method="rows").left(np.array([[30.0]]))
    assert np.abs(far).max() > 1e6
