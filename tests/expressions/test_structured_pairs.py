"""Tests of `expressions/structured_pairs.py`."""

from __future__ import annotations

import pytest
import sympy

import kernelspec as ks
from kernelspec.expressions.structured_pairs import StructuredPairs
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.sums_and_products import Sum

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


WRITTEN = {
    "0.5*gaussian() - 2*match()[1]": "0.5*gaussian(scale=1) - 2*match()[1]",
    "-minmax() + gaussian()": "-minmax() + gaussian(scale=1)",
    "-0.5*minmax()": "-0.5*minmax()",
    "minmax()*(match() - gaussian())": "minmax()*(match() - gaussian(scale=1))",
    "-0.25*(minmax()*match())": "-0.25*minmax()*match()",
    "(minmax()*match())**2": "(minmax()*match())**2",
    "(minmax()**2)**3": "(minmax()**2)**3",
    "(match() + minmax())**2*match()": "(match() + minmax())**2*match()",
    "minmax()[4, 0]": "minmax()[4, 0]",
    "(minmax() + match())[4, 0]": "(minmax() + match())[4, 0]",
    "minmax()[0:4]": "minmax()[0:4]",
    "minmax()[1:3]": "minmax()[1, 2]",
    "(minmax()**2)[3]": "(minmax()**2)[3]",
    "stretch(minmax(), 4)": "stretch(minmax(), 4)",
    "stretch(minmax()*gaussian(), [1, 2, 4, 8, 1])": "stretch(minmax()*gaussian(scale=1), [1, 2, 4, 8, 1])",
    "stretch(minmax(), [[1, 2, 3, 4, 5], [0, 0, 1, 0.5, -1]])": (
        "stretch(minmax(), [[1, 2, 3, 4, 5], [0, 0, 1, 0.5, -1]])"
    ),
    "tilt(laplace() + minmax(), 0.25)": "tilt(laplace(scale=1), 0.25) + tilt(minmax(), 0.25)",
    "tilt(laplace()[0, 1], [0.25, 1, 0, 0, 0])": "tilt(laplace(scale=1)[0, 1], [0.25, 1, 0, 0, 0])",
    "shift(laplace(), [1, 0, 0, 0, -2])": "shift(laplace(scale=1), [1, 0, 0, 0, -2])",
    "full(relu, input=image(1, 5, 1, base=0.5*gaussian() + 0.5*match()))": (
        "full(relu, input=image(1, 5, 1, base=0.5*gaussian(scale=1) + 0.5*match()))"
    ),
}


@pytest.mark.parametrize("text", list(WRITTEN))
def test_printed_and_read_again(text: str) -> None:
    spec = ks.parse(text)
    kernel = spec.kernel(spec.columns(5))
    assert str(kernel) == WRITTEN[text]
    again = ks.parse(str(kernel))
    assert again.kernel(again.columns(5)) == kernel
    assert "(dim=" not in "".join(kernel.verdict().reasons)


def test_the_zero_kernel_and_symbols() -> None:
    a = sympy.Symbol("a", positive=True)
    one = Gaussian(scale=a, dim=2)
    assert str(Sum(terms=(), weights=(), dim=2)) == "0"
    assert str(Sum(terms=(one, one), weights=(-a, a + 1), dim=2)) == "-a*gaussian(scale=a) + (a + 1)*gaussian(scale=a)"
    assert str(Sum(terms=(one,), weights=(sympy.Rational(1, 3),), dim=2)) == "1/3*gaussian(scale=a)"
    assert str(Stretch(base=one, matrix=1 / a, dim=2)) == "stretch(gaussian(scale=a), a)"
    assert str(Stretch(base=one, matrix=(1.0, 0.0), dim=2)) == "stretch(gaussian(scale=a), [1, inf])"
    assert str(Stretch(base=one, matrix=(0.5,) * 5, dim=5)) == "stretch(gaussian(scale=a), 2)"
    assert str(Select(base=Gaussian(scale=1, dim=1), positions=(3,), dim=4)) == "gaussian(scale=1)[3]"
