"""The printer: the laws on random trees, and the canonical text of every construct."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given

from kernelspec.errors import SpecError
from kernelspec.language import nodes
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import print_node
from tests.language.strategies import NOWHERE, expressions, programs

A, B, C = (nodes.Name(name, span=NOWHERE) for name in "abc")


def number(value: Fraction | int) -> nodes.Number:
    return nodes.Number(Fraction(value), span=NOWHERE)


@pytest.mark.slow
@given(programs())
def test_parsing_what_was_printed_gives_the_same_tree(program: nodes.Program) -> None:
    assert parse_program(print_node(program)) == program


@pytest.mark.slow
@given(programs())
def test_printing_is_idempotent_and_ascii_but_for_quoted_names(program: nodes.Program) -> None:
    text = print_node(program)
    assert print_node(parse_program(text)) == text
    assert '"' in text or text.isascii()


@pytest.mark.slow
@given(expressions())
def test_brackets_are_minimal(expression: nodes.Expression) -> None:
    """Leaving out any pair of printed parentheses that is not a call's changes or breaks the expression."""
    text = print_node(expression)
    for opening in (
        i for i, c in enumerate(text) if c == "(" and (i == 0 or not (text[i - 1].isalnum() or text[i - 1] == "_"))
    ):
        if '"' in text:
            return
        closing, depth = opening, 0
        for closing in range(opening, len(text)):
            depth += (text[closing] == "(") - (text[closing] == ")")
            if depth == 0:
                break
        bare = f"{text[:opening]} {text[opening + 1 : closing]} {text[closing + 1 :]}"
        with contextlib.suppress(SpecError):
            assert parse_program(f"f({bare})").body != parse_program(f"f({text})").body, bare


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (
            "0.7*gaussian( scale = 2 )+0.3 * polya(gamma(shape=2,),area=1)",
            "0.7*gaussian(scale=2) + 0.3*polya(gamma(shape=2), area=1)",
        ),
        ("(a+b)+c", "(a + b) + c"),
        ("a+(b+c)", "a + (b + c)"),
        ("a-(b-c)", "a - (b - c)"),
        ("a-b-c", "a - b - c"),
        ("a/(b/c)", "a/(b/c)"),
        ("a/b/c", "a/b/c"),
        ("(a*b)/c", "(a*b)/c"),
        ("a**b**c", "a**b**c"),
        ("(a**b)**c", "(a**b)**c"),
        ("(-a)**b", "(-a)**b"),
        ("-(a**b)", "-a**b"),
        ("a**(-b)", "a**-b"),
        ("a**-(b*c)", "a**-(b*c)"),
        ("(-a)*b", "-a*b"),
        ("-(a*b)", "-(a*b)"),
        ("a - -b", "a - -b"),
        ("- - a", "--a"),
        ("a*(-b)", "a*-b"),
        ("((a))", "a"),
        ("(a+b)[x]", "(a + b)[x]"),
        ("a[x][y]", "a[x][y]"),
        ("(a**b)[x]", "(a**b)[x]"),
        ("a**b[x]", "a**b[x]"),
        ("a[x]**b", "a[x]**b"),
        ("k['age', \"sepal length\", -1, 0:3, :2, 3:, :, -2:-1]", 'k[age, "sepal length", -1, 0:3, :2, 3:, :, -2:-1]'),
        ("k['param', d, pi, let]", "k[param, d, pi, let]"),
        (r"""k['it\'s', "a\\b\n"]""", r"""k["it's", "a\\b\n"]"""),
        ("radial(r->exp(-r**1.5))", "radial(r -> exp(-r**1.5))"),
        ("(r -> r) + a", "(r -> r) + a"),
        ("f(x -> y -> x*y)", "f(x -> y -> x*y)"),
        ("stretch(k,[[1,2],[3,4],])", "stretch(k, [[1, 2], [3, 4]])"),
        ("σ·λ_1×2−ϑ", "sigma*lambda_1*2 - theta"),
        ("param s>0\nparam t\nparam u=1/2\nlet v=s\nv", "param s > 0\nparam t\nparam u = 1/2\nlet v = s\nv"),
        ("(param)*2", "(param*2)"),
        ("(let)", "(let)"),
        ("parameter", "parameter"),
        ("1.50", "1.5"),
        (".5", "0.5"),
        ("2.", "2"),
        ("2.0e3", "2000"),
        ("1e15", "1000000000000000"),
        ("1e16", "1e16"),
        ("123e-7", "1.23e-5"),
        ("0.0001", "0.0001"),
        ("0.00000", "0"),
        ("1e-30", "1e-30"),
        ("1E+308", "1e308"),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    assert print_node(parse_program(text)) == canonical


def test_a_fragment_prints_as_it_stands_in_a_program() -> None:
    program = parse_program("param s > 0\nlet t = s\ngaussian(s, scale=t)[0:2]")
    assert [print_node(statement) for statement in program.statements] == ["param s > 0", "let t = s"]
    assert [print_node(child) for child in program.body.children()] == ["gaussian(s, scale=t)", "0:2"]


def test_a_long_number_with_small_value_keeps_its_digits() -> None:
    value = Fraction("1234567890" * 10) / 10**103
    assert print_node(number(value)) == "1." + ("1234567890" * 10)[1:-1] + "e-4"


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        (number(Fraction(1, 3)), "1/3 is no literal: its decimals never end"),
        (number(-1), "-1 is no literal: write it as the Negation of 1"),
        (number(Fraction(10) ** 309), "between 1e-308 and 1e308"),
        (number(Fraction(10) ** -309), "between 1e-308 and 1e308"),
        (number(Fraction(int("1" * 101))), "101 digits; at most 100"),
        (nodes.Name("sepal length", span=NOWHERE), "'sepal length' is no name"),
        (nodes.Name("σ", span=NOWHERE), "'σ' is no name"),
        (nodes.Name("", span=NOWHERE), "'' is no name"),
        (nodes.Name("a" * 101, span=NOWHERE), "100 at most"),
        (nodes.Vector((), span=NOWHERE), "needs something between its brackets"),
        (nodes.Select(A, (), span=NOWHERE), "needs something between its brackets"),
        (nodes.Select(A, (number(Fraction(1, 2)),), span=NOWHERE), "whole number, not 1/2"),
        (nodes.Select(A, (nodes.Name("\0", span=NOWHERE),), span=NOWHERE), r"U\+0000"),
        (nodes.Select(A, (nodes.Name("a" * 101, span=NOWHERE),), span=NOWHERE), "101 characters"),
        (nodes.Sum((A,), (), span=NOWHERE), "two or more operands"),
        (nodes.Product((A, B, C), ("*",), span=NOWHERE), "two or more operands"),
        (nodes.Param("s", ">", A, B, span=NOWHERE), "a bound or a default, not both"),
    ],
)
def test_a_tree_that_no_text_stands_for_is_refused(node: nodes.Node, reason: str) -> None:
    with pytest.raises(SpecError, match=reason):
        print_node(node)


def test_depth_costs_no_recursion() -> None:
    node: nodes.Expression = A
    for _ in range(5000):
        node = nodes.Negation(node, span=NOWHERE)
    assert print_node(node) == "-" * 5000 + "a"
