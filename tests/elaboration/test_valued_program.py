"""Tests of `elaboration/valued_program.py`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import ValuedProgram, as_program, kernel_and_lets, mentioned, renamed, words
from kernelspec.errors import DimensionError, ParameterError, SpecError, TypeMismatchError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import print_node


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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gaussian(scale=s)[age]", {"s"}),
        ("product(t -> t*s)", {"s"}),
        ("product(t -> exp(t))**t", {"t"}),
        ("param s > least\ndual(relu, k)", {"least", "relu", "k"}),
        ("let a = b\na", {"a", "b"}),
    ],
)
def test_names_that_are_mentioned(text: str, names: set[str]) -> None:
    assert mentioned(parse_program(text)) == names


def test_words() -> None:
    assert words(parse_program(TEXT)) == {"s", "t", "f", "k", "gaussian", "bochner"}
    assert words(parse_program("product(t -> exp(t))[age]")) == {"product", "t", "exp", "age"}


TEXT_OF_VALUED_PROGRAM = "param s > 0\nparam t = 0.5\ngaussian(scale=s)[a] + laplace(scale=t)[b]"


def test_parameters_with_the_values_in_force() -> None:
    program = as_program(TEXT_OF_VALUED_PROGRAM)
    assert program.params == {"s": None, "t": 0.5}
    given = program.with_params({"s": 3})
    assert given.params == {"s": 3.0, "t": 0.5}
    assert given.values == (("s", Fraction(3)),)
    assert program.params["s"] is None
    assert given == as_program(TEXT_OF_VALUED_PROGRAM).with_params({"s": 3.0})
    assert given != program


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"u": 1}, "no parameter 'u'"),
        ({"s": "wide"}, "'s' must be a finite number, not 'wide'"),
        ({"s": float("nan")}, "must be a finite number"),
        ({"s": -1}, "s"),
    ],
)
def test_values_that_do_not_fit(params: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        as_program(TEXT_OF_VALUED_PROGRAM).with_params(params)


def test_columns_are_named_counted_or_inferred() -> None:
    program = as_program(TEXT_OF_VALUED_PROGRAM)
    assert program.columns().names == ("a", "b")
    assert not program.columns().given
    assert program.columns(columns=["b", "a", "c"]).count == 3
    assert program.columns(4).count == 4
    assert as_program("gaussian()").columns().count is None
    for refused in ({"dim": 2, "columns": ["a"]}, {"columns": []}, {"dim": 0}, {"dim": True}, {"dim": 10**9}):
        with pytest.raises(DimensionError):
            program.columns(**refused)  # type: ignore[arg-type]


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
    with pytest.raises(TypeMismatchError, match="a spec is text"):
        as_program(3)  # type: ignore[arg-type]
    for name in ("x.kernel", "specs/x 1.kernel\n"):
        with pytest.raises(TypeMismatchError, match=r"is the name of a file: read it with ks\.load"):
            as_program(name)
    assert as_program("gaussian()  # x.kernel").program.body is not None
