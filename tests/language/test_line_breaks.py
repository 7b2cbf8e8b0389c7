"""Long expressions over several lines."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given

from kernelspec.language import nodes
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import LINE_WIDTH, Binding, print_node, wrap
from tests.language.strategies import expressions

A, B, C = ("a" * 40, "b" * 40, "c" * 40)


def lines(text: str, lead: str = "", tail: str = "") -> str:
    return "\n".join(wrap(parse_program(text).body, lead, tail))


def test_what_fits_is_one_line_to_the_last_column() -> None:
    fits = f"{A} + {'b' * 45}"
    assert len(fits) == LINE_WIDTH
    assert lines(fits) == fits
    assert lines(f"{fits}b").count("\n") == 3
    assert lines(fits, tail=",").count("\n") == 3


@pytest.mark.parametrize(
    ("text", "wrapped"),
    [
        (f"{A} - {B} + {C}", f"(\n    {A}\n    - {B}\n    + {C}\n)"),
        (f"{A}*{B}/{C}", f"(\n    {A}\n    * {B}\n    / {C}\n)"),
        (f"f({A}, s={B}, t={C})", f"f(\n    {A},\n    s={B},\n    t={C},\n)"),
        (f"[{A}, {B}, {C}]", f"[\n    {A},\n    {B},\n    {C},\n]"),
        (f"r -> f({A}, {B}, {C})", f"r -> f(\n    {A},\n    {B},\n    {C},\n)"),
        (f"-({A} + {B} + {C})", f"-(\n    {A}\n    + {B}\n    + {C}\n)"),
        (f"({A} + {B} + {C})**2", f"(\n    {A}\n    + {B}\n    + {C}\n)**2"),
        (f"f({A}, {B}, {C})[x, 0:2]", f"f(\n    {A},\n    {B},\n    {C},\n)[x, 0:2]"),
        (f"({A} + x)*{B}/{C}", f"(\n    ({A} + x)\n    * {B}\n    / {C}\n)"),
        (f"{A}[{B}, {C}]", f"{A}[{B}, {C}]"),
    ],
)
def test_layouts(text: str, wrapped: str) -> None:
    assert lines(text) == wrapped


def test_lead_tail_and_indent() -> None:
    node = parse_program(f"{A} + {B} + {C}").body
    expected = f"let k = (\n    {A}\n    + {B}\n    + {C}\n),"
    assert "\n".join(wrap(node, "let k = ", ",")) == expected
    assert "\n".join(wrap(node, "let k = ", ",", indent=8)) == textwrap.indent(expected, " " * 8)


def test_a_node_that_binds_too_loosely_gets_parentheses_on_one_line_and_on_many() -> None:
    assert wrap(parse_program("a + b").body, "", "", least=Binding.PRODUCT) == ["(a + b)"]
    assert wrap(parse_program("a + b").body, "", "", least=Binding.SUM) == ["a + b"]
    long = parse_program(f"r -> f({A}, {B}, {C})").body
    assert "\n".join(wrap(long, "", "", least=Binding.ATOM)) == f"(r -> f(\n    {A},\n    {B},\n    {C},\n))"


@pytest.mark.slow
@given(expressions())
def test_wrapping_changes_the_layout_and_nothing_else(expression: nodes.Expression) -> None:
    broken = wrap(expression, "let wrapped_expression_of_a_long_name = ", "")
    (statement,) = parse_program("\n".join([*broken, "k"])).statements
    assert isinstance(statement, nodes.Let)
    assert statement.value == expression
    if len(broken) == 1 and isinstance(expression, nodes.Sum | nodes.Product | nodes.Vector):
        assert len(broken[0]) <= LINE_WIDTH
    assert "".join(broken).replace(" ", "").startswith("letwrapped_expression")
    assert all(line == line.rstrip() or print_node(expression).count('"') for line in broken)
