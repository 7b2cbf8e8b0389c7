"""Every step of a derivation is an equation: its left side by quadrature is its right side."""

from __future__ import annotations

import pytest
import sympy

import kernelspec as ks
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.derivation_steps import Journal, Step, derive_on_line, derive_radial, transforms
from tests.measures.algebra.referees import measure_of_text
from tests.measures.derivation.equations import sides_in_numbers

RULES = {
    "gaussian()*laplace()": ["piece", "piece", "product", "transform", "sum"],
    "triangle(2)*cauchy()": ["piece", "piece", "transform", "transform", "sum"],
    "cauchy()*cauchy(2)*laplace()": ["piece", "piece", "piece", "convolution", "transform", "transform", "sum"],
    "shift(laplace(), by=1)*gaussian(2)": ["piece", "shift", "piece", "product", "transform", "transform", "sum"],
    "tilt(laplace(), by=0.5)*matern(nu=3/2)": ["piece", "tilt", "piece", "product", "transform", "transform", "sum"],
    "stretch(laplace(), 2)*gaussian()": ["piece", "stretch", "piece", "product", "transform", "sum"],
    "(gaussian() + 2*laplace())*triangle(2)": [
        "piece", "piece", "sum of factors", "piece", "product", "transform", "transform", "sum"
    ],
    "gaussian()*laplace()*cosine(2)": ["piece", "piece", "product", "transform", "sum", "atoms"],
    "gaussian(2)*cauchy() + laplace()": [
        "piece", "piece", "transform", "transform", "sum", "piece", "transform", "sum", "sum"
    ],
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("text", RULES)
def test_each_step_holds(text: str) -> None:
    facts = ks.analyze(text, dim=1)
    steps = facts.derivation
    assert [step.rule for step in steps] == RULES[text]
    assert steps[-1].right == facts.spectral_density
    for step, (left, right) in zip([s for s in steps if s.left is not None], sides_in_numbers(steps), strict=True):
        assert abs(left - right) < 1e-10, step


@pytest.mark.long
@pytest.mark.parametrize("text", ["matern(nu=3/2)*exponential(2)", "gaussian(2)*exponential()"])
def test_radial_steps_hold_in_three_columns(text: str) -> None:
    steps = ks.analyze(text, dim=3).derivation
    assert [step.rule for step in steps] == ["piece", "piece", "product", "transform"]
    for left, right in sides_in_numbers(steps):
        assert abs(left - right) < 1e-10


@pytest.mark.slow
def test_columns_and_blocks_multiply() -> None:
    steps = ks.analyze("gaussian()*laplace()", dim=2).derivation
    assert [step.rule for step in steps] == ["piece", "piece", "product", "transform", "sum", "columns"]
    omega = sympy.symbols("omega_1:3", real=True)
    assert steps[-1].left == sympy.Function("mu_1")(omega[0]) * sympy.Function("mu_1")(omega[1])
    rules = [step.rule for step in ks.analyze("gaussian()[0]*laplace()[1]", dim=2).derivation]
    assert rules[-1] == "blocks"


def test_what_has_no_closed_form_says_so() -> None:
    (step,) = ks.analyze("gaussian()*laplace()*cauchy()", dim=1).derivation
    assert step.rule == "convolution"
    assert "no closed form is known" in step.words
    (step,) = ks.analyze("matern(nu=1)", dim=1).derivation
    assert step.rule == "catalogue"
    (step,) = ks.analyze("cosine(2)", dim=1).derivation
    assert step.rule == "atoms"


def test_any_number_of_columns() -> None:
    facts = ks.analyze("matern(nu=3/2)*exponential(2)")
    assert facts.derivation[-1].right == facts.spectral_density


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
