"""A transform for every piece; the mirrored ones of an even function are left out."""

from __future__ import annotations

import sympy

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.derivation_steps import Journal, transforms
from tests.measures.algebra.referees import measure_of_text


def test_an_even_function_and_one_that_is_not() -> None:
    omega = sympy.Symbol("omega", real=True)
    f, first, second = (sympy.Function(name) for name in ("f_1", "T_1", "T_2"))
    (even,), (odd,) = (
        line_members(measure_of_text(text, symbolic=True), ExactNumbers())
        for text in ("laplace()", "tilt(laplace(), by=1/2)")
    )
    journal = Journal()
    total, words = transforms(even, f, None, omega, journal)
    assert total == sympy.re(first(omega)) / sympy.pi
    assert "k is even" in words
    assert journal.steps[0].right == 1 / (sympy.I * omega + 1)
    total, _ = transforms(odd, f, None, omega, Journal())
    assert sympy.expand(total - (first(omega) + second(omega)) / (2 * sympy.pi)) == 0
