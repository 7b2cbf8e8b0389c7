"""Tests of `measures/derivation_steps.py`."""

from __future__ import annotations

import pytest
import sympy

from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.derivation_steps import Journal, Step, derive_on_line, derive_radial, transforms
from tests.measures.algebra.referees import measure_of_text

OMEGA = sympy.Symbol("omega", real=True)
MU = sympy.Function("mu")(OMEGA)


def test_densities_alone_are_convolved() -> None:
    journal = Journal()
    derive_on_line(measure_of_text("cauchy()*cauchy(2)", symbolic=True), MU, OMEGA, journal)
    assert [step.rule for step in journal.steps] == ["piece", "piece", "convolution", "sum"]
    assert journal.steps[-1].left == sympy.Function("p_3")(OMEGA)


@pytest.mark.parametrize("text", ["matern(nu=1)", "(gaussian() + sinc())*cauchy()", "shift(cauchy(), by=1)*gaussian()"])
def test_what_is_not_one_product_of_pieces_is_refused(text: str) -> None:
    with pytest.raises(NotClosed):
        derive_on_line(measure_of_text(text, symbolic=True), MU, OMEGA, Journal())


@pytest.mark.parametrize("text", ["laplace()*matern(nu=3/2)", "gaussian()*exponential()", "triangle()*gaussian()"])
def test_what_is_not_radial_or_open_in_two_columns_is_refused(text: str) -> None:
    with pytest.raises(NotClosed):
        derive_radial(measure_of_text(text, 2, symbolic=True), sympy.S.One, SymbolicPairs.frequency(2), Journal())


def test_one_factor_needs_no_product() -> None:
    journal = Journal()
    frequency = SymbolicPairs.frequency(2)
    derive_radial(measure_of_text("exponential()", 2, symbolic=True), sympy.S.One, frequency, journal)
    assert [step.rule for step in journal.steps] == ["piece", "transform"]


def test_sides_that_repeat_another_are_left_out() -> None:
    t = sympy.Symbol("t")
    f = sympy.Function("f_1")(t)
    assert Step("piece", "", f, t**2, t**2).equals == (f, t**2)
    assert Step("catalogue", "", f, None, t).equals == (f, t)
    assert Step("sum", "", f, t + 1, sympy.exp(t)).equals == (f, t + 1, sympy.exp(t))


def test_names_count_by_letter() -> None:
    journal = Journal()
    assert [str(journal.name(letter)) for letter in "ffTf"] == ["f_1", "f_2", "T_1", "f_3"]
    journal.write("rule", "words", 1, 2, 3)
    assert journal.steps == [Step("rule", "words", 1, 2, 3)]


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
