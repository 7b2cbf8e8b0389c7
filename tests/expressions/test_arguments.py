"""Declared arguments."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
import sympy

from kernelspec.distributions.discrete import Discrete
from kernelspec.errors import DataError
from kernelspec.expressions.arguments import call_text
from kernelspec.expressions.columns import MODULI, REAL_SQUARES, SQUARES, VALUES, Inner
from kernelspec.expressions.elementary import holds, is_known_whole, is_known_zero, known_number, known_sign
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaves.discrete import Cosine
from kernelspec.kernels.leaves.of_distributions import Polya
from kernelspec.tables.rows import Rows


def test_call_text() -> None:
    same = Discrete(values=(1.0, 2.0, 3.0, 4.0, 5.0), weights=(1.0,) * 5)
    # a list of numbers stays one; a vector with one entry per column may be a number
    assert call_text(same) == "discrete(values=[1, 2, 3, 4, 5], weights=[1, 1, 1, 1, 1])"
    assert call_text(Cosine(by=(2.0,) * 9, dim=9)) == "cosine(by=2)"
    assert call_text(Cosine(by=(2.0, 1.0), dim=2)) == "cosine(by=[2, 1])"
    assert call_text(Polya(distribution=same, dim=1)) == f"polya(distribution={same})"


RNG = np.random.default_rng(3)
X, Y = RNG.standard_normal((4, 3)), RNG.standard_normal((5, 3))


def by_hand(parts, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    following = [1, 2, 0]
    total = np.zeros((len(x), len(y)))
    for r, a in enumerate(x):
        for s, b in enumerate(y):
            total[r, s] = sum(part(a[i], a[k]) * part(b[i], b[k]) for i, k in enumerate(following) for part in parts)
    return total


@pytest.mark.parametrize("directions", [False, True])
@pytest.mark.parametrize("parts", [VALUES, SQUARES, MODULI, REAL_SQUARES], ids=["values", "squares", "moduli", "re"])
def test_numbers_and_expression(parts, directions: bool) -> None:
    inner = Inner(parts, directions)
    x, y = (z / np.linalg.norm(z, axis=1, keepdims=True) if directions else z for z in (X, Y))
    expected = by_hand(parts, x, y)
    np.testing.assert_allclose(inner.numbers(NumericPairs(Rows(X), Rows(Y))), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(
        inner.numbers(NumericPairs(Rows(X), Rows(Y[:4]), grid=False)), np.diag(expected), rtol=1e-12, atol=1e-14
    )
    sparse = NumericPairs(Rows(sp.csr_array(X)), Rows(sp.csr_array(Y)))
    np.testing.assert_allclose(inner.numbers(sparse), expected, rtol=1e-12, atol=1e-14)
    symbols = {
        sympy.Symbol(f"{letter}_{i + 1}", real=True): z[1, i] for letter, z in (("x", X), ("y", Y)) for i in range(3)
    }
    found = inner.expression(SymbolicPairs.between(3))
    assert float(found.subs(symbols)) == pytest.approx(expected[1, 1], rel=1e-12)


def test_any_number_of_columns() -> None:
    d = sympy.Symbol("d", integer=True, positive=True)
    found = Inner(MODULI).expression(SymbolicPairs.between(d)).subs(d, 3).doit()
    x, y = sympy.IndexedBase("x", real=True), sympy.IndexedBase("y", real=True)
    expected = sum((x[i] ** 2 + x[k] ** 2) * (y[i] ** 2 + y[k] ** 2) for i, k in ((1, 2), (2, 3), (3, 1)))
    assert sympy.expand(found - expected) == 0


def test_a_frequency_is_no_pair() -> None:
    with pytest.raises(TypeError, match="not a pair of rows"):
        Inner().expression(SymbolicPairs.frequency(2))


def test_a_row_of_zeros_has_no_direction() -> None:
    with pytest.raises(DataError, match="row 0 is all zeros, so it has"):
        Inner(directions=True).numbers(NumericPairs(Rows(np.zeros((1, 2))), Rows(np.ones((1, 2)))))


@pytest.mark.parametrize("directions", [False, True])
@pytest.mark.parametrize("parts", [VALUES, SQUARES, MODULI, REAL_SQUARES], ids=["values", "squares", "moduli", "re"])
def test_wide_sparse_rows(parts, directions: bool) -> None:
    x, y = (sp.random_array((4, 2_000), density=0.01, random_state=seed, format="csr") for seed in (1, 2))
    inner = Inner(parts, directions)
    for grid in (True, False):
        expected = inner.numbers(NumericPairs(Rows(x.toarray()), Rows(y.toarray()), grid=grid))
        found = inner.numbers(NumericPairs(Rows(sp.csr_array(x)), Rows(sp.csr_array(y)), grid=grid))
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


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
