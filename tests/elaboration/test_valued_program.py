"""Programs with values for their parameters, without the user's handle."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy

from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import ValuedProgram, as_program
from kernelspec.errors import DimensionError, ParameterError, SpecError, TypeMismatchError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs

TEXT = "param s > 0\nparam t = 0.5\ngaussian(scale=s)[a] + laplace(scale=t)[b]"


def test_parameters_with_the_values_in_force() -> None:
    program = as_program(TEXT)
    assert program.params == {"s": None, "t": 0.5}
    given = program.with_params({"s": 3})
    assert given.params == {"s": 3.0, "t": 0.5}
    assert given.values == (("s", Fraction(3)),)
    assert program.params["s"] is None
    assert given == as_program(TEXT).with_params({"s": 3.0})
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
        as_program(TEXT).with_params(params)


def test_columns_are_named_counted_or_inferred() -> None:
    program = as_program(TEXT)
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
        as_program(TEXT).kernel(Columns(2, ("a", "b")))
    assert as_program(TEXT).provisional_kernel() is not None
    symbolic = as_program("param s > 0\ngaussian(scale=s)").symbolic_kernel(Columns(None))
    assert sympy.sympify(symbolic.value(SymbolicPairs.between(symbolic.dim))).has(sympy.Symbol("s", positive=True))


def test_text_is_parsed_and_checked() -> None:
    program = as_program(TEXT)
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
