"""Tests of `elaboration/arithmetic.py`."""

from __future__ import annotations

import math
import re
from dataclasses import MISSING
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec.elaboration.arithmetic import (
    FUNCTIONS,
    NumberArithmetic,
    SymbolicArithmetic,
    compute,
    number_expression,
    with_written_values,
)
from kernelspec.elaboration.call_arguments import NAMES_ELSEWHERE
from kernelspec.elaboration.elaborate import SpecElaborator
from kernelspec.elaboration.forms.form import FORMS
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import ArgumentError, RangeError, SpecError, UnknownNameError
from kernelspec.expressions.arguments import declared
from kernelspec.kernels.leaf import KERNELS, load_kernel
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import print_node
from kernelspec.loading import Source, Span

NUMBERS, SYMBOLS = NumberArithmetic(), SymbolicArithmetic()


def scale_of(text: str, dim: int = 1) -> float:
    """The value of a number: the lag at which gaussian(scale=…) is exp(−½)."""
    facts = ks.analyze(f"gaussian(scale={text})", dim=dim)
    numeric = float(facts._numeric.scale)
    assert float(facts._symbolic.scale) == pytest.approx(numeric, rel=1e-14)
    return numeric


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1 + 0.2", 0.3),
        ("1 - 2/3", 1 / 3),
        ("2**10", 1024),
        ("2**-2", 0.25),
        ("2**0.5", math.sqrt(2)),
        ("-(-3)", 3),
        ("sqrt(2)*sqrt(2)", 2),
        ("exp(1)", math.e),
        ("log(exp(2))", 2),
        ("abs(-3/2)", 1.5),
        ("cos(0) + sin(pi/2)", 2),
        ("pi/2", math.pi / 2),
        ("1.0001**10000", 1.0001**10000),
        ("d", 5),
        ("2/d", 0.4),
    ],
)
def test_value(text: str, value: float) -> None:
    assert scale_of(text, 5) == pytest.approx(value, rel=1e-14)


def test_rationals_stay_exact() -> None:
    assert NUMBERS.power(Fraction(1, 3), Fraction(5)) == Fraction(1, 243)
    assert SYMBOLS.power(sympy.Rational(1, 3), sympy.Integer(5)) == sympy.Rational(1, 243)
    assert SYMBOLS.literal(Fraction(3, 2)) == sympy.Rational(3, 2)
    assert SYMBOLS.pi() is sympy.pi
    assert NUMBERS.pi() == math.pi


def test_powers_of_powers_do_not_fill_the_memory() -> None:
    """Exact, the last number would have 26 million digits."""
    text = f"((1.{'0' * 98}1**64)**64)**64"
    assert scale_of(text) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_agree(name: str) -> None:
    number = NUMBERS.function(name, 0.7)
    assert float(SYMBOLS.function(name, sympy.Float(0.7))) == pytest.approx(number)
    assert math.isnan(NUMBERS.function(name, math.nan))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1/0", "division by zero"),
        ("1/(2 - 2)", "division by zero"),
        ("0**-1", "division by zero"),
        ("sqrt(-1)", "this is not a real number"),
        ("log(0)", "this is not a real number"),
        ("(-2)**0.5", "this is not a real number"),
        ("exp(1000)", "this number is too large: it must lie below 1e308"),
        ("1e300**2", "this number is too large: it must lie below 1e308"),
        ("1e200*1e200", "this number is too large: it must lie below 1e308"),
        ("10**1000", "this number is too large: it must lie below 1e308"),
        ("1e-200*1e-200", "this number is too small: it must lie above 1e-308, or be 0"),
        ("1e-300**64", "this number is too small: it must lie above 1e-308, or be 0"),
        ("exp(-1000)", "this number is too small: it must lie above 1e-308, or be 0"),
    ],
)
def test_what_has_no_value(text: str, message: str) -> None:
    with pytest.raises(RangeError) as caught:
        ks.parse(f"gaussian(scale={text})")
    assert caught.value.message == message


@pytest.mark.parametrize("text", ["1/(d - 2)", "sqrt(d - 3)", "log(d - 2)", "1e300**d"])
def test_what_has_no_value_on_these_columns(text: str) -> None:
    spec = ks.parse(f"gaussian(scale={text})")
    with pytest.raises(RangeError):
        ks.analyze(spec, dim=2)
    with pytest.raises(RangeError):
        spec.symbolic_kernel(spec.columns(2))


def test_what_has_a_value_keeps_it() -> None:
    node = ks.parse("gaussian()").program.body
    for value in (Fraction(1, 3), 0, Fraction(10) ** 307, Fraction(1, 10**307)):
        assert compute(NumberArithmetic(), lambda value=value: value, node) == value


HERE = Span(Source(""), 0, 0)


def valued(text: str) -> Fraction:
    number = SpecElaborator(SymbolicArithmetic()).value(parse_program(text).body, Columns(None), Definitions())
    return Fraction(int(number.p), int(number.q))


@pytest.mark.slow
@settings(derandomize=True, database=None)
@given(st.fractions(min_value=-(10**20), max_value=10**20))
def test_the_text_has_exactly_that_value(value: Fraction) -> None:
    assert valued(print_node(number_expression(value, HERE))) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(2, "2"), (Fraction(1, 8), "0.125"), (-3, "-3"), (Fraction(1, 3), "1/3"), (Fraction(-2, 7), "-2/7"), (0, "0")],
)
def test_texts(value: Fraction, text: str) -> None:
    assert print_node(number_expression(Fraction(value), HERE)) == text


def test_too_many_digits() -> None:
    with pytest.raises(SpecError, match="has 150 digits; at most 100 are allowed"):
        number_expression(Fraction(10**149 + 1, 3), HERE)


def test_values_stand_in_place_of_bounds_and_defaults() -> None:
    program = parse_program("param s > 0\nparam t = 2*s\nparam u < 5\ngaussian(scale=s*t*u)")
    found = with_written_values(program, {"s": Fraction(1, 3), "t": Fraction(-4)})
    assert print_node(found) == "param s = 1/3\nparam t = -4\nparam u < 5\ngaussian(scale=s*t*u)"
    assert with_written_values(program, {}) == program


def leaf(text: str) -> object:
    return ks.parse(text).kernel(Columns(2))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("matern(3/2, 2)", "matern(nu=3/2, scale=2)"),
        ("matern(scale=2, nu=3/2)", "matern(3/2, 2)"),
        ("matern(1.5)", "matern(nu=1.5, scale=1)"),
        ("periodic(2)", "periodic(period=2, scale=1)"),
        ("bochner(student_t(3))", "bochner(distribution=student_t(dof=3), isotropic=false)"),
        ("cosine(2)", "cosine(by=[2, 2])"),
    ],
)
def test_positions_names_defaults(text: str, same: str) -> None:
    assert leaf(text) == leaf(same)


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_every_kernel_says_which_argument_is_missing(name: str) -> None:
    missing = [argument for argument, (_, default) in declared(load_kernel(name)).items() if default is MISSING]
    if missing:
        with pytest.raises(ks.KernelspecError, match=rf"{name}\(\) needs the argument '{missing[0]}'"):
            ks.parse(f"{name}()")
    else:
        columns = 1 if name in ("binary", "circle") else 2
        assert ks.parse(f"{name}()").kernel(Columns(columns)).dim == columns


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_every_range_is_checked_at_its_ends(name: str) -> None:
    arguments = declared(load_kernel(name))
    others = {a: "student_t(3)" if argument.kind == "distribution" else "1" for a, (argument, default)
              in arguments.items() if default is MISSING}  # fmt: skip
    for argument, (kind, _) in arguments.items():
        if kind.kind not in ("number", "integer"):
            continue
        for end, is_open in ((kind.low, kind.low_open), (kind.high, kind.high_open)):
            if abs(end) == float("inf"):
                continue
            given = ", ".join(f"{a}={v}" for a, v in {**others, argument: repr(end)}.items())
            if is_open:
                with pytest.raises(ks.KernelspecError, match=rf"'{argument}' of {name}\(\) must be a"):
                    ks.parse(f"{name}({given})")
            else:
                assert ks.parse(f"{name}({given})").kernel(Columns(1)).dim == 1


@pytest.mark.parametrize("name", sorted(NAMES_ELSEWHERE))
def test_every_name_has_a_way_out_that_exists(name: str) -> None:
    called = set(re.findall(r"(\w+)\(", NAMES_ELSEWHERE[name])) - {"exp", "min"}
    assert called
    assert called <= {*KERNELS, *FORMS}
    assert name not in {*KERNELS, *FORMS}
    with pytest.raises(UnknownNameError) as caught:
        ks.parse(f"2*{name}()")
    assert caught.value.message == f"there is no kernel '{name}'; {NAMES_ELSEWHERE[name]}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("RBF(1)", "there is no kernel 'RBF'; the Gaussian kernel is gaussian(scale=…)"),
        ("rbf(gamma=2)", "there is no kernel 'rbf'; the Gaussian kernel is gaussian(scale=…)"),
        (
            "gaussian() + white",
            "unknown name 'white'; white noise, a nugget, is noise(), with a weight as in 0.1*noise()",
        ),
        ("gausian()", "there is no kernel 'gausian'; did you mean 'gaussian'?"),
    ],
)
def test_messages(text: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        ks.parse(text)
    assert caught.value.message == message


def message(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        ks.parse(text)
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("gaussian(scale=width)", "param width > 0", None),
        ("gaussian(width)", "param width > 0", "gaussian()[width]"),
        ("matern(3/2, age)", "param age > 0", "matern(…)[age]"),
        ("cosine(by=w)", "param w = 1", None),
        ("polya(gamma(shape=k))", "param k > 0", None),
        ("periodic(1, scale=p)", "param p >= 0.0001", None),
    ],
)
def test_an_unknown_argument_is_a_parameter_or_a_column(text: str, line: str, column: str | None) -> None:
    found = message(text)
    assert f"add the line '{line}' above" in found
    assert ("for a column write" in found) == (column is not None)
    assert column is None or found.endswith(f"; for a column write {column}")
    ks.parse(f"{line}\n{text}")  # what is advised is accepted


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("match(city)", "match()[city]"),
        ("minmax(a, b)", "minmax()[a, b]"),
        ("gaussian(age, income)", "gaussian()[age, income]"),
        ("gaussian(2, age)", "gaussian(…)[age]"),
    ],
)
def test_columns_among_the_arguments(text: str, instead: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        ks.parse(text)
    assert caught.value.message.endswith(f"; columns stand behind the kernel, as in {instead}")
    ks.parse(instead.replace("…", "2"))


def test_no_columns_are_seen_where_there_are_none() -> None:
    assert message("match(1)") == "match() takes no arguments: match()"
    assert message("param s = 1\nmatch(s)") == "match() takes no arguments: match()"
    assert "columns" not in message("polya(exponential(1, k))")


@pytest.mark.parametrize("text", ["exp(-(x-y)**2)", "exp(-r**2)", "sqrt(1 + t)*gaussian()"])
def test_a_formula_of_points_is_told_which_kernel_it_is(text: str) -> None:
    found = message(text)
    assert "a spec names kernels and not their points" in found
    assert re.search(r"exp\(-\(x - y\)\*\*2\) is gaussian\(scale=sqrt\(1/2\)\)", found)
    gram = ks.parse("gaussian(scale=sqrt(1/2))").gram([[0.0], [1.5]])
    assert gram[0, 1] == pytest.approx(0.10539922456186433)  # exp(−1.5²)


def test_other_names_say_both() -> None:
    assert message("gaussian(2*width)").endswith(
        "; a column is selected as in k[width], and a number to be given later has a line of its own, 'param width > 0'"
    )


def test_the_nearest_name_comes_first() -> None:
    assert message("param width = 1\ngaussian(widht)") == "unknown name 'widht'; did you mean 'width'?"
    with pytest.raises(UnknownNameError, match="did you mean 'ones'"):
        ks.parse("cosine(by=one)")
    assert "did you mean" not in message("cosine(p)")  # not 'pi'
    assert message("let a = gaussian(b)\nparam b = 2\na").startswith("unknown name 'b': it is defined below")
