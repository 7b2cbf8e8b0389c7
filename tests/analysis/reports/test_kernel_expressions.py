"""The kernel in SymPy, against its values in numbers."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kernelspec as ks
from tests.analysis.evaluation import X, Y, evaluate
from tests.elaboration.specs import ALL


@pytest.mark.parametrize("text", ALL)
def test_the_expression_is_the_kernel(text: str) -> None:
    expected = np.diag(ks.parse(text).gram(X, Y))
    np.testing.assert_allclose(evaluate(ks.analyze(text, dim=2).kernel), expected, rtol=1e-8, atol=1e-12)


def test_the_diagonal_of_a_kernel_that_grows() -> None:
    """Of 2·x·y + 3 exp(−‖x − y‖²/2): an expression in x alone, not a number."""
    spec = ks.parse("2*linear() + 3*gaussian()")
    found = ks.analyze(spec, dim=2).k0
    assert {symbol.name for symbol in found.free_symbols} == {"x_1", "x_2"}
    np.testing.assert_allclose(evaluate(found), np.diag(spec.gram(X)), rtol=1e-12)
    assert ks.analyze("3*gaussian()", dim=2).k0 == sympy.Integer(3)


@pytest.mark.parametrize("dim", [1, 2, 3, 20])
def test_a_sum_over_a_symbolic_number_of_columns(dim: int) -> None:
    d = sympy.Symbol("d", integer=True, positive=True)
    x = sympy.IndexedBase("x", real=True)
    y = sympy.IndexedBase("y", real=True)
    value = ks.analyze("laplace()").kernel.subs(d, dim).doit()
    at = {x[i]: sympy.Rational(i, 7) for i in range(1, dim + 1)} | {y[i]: 0 for i in range(1, dim + 1)}
    assert float(value.subs(at)) == pytest.approx(np.exp(-dim * (dim + 1) / 14))
