"""What names mean: definitions in order, columns that are mentioned, exact values."""

from __future__ import annotations

import tracemalloc
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns, Definitions, columns_named, exact
from kernelspec.errors import DimensionError, UnknownNameError
from kernelspec.language.nodes import Param


def test_columns_named_in_the_order_of_the_text() -> None:
    program = ks.parse('gaussian()[b, a] + laplace()["two words"] * cauchy()[a, 0, c][1:2]').program
    assert columns_named(program) == ("b", "a", "two words", "c")


def test_a_let_sees_only_the_lines_above() -> None:
    with pytest.raises(UnknownNameError, match="unknown name 's'"):
        ks.parse("let k = gaussian(scale=s)\nlet s = 2\nk")
    assert ks.parse("let s = 2\nlet k = gaussian(scale=s)\nlet s2 = 3\nk").gram([[0.0], [2.0]])[0, 1] == pytest.approx(
        np.exp(-0.5)
    )


def test_definitions() -> None:
    spec = ks.parse("param a = 1\nlet k = gaussian(a)\nk")
    scope = Definitions.of(spec.program, {})
    assert scope.names() == ["a", "k"]
    found = Definitions.of(spec.program, {"a": Fraction(3)}).find("a")
    assert found is not None
    param, seen = found
    assert isinstance(param, Param)
    assert seen.names() == []
    assert Definitions.of(spec.program, {"a": Fraction(3)}).value_of(param) == 3
    assert scope.let("a") is None
    assert scope.find("b") is None


def test_a_default_and_a_bound_see_only_the_lines_above() -> None:
    for text in ("param a = b\nparam b = 2\ngaussian(a)", "param a = a\ngaussian(a)"):
        with pytest.raises(UnknownNameError, match="defined below, and a line sees only the lines above it"):
            ks.parse(text)
    with pytest.raises(UnknownNameError, match="defined below"):
        ks.parse("param a > b\nparam b = 2\ngaussian(a)", {"a": 1})


@pytest.mark.slow
def test_thousands_of_lines_share_one_table_of_names() -> None:
    """Tables of their own would take 4000²/2 entries, a gigabyte."""
    text = "".join(f"let k{i} = {i}\n" for i in range(4000)) + "gaussian(k3999)"
    tracemalloc.start()
    ks.parse(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4e7


@pytest.mark.parametrize(
    ("value", "number"),
    [(0.1, Fraction(1, 10)), (3, Fraction(3)), ("2.5", Fraction(5, 2)), (Decimal("0.3"), Fraction(3, 10)),
     (np.float64(1e-3), Fraction(1, 1000)), (np.int64(7), Fraction(7)), (Fraction(1, 3), Fraction(1, 3))],
)  # fmt: skip
def test_exact(value: object, number: Fraction) -> None:
    assert exact(value) == number


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400, "two"])
def test_not_exact(value: object) -> None:
    with pytest.raises(ValueError, match=r"finite|too large|could not convert"):
        exact(value)


def test_columns() -> None:
    assert Columns(3).count == 3
    assert Columns(None).count is None
    assert Columns(1).counted() == "1 column"
    assert Columns(4).counted() == "4 columns"


def test_places_of_names_that_several_columns_have() -> None:
    columns = Columns(200_001, ("a",) * 200_000 + ("b",))  # in time that does not grow with the square
    assert columns.places["b"] == 200_000
    assert columns.repeated == {"a"}
    assert Columns(2).places == {}


def test_equal_columns_are_one_key_and_names_are_hashed_once() -> None:
    hashed = []

    class Counted(str):
        __slots__ = ()

        def __hash__(self) -> int:
            hashed.append(self)
            return super().__hash__()

    columns = Columns(1, (Counted("a"),))
    known = {columns: 1}
    assert known[columns] == 1
    assert columns in known
    assert len(hashed) == 1
    assert {Columns(2, ("a", "b")): 1}[Columns(2, ("a", "b"))] == 1
    assert len({Columns(2), Columns(2, ("a", "b")), Columns(2, ("a", "b"), given=False), Columns(None)}) == 4


def test_columns_of_a_spec() -> None:
    spec = ks.parse("gaussian()[age] + laplace()[income]")
    assert spec.columns() == Columns(2, ("age", "income"), given=False, by_name=True)
    assert spec.columns(3) == Columns(3)
    assert spec.columns(columns=["a", "b"]) == Columns(2, ("a", "b"))
    assert spec.columns(found=["a", "b"]) == Columns(2, ("a", "b"), by_name=True)
    assert spec.columns(columns=["b"], found=["a", "b"]) == Columns(1, ("b",))
    assert ks.parse("gaussian()[0]").columns(found=["a", "b"]) == Columns(2, ("a", "b"))
    for names in ("ab", [0, 1], ["a", None]):
        with pytest.raises(ks.KernelspecError, match="column names are a list of text"):
            spec.columns(columns=names)  # type: ignore[arg-type]
    assert ks.parse("gaussian()").columns() == Columns(None)


@pytest.mark.parametrize(
    ("dim", "columns", "message"),
    [
        (0, None, "dim must be a whole number, at least 1, not 0"),
        (2.5, None, "dim must be a whole number, at least 1, not 2.5"),
        (True, None, "dim must be a whole number, at least 1, not True"),
        ("2", None, "dim must be a whole number, at least 1, not '2'"),
        (3, ["a", "b"], "dim is 3, but there are 2 column names"),
        (None, [], "there must be at least one column"),
    ],
)
def test_columns_that_do_not_fit(dim: object, columns: list[str] | None, message: str) -> None:
    with pytest.raises(DimensionError) as caught:
        ks.analyze("gaussian()", dim, columns=columns)
    assert str(caught.value) == message
