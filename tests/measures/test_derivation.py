"""Every step of a derivation is an equation: its left side by quadrature is its right side."""

from __future__ import annotations

import pytest
import sympy

import kernelspec as ks
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
