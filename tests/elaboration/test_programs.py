"""Tests of `elaboration/programs.py`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.elaboration.programs import added, joined, multiplied, negated, raised, weighed
from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import ValuedProgram, as_program, kernel_and_lets, renamed
from kernelspec.errors import DimensionError, ParameterError, RangeError, SpecError, TypeMismatchError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import print_node


def shown(left: ValuedProgram, right: ValuedProgram) -> list[str]:
    found = joined(left, right)
    return [print_node(part) for part in (*found.statements, found.left, found.right)]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("gaussian()", "laplace()", ["gaussian()", "laplace()"]),
        (
            "param s = 2\nlet k = gaussian(scale=s)\nk",
            "param s = 2\nlet k = gaussian(scale=s)\nk*k",
            ["param s = 2", "let k = gaussian(scale=s)", "k", "k*k"],
        ),
        (
            "let k = gaussian()\nk",
            "let k = laplace()\nlet k_2 = k\nk_2",
            ["let k = gaussian()", "let k_3 = laplace()", "let k_2 = k_3", "k", "k_2"],
        ),
        # a variable of a formula is not that name
        (
            "let t = 2\ngaussian(scale=t)",
            "product(t -> exp(-t))",
            ["let t = 2", "gaussian(scale=t)", "product(t -> exp(-t))"],
        ),
        # the same line, of a name that is another on the other side
        (
            "let a = 1\nlet k = gaussian(scale=a)\nk",
            "let a = 2\nlet k = gaussian(scale=a)\nk",
            ["let a = 1", "let k = gaussian(scale=a)", "let a_2 = 2", "let k_2 = gaussian(scale=a_2)", "k", "k_2"],
        ),
        # a word of the language that one side defines anew
        (
            "let d = 3\ngaussian(scale=d)",
            "gaussian(scale=d)",
            ["let d_2 = 3", "gaussian(scale=d_2)", "gaussian(scale=d)"],
        ),
        (
            "dual(relu, circle()[0])",
            "let relu = step\ndual(relu, circle()[0])",
            ["let relu_2 = step", "dual(relu, circle()[0])", "dual(relu_2, circle()[0])"],
        ),
        ("let s = 2\ngaussian(scale=s)", "param s = 3\ngaussian(scale=s)", None),
        ("param s = 3\ngaussian(scale=s)", "let s = 2\ngaussian(scale=s)", None),
    ],
)
def test_names(left: str, right: str, expected: list[str] | None) -> None:
    found = shown(as_program(left), as_program(right))
    if expected is None:  # the parameter keeps its name, the let gives way
        assert [line for line in found if line.startswith("param")] == ["param s = 3"]
        assert [line for line in found if line.startswith("let")] == ["let s_2 = 2"]
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        ("param s = 2\ngaussian(s)", "param s = 3\ngaussian(s)", "'s', declared differently"),
        ("param s > 0\ngaussian(s)", "param s\ngaussian(s)", "'s', declared differently"),
        ("param d = 2\ngaussian(d)", "gaussian(d)", "which means something else in"),
        ("gaussian(d)", "param d = 2\ngaussian(d)", r"with_names\({'d': 'd_2'}\)"),
    ],
)
def test_parameters_that_clash(left: str, right: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        joined(as_program(left), as_program(right))


def test_values() -> None:
    free, fixed = as_program("param s > 0\ngaussian(s)"), as_program("param t = 1\nlaplace(t)")
    given = free.with_params({"s": 2})
    assert joined(given, fixed.with_params({"t": 3})).values == (("s", 2), ("t", 3))
    assert joined(given, given).values == (("s", 2),)
    for other, values in ((free, "2 and none"), (free.with_params({"s": 3}), "2 and 3")):
        with pytest.raises(ParameterError, match=f"'s', with values {values}"):
            joined(given, other)
    # a value equal to the default is that value
    assert joined(fixed, fixed.with_params({"t": 1})).values == (("t", 1),)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda a, b: added(a, b, "+"), "2*gaussian() - laplace() + cauchy()/3 + match()"),
        (lambda a, b: added(a, b, "-"), "2*gaussian() - laplace() - (cauchy()/3 + match())"),
        (multiplied, "(2*gaussian() - laplace())*(cauchy()/3 + match())"),
        (lambda a, b: weighed(a, Fraction(-1, 3), "*"), "-1/3*(2*gaussian() - laplace())"),
        (lambda a, b: weighed(b, Fraction(5, 2), "/"), "(cauchy()/3 + match())/2.5"),
        (lambda a, b: negated(a), "-(2*gaussian() - laplace())"),
        (lambda a, b: raised(b, Fraction(3)), "(cauchy()/3 + match())**3"),
    ],
)
def test_texts(made: object, text: str) -> None:
    found = made(as_program("2*gaussian() - laplace()"), as_program("cauchy()/3 + match()"))
    assert str(found) == text
    assert as_program(text) == found  # the tree that a parser makes of it, spans and all


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        ("gaussian()/2", "cauchy()/3*laplace()", "gaussian()/2*cauchy()/3*laplace()"),
        ("gaussian()**2", "-laplace()", "gaussian()**2*-laplace()"),
        ("-laplace()", "gaussian()", "-laplace()*gaussian()"),
    ],
)
def test_products_are_flat(left: str, right: str, text: str) -> None:
    found = multiplied(as_program(left), as_program(right))
    assert str(found) == text
    assert as_program(text) == found


def test_minus_a_product_is_no_bracket() -> None:
    assert str(negated(as_program("gaussian()*laplace()"))) == "-gaussian()*laplace()"
    assert str(weighed(as_program("gaussian()*laplace()"), Fraction(2), "/")) == "gaussian()*laplace()/2"


def test_errors_show_the_text_that_was_made() -> None:
    with pytest.raises(RangeError) as caught:
        raised(as_program("gaussian() + laplace()"), Fraction(1, 2))
    assert str(caught.value).splitlines()[1] == "  (gaussian() + laplace())**0.5"
    with pytest.raises(RangeError, match="division by zero"):
        weighed(as_program("gaussian()"), Fraction(0), "/")
    with pytest.raises(SpecError, match="has 102 digits"):
        weighed(as_program("gaussian()"), Fraction(10**101 + 1), "*")


def test_the_kind_of_program_is_kept() -> None:
    class Own(ValuedProgram):
        pass

    assert type(negated(Own.parsed("gaussian()"))) is Own


def test_lets_are_parts_of_the_tree() -> None:
    spec = ks.parse("let w = 3\nlet k = laplace(w)\nlet both = k[a]*k[b]\nboth + 2*k[a]*both")
    kernel, lets = kernel_and_lets(spec, spec.columns())
    assert sorted(name for name, _ in lets) == ["both", "k", "k"]
    there = {id(part) for part in kernel.parts()}
    assert all(id(value) in there for _, value in lets)


TEXT = 'param s > 0\nparam t = 2*s\nlet f = s -> s + t\nlet k = gaussian(scale=s)[s, t]\nk + bochner(s)["t"]'


def test_only_what_the_name_stands_for_is_renamed() -> None:
    # not the columns called s and t, and not the variable s of the formula, which hides the parameter
    assert print_node(renamed(parse_program(TEXT), {"s": "width"})) == (
        "param width > 0\nparam t = 2*width\nlet f = s -> s + t\nlet k = gaussian(scale=width)[s, t]\n"
        "k + bochner(width)[t]"
    )
    assert print_node(renamed(parse_program(TEXT), {"k": "near", "t": "other"})) == (
        "param s > 0\nparam other = 2*s\nlet f = s -> s + other\nlet near = gaussian(scale=s)[s, t]\n"
        "near + bochner(s)[t]"
    )


TEXT_OF_VALUED_PROGRAM = "param s > 0\nparam t = 0.5\ngaussian(scale=s)[a] + laplace(scale=t)[b]"


def test_the_same_kernel_in_numbers_and_in_symbols() -> None:
    program = as_program("param s = 2\ngaussian(scale=s*sqrt(2))")
    numeric, symbolic = program.kernel(Columns(1)), program.symbolic_kernel(Columns(1))
    pairs = SymbolicPairs.between(1)
    left, right = pairs.operands(1)
    expression = sympy.sympify(symbolic.value(pairs)).subs({left: sympy.Rational(3, 2), right: 0})
    found = float(np.asarray(numeric.value(NumericPairs.of_vectors(np.array([[1.5]]))))[0])
    assert found == pytest.approx(float(expression), rel=1e-14)
    assert float(expression) == pytest.approx(np.exp(-(1.5**2) / 16), rel=1e-14)


def test_what_is_missing_is_said() -> None:
    with pytest.raises(DimensionError, match="number of columns is needed"):
        as_program("gaussian()").kernel(Columns(None))
    with pytest.raises(ParameterError):
        as_program(TEXT_OF_VALUED_PROGRAM).kernel(Columns(2, ("a", "b")))
    assert as_program(TEXT_OF_VALUED_PROGRAM).provisional_kernel() is not None
    symbolic = as_program("param s > 0\ngaussian(scale=s)").symbolic_kernel(Columns(None))
    assert sympy.sympify(symbolic.value(SymbolicPairs.between(symbolic.dim))).has(sympy.Symbol("s", positive=True))


def test_text_is_parsed_and_checked() -> None:
    program = as_program(TEXT_OF_VALUED_PROGRAM)
    assert as_program(program) is program
    assert str(as_program(str(program))) == str(program)
    assert ValuedProgram.parsed("gausian()", name="x.kernel").program.body is not None  # names are checked afterwards
    with pytest.raises(SpecError, match="gausian"):
        as_program("gausian()")
    with pytest.raises(TypeMismatchError, match="a spec must be a string,"):
        as_program(3)  # type: ignore[arg-type]
    for name in ("x.kernel", "specs/x 1.kernel\n"):
        with pytest.raises(TypeMismatchError, match=r"is a file name: read it with ks\.load"):
            as_program(name)
    for name in ("x.csv", "rows/x 1.parquet", "x.CSV.gz\n"):
        with pytest.raises(TypeMismatchError, match=r"is the name of a table, not a spec: .* ks\.compile\(.*data="):
            as_program(name)
    assert as_program("gaussian()  # x.kernel").program.body is not None
