"""Tests of `elaboration/scope.py`."""

from __future__ import annotations

import tracemalloc
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.elaboration.arithmetic import FUNCTIONS
from kernelspec.elaboration.forms.form import FORMS
from kernelspec.elaboration.scope import CONSTANTS, Columns, Counts, exact
from kernelspec.errors import DimensionError, ParameterError, RangeError, UnknownNameError
from kernelspec.kernels.leaf import KERNELS
from kernelspec.language.parser import parse_program
from kernelspec.limits import MAX_EVALUATIONS, MAX_KERNELS, MAX_WRITTEN_COLUMNS

NODE = parse_program("gaussian()").body


def test_the_bounds_are_allowed_and_one_more_is_not() -> None:
    counts = Counts()
    counts.count_kernels(MAX_KERNELS, NODE)
    counts.count_columns(MAX_WRITTEN_COLUMNS, NODE)
    counts.count_evaluations(MAX_EVALUATIONS, NODE)
    assert counts == Counts(20_000, 8_000_000, 400_000)
    for count in (counts.count_kernels, counts.count_columns, counts.count_evaluations):
        with pytest.raises(RangeError) as caught:
            count(1, NODE)
        assert caught.value.span == NODE.span


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param("+".join(["gaussian()[0:1999999]"] * 40), (1, 89), marks=pytest.mark.long),
        ("gaussian()[0:1000000]" + "[0:999999]" * 30, (1, 1)),
        ("gaussian()" + "[0:2000000]" * 40, (1, 1)),
        ("let k = gaussian()[0:1999999]\n" + "+".join(["k"] * 40), (2, 9)),
        pytest.param("let v = ones\n" + "+".join(["cosine(by=v)[0:2000000]"] * 40), (2, 35), marks=pytest.mark.long),
        ("stretch(gaussian(), [" + ", ".join(["ones"] * 40) + "])[0:2000000]", (1, 40)),
    ],
)
def test_a_short_text_does_not_stand_for_gigabytes(text: str, place: tuple[int, int]) -> None:
    with pytest.raises(RangeError, match="more than 8,000,000 columns") as caught:
        ks.parse(text)
    span = caught.value.span
    assert span is not None
    assert (span.line, span.column) == place


@pytest.mark.slow
@pytest.mark.parametrize(
    "base",
    [
        "product(t -> exp(-t**3))",
        pytest.param("radial(r -> exp(-r**3))", marks=pytest.mark.long),
        pytest.param("full(relu, input=image(1, 2, 1))", marks=pytest.mark.long),
    ],
)
def test_lets_that_double_kernels_of_formulas_are_counted(base: str) -> None:
    lines = "".join(f"let k{i + 1} = mean(stretch(k{i}, 2), k{i})**2\n" for i in range(3))
    assert ks.parse(f"let k0 = {base}\n{lines}k3")
    lines = "".join(f"let k{i + 1} = stretch(k{i}, 2) + stretch(k{i}, 3)\n" for i in range(15))
    with pytest.raises(RangeError, match="more than 20,000 kernels"):
        ks.parse(f"let k0 = {base}\n{lines}k15")


def test_lets_that_double_the_grids_of_a_mean_are_counted() -> None:
    lines = "".join(f"let g{i + 1} = mean(g{i}, g{i})\n" for i in range(30))
    with pytest.raises(RangeError, match="more than 20,000 kernels"):
        ks.parse(f"let g0 = image(1, 1, 1)\n{lines}full(relu, input=g30)")


def chain(kind: str, n: int) -> str:
    """Fibonacci's numbers, divided by the last but one."""
    lines = [f"{kind} a0 = 1", f"{kind} a1 = 1"] + [f"{kind} a{i} = a{i - 1} + a{i - 2}" for i in range(2, n + 1)]
    return "\n".join([*lines, f"gaussian(scale=a{n}/a{n - 1})"])


@pytest.mark.parametrize("kind", ["param", "let"])
def test_a_long_chain_takes_one_step_a_line(kind: str) -> None:
    golden = (1 + 5**0.5) / 2
    assert ks.parse(chain(kind, 400)).gram([[0.0], [golden]])[0, 1] == pytest.approx(0.6065306597126334, rel=1e-12)


def test_a_chain_of_kernels_has_their_height() -> None:
    lines = ["let k0 = gaussian()"] + [f"let k{i + 1} = stretch(k{i}, 2)" for i in range(100)]
    with pytest.raises(RangeError, match="nested more than 120 levels deep, counting through lets"):
        ks.parse("\n".join([*lines, "k100"]))


ONE = [[0.0], [1.0]]


def test_default_override_and_free() -> None:
    spec = ks.parse("param s = 2\nparam w > 0\nw*gaussian(scale=s)")
    assert spec.params == {"s": 2.0, "w": None}
    given = spec.with_params({"w": 3})
    assert given.params == {"s": 2.0, "w": 3.0}
    assert given.gram(ONE)[0, 1] == pytest.approx(3 * np.exp(-1 / 8))
    assert given.with_params({"s": 1}).gram(ONE)[0, 1] == pytest.approx(3 * np.exp(-1 / 2))
    assert spec.params["w"] is None  # a spec does not change


def test_a_free_parameter_stays_a_symbol() -> None:
    facts = ks.analyze("param s > 0\ngaussian(scale=s)", dim=1)
    s = sympy.Symbol("s", positive=True)
    assert facts.second_moment == s**-2
    assert s in facts.kernel.free_symbols
    with pytest.raises(ParameterError, match=r"'s' has no value: use spec.with_params\(\{'s': 1\}\) or -p s=1"):
        facts.characteristic_function([[1.0]])


@pytest.mark.parametrize(
    ("line", "assumption"),
    [("param s > 0", "positive"), ("param s >= 1", "positive"), ("param s >= 0", "nonnegative"), ("param s", "real")],
)
def test_the_range_is_known_to_the_symbol(line: str, assumption: str) -> None:
    (symbol,) = ks.analyze(f"{line}\ngaussian(scale=s)", dim=1).second_moment.free_symbols
    assert getattr(symbol, f"is_{assumption}")
    assert line != "param s" or symbol.is_positive is None


@pytest.mark.parametrize(
    ("text", "params", "message"),
    [
        ("param s > 0\ngaussian(s)", {"s": 0}, "parameter 's' must be > 0, not 0"),
        ("param s > 0\ngaussian()", {"s": -1}, "parameter 's' must be > 0, not -1"),
        ("param s <= 2\ngaussian(s)", {"s": 2.5}, "parameter 's' must be <= 2, not 2.5"),
        ("param s < pi\ngaussian(s)", {"s": 4}, "parameter 's' must be < 3.14159, not 4"),
        ("param scale = 1\ngaussian(scale)", {"scal": 1}, "the spec has no parameter 'scal'; did you mean 'scale'?"),
        ("param s = 1\ngaussian(s)", {"qqq": 1}, "the spec has no parameter 'qqq'; it has s"),
        ("gaussian()", {"s": 1}, "the spec has no parameter 's'; it has none"),
        ("param s = 1\ngaussian(s)", {"s": "two"}, "parameter 's' must be a finite number, not 'two'"),
        ("param s = 1\ngaussian(s)", {"s": float("nan")}, "parameter 's' must be a finite number, not nan"),
        ("param s = 1\ngaussian(s)", {"s": float("inf")}, "parameter 's' must be a finite number, not inf"),
        ("param s = 1\ngaussian(s)", {"s": None}, "parameter 's' must be a finite number, not None"),
    ],
)
def test_values_that_are_refused(text: str, params: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        ks.parse(text, params)
    assert caught.value.message == message


def test_the_edge_of_a_closed_range_is_in_it() -> None:
    assert ks.parse("param s >= 2\ngaussian(s)", {"s": 2}).params == {"s": 2.0}


@pytest.mark.parametrize("name", ["x", "y", "omega", "x_1", "omega_age"])
def test_a_free_parameter_is_not_mistaken_for_a_coordinate(name: str) -> None:
    text = f"param {name} > 0\ngaussian(scale={name})"
    with pytest.raises(ParameterError, match="its name for a coordinate:"):
        ks.analyze(text, dim=1).kernel  # noqa: B018
    assert ks.analyze(ks.parse(text, {name: 2}), dim=1).k0 == 1


def test_a_let_sees_only_the_lines_above() -> None:
    with pytest.raises(UnknownNameError, match="unknown name 's'"):
        ks.parse("let k = gaussian(scale=s)\nlet s = 2\nk")
    assert ks.parse("let s = 2\nlet k = gaussian(scale=s)\nlet s2 = 3\nk").gram([[0.0], [2.0]])[0, 1] == pytest.approx(
        np.exp(-0.5)
    )


def test_a_default_and_a_bound_see_only_the_lines_above() -> None:
    for text in ("param a = b\nparam b = 2\ngaussian(a)", "param a = a\ngaussian(a)"):
        with pytest.raises(UnknownNameError, match="move its definition above this line"):
            ks.parse(text)
    with pytest.raises(UnknownNameError, match="move its definition above this"):
        ks.parse("param a > b\nparam b = 2\ngaussian(a)", {"a": 1})


@pytest.mark.long
def test_thousands_of_lines_share_one_table_of_names() -> None:
    """Tables of their own would take 2000²/2 entries, a quarter of a gigabyte."""
    text = "".join(f"let k{i} = {i}\n" for i in range(2000)) + "gaussian(k1999)"
    tracemalloc.start()
    ks.parse(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4e7


def test_columns_of_a_spec() -> None:
    spec = ks.parse("gaussian()[age] + laplace()[income]")
    assert spec.columns() == Columns(2, ("age", "income"), given=False, by_name=True)
    assert spec.columns(3) == Columns(3)
    assert spec.columns(columns=["a", "b"]) == Columns(2, ("a", "b"))
    assert spec.columns(found=["a", "b"]) == Columns(2, ("a", "b"), by_name=True)
    assert spec.columns(columns=["b"], found=["a", "b"]) == Columns(1, ("b",))
    assert ks.parse("gaussian()[0]").columns(found=["a", "b"]) == Columns(2, ("a", "b"))
    for names in ("ab", [0, 1], ["a", None]):
        with pytest.raises(ks.KernelspecError, match="column names must be a list of strings"):
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


def test_no_word_has_two_meanings() -> None:
    words = [*KERNELS, *FORMS, *FUNCTIONS, *CONSTANTS]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(
    ("value", "number"),
    [(0.1, Fraction(1, 10)), (3, Fraction(3)), ("2.5", Fraction(5, 2)), (Decimal("0.3"), Fraction(3, 10)),
     (np.float64(1e-3), Fraction(1, 1000)), (np.int64(7), Fraction(7)), (Fraction(1, 3), Fraction(1, 3))],
)  # fmt: skip
def test_exact(value: object, number: Fraction) -> None:
    assert exact(value) == number
