"""e^{β·Δ} in numbers and symbols."""

from __future__ import annotations

import numpy as np
import sympy

from kernelspec.expressions.pairs import ExponentialOf, NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs


def test_both_ways() -> None:
    lags = np.array([[1.0, 2.0], [0.5, -3.0]])
    found = NumericPairs.of_vectors(lags).of(ExponentialOf((0.3, -0.1)))
    np.testing.assert_allclose(found, np.exp(lags @ [0.3, -0.1]), rtol=1e-14)
    symbolic = SymbolicPairs.frequency(2).of(ExponentialOf((sympy.Symbol("a"), 2)))
    first, second = SymbolicPairs.frequency(2).components()
    assert symbolic == sympy.exp(sympy.Symbol("a") * first + 2 * second)


def test_infinite_far_away_without_a_warning() -> None:
    assert np.isinf(NumericPairs.of_vectors(np.array([[1e4]])).of(ExponentialOf((1.0,)))).all()
