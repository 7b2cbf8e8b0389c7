"""The SymPy series of masses and transforms against their numbers."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from kernelspec.measures.jordan import mass_expression, transform_expression
from kernelspec.special.wave_integrals import wave_cosine, wave_mass
from kernelspec.special.wave_parts import WavePart


@pytest.mark.slow
@pytest.mark.parametrize("part", WavePart, ids=lambda part: part.name)
@pytest.mark.parametrize("a", [0.6, 2.0])
def test_series(part: WavePart, a: float) -> None:
    symbol = sympy.Symbol("a", positive=True)
    exact = sympy.Float(a, 30)
    found = _finite(mass_expression(part, symbol).subs(symbol, exact))
    assert found == pytest.approx(wave_mass(part, a), rel=1e-11)
    transformed = _finite(transform_expression(part, exact, sympy.Float("0.7", 30)))
    assert transformed == pytest.approx(float(wave_cosine(part, a, np.array(0.7))), abs=1e-13)


def _finite(expression: sympy.Expr) -> float:
    """The value with every series cut at |k| = 30."""
    for series in expression.atoms(sympy.Sum):
        k, low, _ = series.limits[0]
        start = 1 if low == 1 else -30
        expression = expression.subs(series, sympy.Add(*[series.function.subs(k, n) for n in range(start, 31)]))
    return float(expression.evalf(25))
