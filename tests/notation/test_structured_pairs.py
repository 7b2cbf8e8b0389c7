"""Pairs whose formulas keep norms and names."""

from __future__ import annotations

import pytest
import sympy

from kernelspec.expressions.structured_pairs import StructuredPairs

NAMED = StructuredPairs.between(3, ["age", "pay", "sex"])


@pytest.mark.parametrize(
    ("pairs", "norm", "suffix"),
    [
        (NAMED, "‖Δ_(age, pay, sex)‖", ""),
        (NAMED.select((1,)), "Abs(Δ_pay)", "[pay]"),
        (NAMED.select((0, 1)).map((sympy.Rational(1, 5), sympy.Rational(1, 2))), "‖(Δ_age/5, Δ_pay/2)‖", "[age, pay]"),
        (NAMED.map(2), "2*‖Δ_(age, pay, sex)‖", "(2Δ)"),
        (NAMED.translated((1, 1, 1)), "‖(Δ_age + 1, Δ_pay + 1, Δ_sex + 1)‖", "(Δ + 1)"),
        (NAMED.map(((1, 2, 0),)), "Abs(Δ_age + 2*Δ_pay)", ""),
        (StructuredPairs.between(2), "‖Δ‖", ""),
        (StructuredPairs.between(100), "‖Δ‖", ""),
        (StructuredPairs.between(sympy.Symbol("d")).map(3), "3*‖Δ‖", "(3Δ)"),
        (StructuredPairs.between(1), "Abs(Δ)", ""),
    ],
)
def test_norms_and_names(pairs: StructuredPairs, norm: str, suffix: str) -> None:
    assert str(sympy.sqrt(pairs.squared_norm())) == norm
    assert str(pairs.absolute_sum()).replace("₁", "") == norm
    assert pairs.suffix == suffix


def test_other_functions_of_rows() -> None:
    assert str(NAMED.select((2,)).equal()) == "[x_sex = y_sex]"
    assert str(NAMED.select((0, 1)).cosine()) == "cos(x_(age, pay), y_(age, pay))"
    assert str(NAMED.inner_product()) == "(x_(age, pay, sex)·y_(age, pay, sex))"
    assert str(StructuredPairs.between(50).product(lambda t: sympy.exp(-abs(t)))) == "(∏_i exp(-Abs(Δ_i)))"
    assert NAMED.select((0, 1)).product(lambda t: 1 + t) == (1 + sympy.Symbol("Δ_age", real=True)) * (
        1 + sympy.Symbol("Δ_pay", real=True)
    )
