"""Gamma functions in SymPy against mpmath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import pytest
import sympy

from kernelspec.special.matern_function import (
    as_exponent,
    exponential_integral,
    gamma_function,
    lower_gamma,
    upper_gamma,
)

FUNCTIONS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    "lower": (lower_gamma, lambda a, x: mp.gammainc(a, 0, x)),
    "upper": (upper_gamma, mp.gammainc),
    "exponential": (exponential_integral, mp.expint),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_lengths(name: str) -> None:
    written, exact = FUNCTIONS[name]
    x = sympy.Symbol("x", positive=True)
    for order in (sympy.Rational(1, 2), sympy.S(3), sympy.Rational(2001, 2), sympy.S(10**9)):
        expression = written(order, x)
        assert expression.count_ops() < 40
        if order < 10**6:
            value = expression.subs(x, sympy.Rational(7, 2)) if order < 20 else written(order, sympy.Rational(7, 2))
            assert float(value.evalf() / exact(mp.mpf(order.p) / order.q, mp.mpf("3.5"))) == pytest.approx(1, rel=1e-12)
    symbol = sympy.Symbol("a", positive=True)
    assert written(symbol, x).has(symbol)


def test_factorials_that_would_never_end() -> None:
    assert gamma_function(sympy.S(10)) == 362880
    far = gamma_function(sympy.S(10**9))
    assert float(sympy.log(far.evalf()).evalf() / mp.loggamma(10**9)) == pytest.approx(1, rel=1e-12)


def test_exponents_that_would_never_end() -> None:
    half, symbol = sympy.Rational(1, 2), sympy.Symbol("a")
    assert as_exponent(half) is half
    assert as_exponent(symbol) is symbol
    assert as_exponent(sympy.S(10**99)).is_Float
    near_one = 1 - sympy.Rational(1, 10**30)
    assert as_exponent(near_one) is near_one  # (1 − |Δ|)^a is a kernel for a ≥ 1 alone
