"""Tests of `expressions/elementary.py`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy

from kernelspec.expressions.elementary import (
    exponential,
    holds,
    infinity,
    inner_product,
    is_known_whole,
    is_known_zero,
    known_number,
    known_sign,
    root,
    undefined,
    vector_sum,
)


def test_floats_stay_floats_and_expressions_expressions() -> None:
    s, d = sympy.Symbol("s", positive=True), sympy.Symbol("d")
    assert exponential(0.5) == math.exp(0.5)
    assert exponential(s) == sympy.exp(s)
    assert root(9.0) == 3
    assert root(s) == sympy.sqrt(s)
    assert inner_product((1.0, 2.0), (3.0, 4.0), 2) == 11
    assert inner_product((s,), (s,), d) == d * s**2
    assert inner_product((3.0,), (2.0,), None) == 6


@pytest.mark.parametrize(
    ("number", "known"), [(2, 2.0), (0.25, 0.25), (sympy.Rational(1, 4), 0.25), (sympy.sqrt(4), 2.0)]
)
def test_what_is_known(number: object, known: float) -> None:
    assert known_number(number) == known
    assert known_number(sympy.Symbol("x")) is None


def test_a_vector_of_one_entry_is_constant() -> None:
    assert vector_sum((1.0, 2.0), (3.0, 4.0)) == (4.0, 6.0)
    assert vector_sum((1.0,), (3.0, 4.0)) == (4.0, 5.0)
    assert vector_sum((3.0, 4.0), (1.0,)) == (4.0, 5.0)


def test_what_holds() -> None:
    x, s = sympy.Symbol("x"), sympy.Symbol("s", positive=True)
    assert all(holds(known) for known in (np.float64(2) > 1, sympy.sqrt(2) > 1, s > 0))
    assert not any(holds(wrong_or_open) for wrong_or_open in (np.float64(1) > 2, sympy.sqrt(2) < 1, x > 0, s > 1))


def test_integrals_are_asked_for_no_digits() -> None:
    """SymPy computes digits until it has enough of them, which is never where an integral is 0 or oscillates."""
    x = sympy.Symbol("x", real=True)
    size = sympy.exp(sympy.Integral(sympy.sin(x**3) / x, (x, 1, sympy.oo))) - 2
    assert known_number(size) is None
    assert known_sign(size) is None
    assert is_known_zero(size) is None
    assert is_known_whole(size) is None
    assert known_number(sympy.sqrt(2)) == math.sqrt(2)


def test_kind_follows_the_parameters():
    assert infinity(1.0, 2) == math.inf
    assert infinity(np.float64(1)) == math.inf
    assert type(infinity(1.0)) is float
    assert infinity(1.0, sympy.Symbol("s")) is sympy.oo
    assert math.isnan(undefined(1.0))
    assert undefined(sympy.S(1)) is sympy.nan
