"""Tests of `language/printer.py`."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import hypothesis.strategies as st
import pytest
from hypothesis import given

from kernelspec.errors import KernelspecError, SpecError, SpecSyntaxError
from kernelspec.language import nodes
from kernelspec.language import printer as formatter
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import LINE_WIDTH, format_text, print_node, wrap
from kernelspec.language.scanner import scan
from kernelspec.loading import Source
from tests.language.strategies import NOWHERE, expressions, programs

PAIRS = {
    "spacing": ("0.7*gaussian( scale = 2 )+0.3·linear( )", "0.7*gaussian(scale=2) + 0.3*linear()\n"),
    "line ends": ("k\r\n# last\r\n", "k\n# last\n"),
    "blank lines": ("\n\n# a\n\n\n\nparam s\nlet t=s\n\n\nt\n\n\n", "# a\n\nparam s\nlet t = s\n\nt\n"),
    "comments above, behind and below": (
        "#! kernelspec 1\n# above  \nparam s>0# behind\n  # indented\nk   #   the kernel\n#below\n",
        "#! kernelspec 1\n# above\nparam s > 0  # behind\n# indented\nk  #   the kernel\n#below\n",
    ),
    "comments inside brackets move above": (
        "param s\n\nmean( # first\n  a, # second\n  # third\n  b\n) # behind\n",
        "param s\n\n# first\n# second\n# third\nmean(a, b)  # behind\n",
    ),
    "brackets around a whole statement": ("(a # one\n + b\n # two\n)", "# one\n# two\na + b\n"),
    "a kernel that looks like a statement": ("(param + 1)", "(param + 1)\n"),
    "a long sum": (
        "0.7*gaussian(scale=bandwidth)[age,balance]*match()[country]+0.3*polya(gamma(shape=2),area=1)[tenure]",
        "(\n    0.7*gaussian(scale=bandwidth)[age, balance]*match()[country]\n"
        "    + 0.3*polya(gamma(shape=2), area=1)[tenure]\n)\n",
    ),
    "a long let": (
        "let whitening = [[0.25, 0.125, 0.0625], [0.5, 0.25, 0.125], [0.75, 0.375, 0.1875], [1, 2, 3]]\nk",
        "let whitening = [\n    [0.25, 0.125, 0.0625],\n    [0.5, 0.25, 0.125],\n"
        "    [0.75, 0.375, 0.1875],\n    [1, 2, 3],\n]\nk\n",
    ),
    "a long call with a tail": (
        "stretch(gaussian(scale=bandwidth_of_the_first_kernel), by=[1, 2, 3], another_argument=4)[age, income]**2",
        "stretch(\n    gaussian(scale=bandwidth_of_the_first_kernel),\n"
        "    by=[1, 2, 3],\n    another_argument=4,\n)[age, income]**2\n",
    ),
    "a long function": (
        "radial(radius -> exp(-radius**1.5)*cos(radius*first_frequency)*cos(radius*second_frequency)/normaliser)",
        "radial(\n    radius -> (\n        exp(-radius**1.5)\n        * cos(radius*first_frequency)\n"
        "        * cos(radius*second_frequency)\n        / normaliser\n    ),\n)\n",
    ),
    "what cannot be broken stays": ("a" * 90, "a" * 90 + "\n"),
}


@pytest.mark.parametrize(("before", "after"), PAIRS.values(), ids=PAIRS.keys())
def test_pairs(before: str, after: str) -> None:
    assert format_text(before) == after
    assert format_text(after) == after


@pytest.mark.slow
@given(programs(), st.data())
def test_the_laws(program: nodes.Program, data: st.DataObject) -> None:
    """Same program, same comments in the same order, and formatting again changes nothing."""
    endings = st.sampled_from(["\n", "  # why not\n", "\n\n\n", "\n   # alone \n", "\r\n#\n"])
    lines = [line + data.draw(endings) for line in print_node(program).split("\n")]
    text = data.draw(endings) + "".join(lines)
    formatted = format_text(text)
    assert parse_program(formatted) == program
    assert [c.text.strip() for c in scan(Source(formatted)).comments] == [
        c.text.strip() for c in scan(Source(text)).comments
    ]
    assert format_text(formatted) == formatted


@pytest.mark.slow
@given(programs())
def test_lines_in_brackets_keep_their_comments(program: nodes.Program) -> None:
    """A comment after every opening bracket and comma outside quotes."""
    printed = print_node(program)
    if '"' in printed:
        return
    text = printed.replace("(", "( # open\n").replace(", ", ", # comma\n")
    formatted = format_text(text)
    assert formatted.count("# open") == text.count("# open")
    assert formatted.count("# comma") == text.count("# comma")
    assert format_text(formatted) == formatted


def test_text_that_does_not_parse_is_refused() -> None:
    with pytest.raises(SpecSyntaxError, match=r"my\.kernel:1:3"):
        format_text("a b", "my.kernel")


@pytest.mark.parametrize(
    ("broken", "message"),
    [(["b"], "formatting would change the kernel"), (["a  # new"], "formatting would lose a comment")],
)
def test_a_wrong_result_is_never_returned(broken: list[str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatter, "_statement", lambda node: broken)
    with pytest.raises(KernelspecError, match=message):
        format_text("a")


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


A_OF_PRINTER, B_OF_PRINTER, C_OF_PRINTER = (nodes.Name(name, span=NOWHERE) for name in "abc")
INTERVAL_OF_PRINTER = nodes.Interval(A_OF_PRINTER, B_OF_PRINTER, span=NOWHERE)


def number(value: Fraction | int) -> nodes.Number:
    return nodes.Number(Fraction(value), span=NOWHERE)


@pytest.mark.slow
@given(programs())
def test_what_is_printed_is_ascii_but_for_quoted_names_and_parses_to_the_same_tree(program: nodes.Program) -> None:
    text = print_node(program)
    assert parse_program(text) == program
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
        (number(Fraction(1, 3)), "1/3 is not a literal: its decimals never end"),
        (number(-1), "-1 is not a literal: write it as the Negation of 1"),
        (number(Fraction(10) ** 309), "between 1e-308 and 1e308"),
        (number(Fraction(10) ** -309), "between 1e-308 and 1e308"),
        (number(Fraction(int("1" * 101))), "101 digits; at most 100"),
        (nodes.Name("sepal length", span=NOWHERE), "'sepal length' is not a valid name"),
        (nodes.Name("σ", span=NOWHERE), "'σ' is not a valid name"),
        (nodes.Name("", span=NOWHERE), "'' is not a valid name"),
        (nodes.Name("a" * 101, span=NOWHERE), "at most 100"),
        (nodes.Vector((), span=NOWHERE), "needs something between its brackets"),
        (nodes.Select(A_OF_PRINTER, (), span=NOWHERE), "needs something between its brackets"),
        (nodes.Select(A_OF_PRINTER, (number(Fraction(1, 2)),), span=NOWHERE), "whole number, not 1/2"),
        (nodes.Select(A_OF_PRINTER, (nodes.Name("\0", span=NOWHERE),), span=NOWHERE), r"U\+0000"),
        (nodes.Select(A_OF_PRINTER, (nodes.Name("a" * 101, span=NOWHERE),), span=NOWHERE), "101 characters"),
        (nodes.Sum((A_OF_PRINTER,), (), span=NOWHERE), "two or more operands"),
        (nodes.Product((A_OF_PRINTER, B_OF_PRINTER, C_OF_PRINTER), ("*",), span=NOWHERE), "two or more operands"),
        (
            nodes.Param("s", relation=">", bound=A_OF_PRINTER, interval=INTERVAL_OF_PRINTER, span=NOWHERE),
            "a bound or an interval, not both",
        ),
    ],
)
def test_a_tree_that_no_text_stands_for_is_refused(node: nodes.Node, reason: str) -> None:
    with pytest.raises(SpecError, match=reason):
        print_node(node)


def test_depth_costs_no_recursion() -> None:
    node: nodes.Expression = A_OF_PRINTER
    for _ in range(5000):
        node = nodes.Negation(node, span=NOWHERE)
    assert print_node(node) == "-" * 5000 + "a"
