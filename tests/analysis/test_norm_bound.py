"""Tests of `analysis/norm_bound.py`."""

from __future__ import annotations

import math

import pytest
import sympy

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


@pytest.mark.parametrize(
    ("text", "mean", "inverse_mean", "area"),
    [
        ("polya(gamma(shape=3, scale=2))", 6, sympy.Rational(1, 4), 6),
        ("polya(gamma(shape=3, scale=2), area=1)", 6, sympy.Rational(1, 4), 1),
        ("polya(exponential())[0]", 1, sympy.oo, 1),
        ("laplace(scale=3)", 6, sympy.Rational(1, 3), 6),
        ("triangle(width=3)[0, 1]", 3, sympy.Rational(1, 3), 3),
    ],
)
def test_facts(text: str, mean: object, inverse_mean: object, area: object) -> None:
    found = ks.analyze(text, dim=2).polya
    assert found is not None
    assert [sympy.nsimplify(value) for value in (found.mean, found.inverse_mean, found.area)] == [
        mean,
        inverse_mean,
        area,
    ]


@pytest.mark.parametrize("text", ["gaussian()", "laplace()*laplace()[0]", "2*laplace() + triangle()", "match()"])
def test_other_kernels_have_none(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    assert facts.polya is None
    assert facts.mean is None


def test_symbols_and_any_number_of_columns() -> None:
    s = sympy.Symbol("s", positive=True)
    found = ks.analyze("param s > 0\npolya(rayleigh(scale=s))").polya
    assert found is not None
    assert sympy.simplify(found.mean - s * sympy.sqrt(sympy.pi / 2)) == 0
    assert found.distribution == "rayleigh(scale=s)"
