"""The share of constant samples, against the draws."""

from __future__ import annotations

import math

import pytest

import kernelspec as ks
from kernelspec.analysis.variances import constant_share
from kernelspec.elaboration.scope import Columns


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("gaussian()", 0.0),
        ("dual(exp(c=2), circle())", math.exp(-2)),
        ("dual(exp(c=2), circle())**3", math.exp(-6)),
        ("dual(exp(c=2), circle()) * gaussian()", 0.0),
        # Poisson numbers of Poisson numbers: e^{c(e^{−c} − 1)}
        ("dual(exp(c=1), dual(exp(c=1), circle()))", math.exp(math.exp(-1) - 1)),
        ("0.5*dual(exp(c=2), circle()) + 0.5*gaussian()", math.exp(-2) / 2),
        ("shift(dual(exp(c=2), circle()), by=1)", math.exp(-2)),
    ],
)
def test_by_hand(text: str, share: float) -> None:
    assert constant_share(ks.parse(text).kernel(Columns(1))) == pytest.approx(share, rel=1e-12)
