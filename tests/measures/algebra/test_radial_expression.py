"""Forms of radial densities: at the origin, tilted, and with symbols."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.measures.algebra.radial_density import RadialNumbers, radial_expression
from tests.measures.algebra import referees as r


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "gaussian()*exponential()",
        "gaussian()*matern(nu=5/2)",
        "sinh_gaussian(by=1/3)*matern(nu=3/2)",
        "shift_gaussian(by=1/3)*exponential()",
        "0.5*gaussian()*exponential() + gaussian(2)",
        "exponential()*cosh_gaussian(by=1/3)",
        "tilt(matern(nu=3/2), by=1/4)*exponential()",
    ],
)
def test_the_form_has_the_values(text: str) -> None:
    form = radial_expression(r.measure_of_text(text, 3, symbolic=True), SymbolicPairs.frequency(3))
    numbers = RadialNumbers(r.measure_of_text(text, 3), 3)
    for row in ([0, 0, 0], [1, -2, 3]):
        stated = r.value_of(form, [sympy.Rational(v, 5) for v in row])
        assert stated == pytest.approx(complex(numbers(np.array([row]) / 5)[0]), rel=1e-10)


@pytest.mark.parametrize("text", ["gaussian()*matern(nu=3/2)", "sinh_gaussian(by=1)*matern(nu=3/2)"])
def test_products_of_two_are_short(text: str) -> None:
    """Without the imaginary unit outside a real or imaginary part, where the kernel is symmetric."""
    form = radial_expression(r.measure_of_text(text, 3, symbolic=True), SymbolicPairs.frequency(3))
    assert form.count_ops() <= 300
    real = form.replace(sympy.re, lambda e: sympy.S.One).replace(sympy.im, lambda e: sympy.S.One)
    assert real.has(sympy.I) == ("sinh" in text)


def test_scales_may_be_symbols() -> None:
    text = "param s > 0\nmatern(nu=3/2, scale=s)*exponential()"
    form = radial_expression(r.measure_of_text(text, 2, symbolic=True), SymbolicPairs.frequency(2))
    assert {symbol.name for symbol in form.free_symbols} == {"s", "omega_1", "omega_2"}
