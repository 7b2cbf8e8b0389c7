"""Sums of error functions, shorter and of the same values."""

from __future__ import annotations

import pytest
import sympy

from kernelspec.measures.algebra.line import gathered_terms

w = sympy.Symbol("omega", real=True)
z = 1 - sympy.I * w


def test_opposite_arguments_and_equal_exponentials() -> None:
    first = (2 + z) * (sympy.erf(z + 1) - sympy.erf(z)) * sympy.exp(z**2)
    second = (2 - z) * (sympy.erf(1 - z) - sympy.erf(-z)) * sympy.exp((-z) ** 2)
    whole = (first + second + sympy.exp(-2 * sympy.I * w)) / (2 * sympy.pi)
    found = gathered_terms(whole)
    assert found.count_ops() < 0.9 * whole.count_ops()
    assert len(found.atoms(sympy.erf)) == 3
    for place in (0.3, -2.2):
        assert complex(found.subs(w, place).evalf()) == pytest.approx(complex(whole.subs(w, place).evalf()), rel=1e-12)


@pytest.mark.parametrize(
    "expression", [sympy.exp(-(w**2)) * sympy.erf(w), 1 / (1 + w**2), sympy.erf(w) + sympy.erf(2 * w)]
)
def test_nothing_to_gather(expression: sympy.Expr) -> None:
    assert gathered_terms(expression) == expression
