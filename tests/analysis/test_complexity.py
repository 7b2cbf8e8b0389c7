"""The number of factors of a feature, by hand."""

from __future__ import annotations

import math

import pytest

import kernelspec as ks
from kernelspec.analysis.variances import complexity
from kernelspec.elaboration.scope import Columns


@pytest.mark.parametrize(
    ("text", "factors"),
    [
        ("laplace()", 1.0),
        ("laplace()*match()", 2.0),
        ("match()**5", 5.0),
        ("dual(exp(c=2), circle())", 2.0),  # Poisson degrees of mean 2
        ("dual(exp(c=2), dual(exp(c=3), circle()))", 6.0),
        ("dual(step, circle())", math.inf),
        ("tilt(cauchy(), by=1)", 1.0),
    ],
)
def test_by_hand(text: str, factors: float) -> None:
    assert complexity(ks.parse(text).kernel(Columns(1))) == pytest.approx(factors, rel=1e-12)
