"""Pairs of rows in SymPy: the same answers as on arrays."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.tables.rows import Rows

X, Y = np.array([[0.5, -1.25, 2.0]]), np.array([[1.5, 0.25, -0.5]])


def numbers(pairs):
    found = {}
    for i in range(3):
        left, right = pairs.operands(i + 1)
        found |= {left: X[0, i], right: Y[0, i]}
    return found


@pytest.mark.parametrize(
    "ask",
    [
        lambda p, cos: p.squared_norm(),
        lambda p, cos: p.absolute_sum(),
        lambda p, cos: p.product(cos),
        lambda p, cos: p.inner((1.0, -2.0, 0.5)),
        lambda p, cos: p.inner((2.0, 2.0, 2.0)),
        lambda p, cos: p.select((2, 0)).squared_norm(),
        lambda p, cos: p.select((1,)).absolute_sum(),
        lambda p, cos: p.map(3).absolute_sum(),
        lambda p, cos: p.map((1, 2, 3)).absolute_sum(),
        lambda p, cos: p.map(((1, 0, 1), (0, 2, 0))).squared_norm(),
        lambda p, cos: p.select((2, 0)).map(2).product(cos),
        lambda p, cos: sum(p.minima_and_maxima()[i] * (2 - i) for i in (0, 1)),
        lambda p, cos: p.select((2, 0)).minima_and_maxima()[1],
        lambda p, cos: p.map(3).minima_and_maxima()[0],
        lambda p, cos: p.map((1, 2, -3)).minima_and_maxima()[0],
        lambda p, cos: p.map(((1, 0, 1), (0, 2, 0))).minima_and_maxima()[0],
    ],
)
def test_agrees_with_arrays(ask):
    pairs = SymbolicPairs.between(3)
    written = ask(pairs, sympy.cos).subs(numbers(pairs))
    assert float(written) == pytest.approx(ask(NumericPairs(Rows(X), Rows(Y)), np.cos)[0, 0], rel=1e-13)


def test_names():
    pairs = SymbolicPairs.between(2, names=["age", "income"])
    assert {str(symbol) for symbol in pairs.squared_norm().free_symbols} == {"x_age", "y_age", "x_income", "y_income"}
    assert str(SymbolicPairs.frequency(1).component(1)) == "omega"


def test_equal_is_a_product_of_deltas():
    pairs = SymbolicPairs.between(2)
    (a, b), (c, d) = pairs.operands(1), pairs.operands(2)
    assert pairs.equal() == sympy.KroneckerDelta(a, b) * sympy.KroneckerDelta(c, d)
    with pytest.raises(TypeError, match="no pair of rows"):
        SymbolicPairs.frequency(2).equal()


def test_shift():
    frequency = SymbolicPairs.frequency(2)
    first, second = frequency.component(1), frequency.component(2)
    assert frequency.shift((1, 2)).components() == [first - 1, second - 2]
    assert frequency.shift((3, 3)).components() == [first - 3, second - 3]


@pytest.mark.parametrize("dim", [17, sympy.Symbol("d", integer=True, positive=True)])
def test_many_columns_are_indexed(dim):
    pairs = SymbolicPairs.between(dim)
    assert pairs.squared_norm().has(sympy.Sum)
    assert pairs.product(sympy.cos).has(sympy.Product)
    assert len(str(pairs.squared_norm())) < 60


def test_a_frequency_has_no_minima():
    with pytest.raises(TypeError, match="no pair of rows"):
        SymbolicPairs.frequency(2).minima_and_maxima()
