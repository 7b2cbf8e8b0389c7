"""Declared arguments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

from kernelspec.expressions.arguments import (
    boolean,
    call_text,
    declared,
    distribution,
    integer,
    real,
    signature,
    vector,
)
from kernelspec.kernels.leaves.radial import PoweredExponential


@dataclass(frozen=True)
class Example:
    order: Any = integer(at_least=1, at_most=9)
    rate: Any = real(0.5, above=0, at_most=2)
    by: Any = vector(1)
    law: Any = None
    flag: Any = boolean(False)


def test_declared_in_order_without_other_fields():
    assert list(declared(Example)) == ["order", "rate", "by", "flag"]
    assert list(declared(PoweredExponential)) == ["alpha", "scale"]


@pytest.mark.parametrize(
    ("value", "accepted"), [(0, False), (1e-300, True), (2, True), (2.1, False), (math.nan, False), (math.inf, False)]
)
def test_interval(value, accepted):
    assert declared(Example)["rate"][0].accepts(value) is accepted


def test_interval_in_words():
    assert declared(Example)["rate"][0].interval() == "a number greater than 0 and at most 2"
    assert declared(Example)["order"][0].interval() == "a whole number at least 1 and at most 9"
    assert real().metadata["argument"].interval() == "a number"


def test_signature():
    assert signature("example", Example) == "example(order, rate=0.5, by=1, flag=false)"


def test_distribution_has_its_own_kind():
    assert distribution().metadata["argument"].kind == "distribution"


def test_call_text() -> None:
    from kernelspec.distributions.discrete import Discrete
    from kernelspec.kernels.leaves.discrete import Cosine
    from kernelspec.kernels.leaves.of_distributions import Polya

    same = Discrete(values=(1.0, 2.0, 3.0, 4.0, 5.0), weights=(1.0,) * 5)
    # a list of numbers stays one; a vector with one entry per column may be a number
    assert call_text(same) == "discrete(values=[1, 2, 3, 4, 5], weights=[1, 1, 1, 1, 1])"
    assert call_text(Cosine(by=(2.0,) * 9, dim=9)) == "cosine(by=2)"
    assert call_text(Cosine(by=(2.0, 1.0), dim=2)) == "cosine(by=[2, 1])"
    assert call_text(Polya(distribution=same, dim=1)) == f"polya(distribution={same})"
