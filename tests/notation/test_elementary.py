"""Functions of a number of either kind."""

from __future__ import annotations

import math

import pytest
import sympy

from kernelspec.notation.elementary import exponential, inner_product, known_number, root, vector_sum


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
