"""Tests of `elaboration/formulas.py`."""

from __future__ import annotations

from fractions import Fraction

import pytest

import kernelspec as ks
from kernelspec.elaboration.formulas import normalized
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import ArgumentError, ParameterError, RangeError, TypeMismatchError, UnknownNameError
from kernelspec.expressions.formula import Constant, Formula
from kernelspec.kernels.formula import FormulaProduct
from tests.expressions.written import written


@pytest.mark.parametrize(
    ("text", "start", "shape"),
    [
        ("exp(-t)", 1, "exp(-t)"),
        ("2*exp(-t)", 2, "exp(-t)"),
        ("3*t*exp(-t)/t", 3, "3*t*exp(-t)/t/3"),
        ("exp(-t)/4", Fraction(1, 4), "exp(-t)/4/0.25"),
        ("sin(t)/t", 1, "sin(t)/t"),
        ("besselj(0, t)", 1, "besselj(0, t)"),
        ("sqrt(pi)/2*erf(t)/t", 1, "sqrt(pi)/2*erf(t)/t"),
    ],
)
def test_divided_by_the_value_at_zero(text: str, start: Fraction, shape: str) -> None:
    found = normalized(written(f"t -> {text}"))
    assert found is not None
    assert found[0] == start
    assert found[1] == written(f"t -> {shape}")


@pytest.mark.parametrize("text", ["t", "1/t", "log(t)", "sin(t)"])
def test_without_a_value_to_divide_by(text: str) -> None:
    assert normalized(written(f"t -> {text}")) is None


def shape(text: str, dim: int = 2, **params: float) -> Formula:
    kernel = ks.parse(text, params=params).kernel(Columns(dim))
    assert isinstance(kernel, FormulaProduct)
    return kernel.shape


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("param s = 2\nproduct(t -> exp(-t/s))", "t -> exp(-t/2)"),
        ("param s = sqrt(2)\nproduct(t -> exp(-t/s))", "t -> exp(-t/sqrt(2))"),
        ("param s\nlet rate = 2*s\nproduct(t -> exp(-rate*t))", "t -> exp(-(2*3)*t)"),
        ("let half = 1/2\nlet root = half**half\nproduct(t -> exp(-root*t))", "t -> exp(-0.5**0.5*t)"),
        ("product(t -> exp(-t/d))", "t -> exp(-t/2)"),
        ("product(t -> exp(-t*pi))", "t -> exp(-t*pi)"),
        ("param t = 5\nlet u = t\nproduct(t -> exp(-t/u))", "t -> exp(-t/5)"),
        ("let f = r -> exp(-r)\nproduct(f)", "t -> exp(-t)"),
    ],
)
def test_parameters_lets_and_constants_are_written_out(text: str, plain: str) -> None:
    params = {"s": 3.0} if "param s\n" in text else {}
    assert shape(text, **params) == shape(f"product({plain})")


def test_given_values_are_the_decimals_that_were_written() -> None:
    assert shape("param s = 2\nproduct(t -> exp(-t/s))", s=0.1) == shape("product(t -> exp(-t/0.1))")


def test_selected_columns_count() -> None:
    kernel = ks.parse("product(t -> exp(-t/d))[0, 1, 2]").kernel(Columns(5))
    assert "exp(-t/3)" in str(next(kernel.children()))


def test_free_parameters_are_symbols_where_symbols_are() -> None:
    spec = ks.parse("param s > 0\nproduct(t -> 1/(1 + t/s))")
    kernel = spec.symbolic_kernel(Columns(1))
    assert isinstance(kernel, FormulaProduct)
    (symbol,) = kernel.shape.unknowns()
    assert symbol.is_positive
    with pytest.raises(ParameterError, match="parameter 's' has no value"):
        spec.kernel(Columns(1))


def test_ranges_of_parameters_hold_inside_formulas() -> None:
    with pytest.raises(ParameterError, match="must be > 0"):
        ks.parse("param s > 0\nproduct(t -> exp(-t/s))", params={"s": -1})


@pytest.mark.parametrize(
    ("formula", "error", "message", "underlined"),
    [
        ("t -> exp(-u)", UnknownNameError, "unknown name 'u' in a formula; the variable is 't'", "u"),
        ("time -> exp(-tim)", UnknownNameError, "did you mean 'time'", "tim"),
        ("t -> gaussian()", TypeMismatchError, "made of numbers, and gaussian() is a kernel", "gaussian()"),
        ("t -> stretch(t, 2)", TypeMismatchError, "made of numbers, and stretch() is a kernel", "stretch(t, 2)"),
        ("t -> [t, 1]", TypeMismatchError, "made of numbers and 't'", "[t, 1]"),
        ("t -> exp", TypeMismatchError, "'exp' is a function: write exp(…)", "exp"),
        ("t -> expp(t)", UnknownNameError, "there is no function 'expp' in formulas; did you mean 'exp'", "expp"),
        ("t -> cot(t)", UnknownNameError, "there is no function 'cot'", "cot"),
        ("t -> besselj(t, 1)", TypeMismatchError, "the order of besselj(order, t) must not depend on 't'", "t"),
        ("t -> exp(t, 2)", ArgumentError, "exp() takes one number", "exp(t, 2)"),
        ("t -> max(t)", ArgumentError, "max() takes two numbers", "max(t)"),
        ("t -> exp(x=t)", ArgumentError, "exp() takes one number", "exp(x=t)"),
        ("t -> t/(1 - 1)", RangeError, "division by zero", "t/(1 - 1)"),
        ("t -> exp(-t**0.5**1e9)", RangeError, "this number is too small for a formula", "0.5**1e9"),
        ("t -> exp(-t*exp(-1000))", RangeError, "this number is too small for a formula", "exp(-1000)"),
        ("t -> exp(-t*(3*1e308))", RangeError, "this number is too large for a formula", "3*1e308"),
        ("t -> (u -> u)", TypeMismatchError, "made of numbers and 't'", "u -> u"),
    ],
)
def test_errors_point_at_their_place(
    formula: str, error: type[ks.KernelspecError], message: str, underlined: str
) -> None:
    text = f"gaussian() + product({formula})"
    with pytest.raises(error) as caught:
        ks.parse(text)
    assert message in caught.value.message
    assert caught.value.span.text.strip("()") == underlined.strip("()")


def test_lets_that_hold_kernels_are_refused() -> None:
    with pytest.raises(TypeMismatchError, match=r"gaussian\(\) is a kernel"):
        ks.parse("let k = gaussian()\nproduct(t -> exp(-t)*k)")


def test_doubling_lets_do_not_fill_the_memory() -> None:
    lines = ["let a0 = sqrt(2)", *(f"let a{i} = a{i - 1} + a{i - 1}*a{i - 1}" for i in range(1, 50))]
    with pytest.raises(RangeError, match="2,000 terms"):
        ks.parse("\n".join([*lines, "product(t -> exp(-t*a20))"]))
    chain = ["let b0 = sqrt(2)", *(f"let b{i} = exp(-b{i - 1})" for i in range(1, 80))]
    with pytest.raises(RangeError, match="60 levels"):
        ks.parse("\n".join([*chain, "product(t -> exp(-t*b79))"]))


def test_numbers_stay_fractions() -> None:
    assert shape("product(t -> (1 + t)**-2)").body.operands[1] == Constant(Fraction(-2))
