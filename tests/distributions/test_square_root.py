"""Square roots of both kinds."""

from __future__ import annotations

import sympy

from kernelspec.distributions.distribution import square_root


def test_numbers_stay_floats() -> None:
    assert square_root(6.25) == 2.5
    assert type(square_root(4, 1.0)) is float


def test_symbols_stay_exact() -> None:
    x = sympy.Symbol("x", positive=True)
    assert square_root(x**2) == x
    assert square_root(2, x) == sympy.sqrt(2)
