"""Tests of `language/parser.py`."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings

from kernelspec import limits
from kernelspec.errors import SpecError, SpecSyntaxError
from kernelspec.language import nodes
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import print_node
from tests.language.strategies import NOWHERE, spec_like_text
from tests.thoroughness import examples

GOLDEN = Path(__file__).parent / "golden"


def golden_cases() -> Iterator[object]:
    """Each case is `=== title`, the spec, `--- kind of error`, the report; a blank line ends the report."""
    for path in sorted(GOLDEN.glob("*.txt")):
        for block in path.read_text(encoding="utf-8").removeprefix("=== ").split("\n=== "):
            title, rest = block.split("\n", 1)
            text, answer = rest.split("\n--- ", 1) if not rest.startswith("--- ") else ("", rest.removeprefix("--- "))
            kind, report = answer.split("\n", 1)
            yield pytest.param(text, kind, report.rstrip("\n"), id=f"{path.stem}: {title}")


@pytest.mark.parametrize(("text", "kind", "report"), list(golden_cases()))
def test_the_whole_report(text: str, kind: str, report: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_program(text)
    assert type(caught.value).__name__ == kind
    assert "\n".join(line.rstrip() for line in str(caught.value).split("\n")) == report


@pytest.mark.parametrize(
    ("text", "underlined"),
    [
        ("f(scale gaussian)", "gaussian"),
        ("f(a 123.5e-3)", "123.5e-3"),
        ("f(a >= 2)", ">="),
        ("k[größe, x]", "größe"),
        ("param 'sepal length' = 1", "'sepal length'"),
        ("a +", ""),
        ("a + # why\n", ""),
        ("a\n\n\n+ b", "+"),
        ("(a\n+\n* b)", "*"),
    ],
)
def test_the_span_covers_the_token(text: str, underlined: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_program(text)
    assert caught.value.span is not None
    assert caught.value.span.text == underlined


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("k\x07", "U+0007", "is not allowed, not even in comments"),
        ("\0", "U+0000", "is not allowed"),
        ("k # \ud800", "U+D800", "is not allowed"),
        ("k # \u202e", "U+202E", "is not allowed"),
        ("k['\x1b']", "U+001B", "is not allowed"),
        ("k\u00a0+ 1", "U+00A0", "no-break space (U+00A0); use an ordinary space"),
        ("k\u200b", "U+200B", "zero width space (U+200B); use an ordinary space"),
    ],
)
def test_invisible_characters_are_named(text: str, code: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_program(text)
    assert code in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text", ["a" * 900_000 + " b", "b " + "a" * 900_000, "a" * 900_000 + " = 2", "2 = " * 2 + "a" * 900_000]
)
def test_messages_stay_short(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_program(text)
    assert len(caught.value.message) < 200


def test_the_report_names_the_file() -> None:
    with pytest.raises(SpecError, match=r"^churn\.kernel:2:3: error: "):
        parse_program("# weights\n2 gaussian()", name="churn.kernel")


def name(identifier: str) -> nodes.Name:
    return nodes.Name(identifier, span=NOWHERE)


def number(value: object) -> nodes.Number:
    return nodes.Number(Fraction(str(value)), span=NOWHERE)


def negation(operand: nodes.Expression) -> nodes.Negation:
    return nodes.Negation(operand, span=NOWHERE)


def power(base: nodes.Expression, exponent: nodes.Expression) -> nodes.Power:
    return nodes.Power(base, exponent, span=NOWHERE)


def call(
    function: str, *positional: nodes.Expression, keywords: dict[str, nodes.Expression] | None = None
) -> nodes.Call:
    named = tuple(nodes.Keyword(k, v, span=NOWHERE, name_span=NOWHERE) for k, v in (keywords or {}).items())
    return nodes.Call(function, positional, named, span=NOWHERE, function_span=NOWHERE)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("k", name("k")),
        ("2", number(2)),
        ("2.", number(2)),
        (".5", number("1/2")),
        ("1e-3", number("1/1000")),
        ("1.50E+2", number(150)),
        ("0.1", number("1/10")),
        ("f()", call("f")),
        ("f(a, 2, b=3,)", call("f", name("a"), number(2), keywords={"b": number(3)})),
        ("-a", negation(name("a"))),
        ("--a", negation(negation(name("a")))),
        ("-a**2", negation(power(name("a"), number(2)))),
        ("a**-b", power(name("a"), negation(name("b")))),
        ("a**b**c", power(name("a"), power(name("b"), name("c")))),
        ("-a*b", nodes.Product((negation(name("a")), name("b")), ("*",), span=NOWHERE)),
        ("a*b/c", nodes.Product((name("a"), name("b"), name("c")), ("*", "/"), span=NOWHERE)),
        ("1-2", nodes.Sum((number(1), number(2)), ("-",), span=NOWHERE)),
        ("a-b+c", nodes.Sum((name("a"), name("b"), name("c")), ("-", "+"), span=NOWHERE)),
        ("a·b×c⋅d", nodes.Product(tuple(map(name, "abcd")), ("*", "*", "*"), span=NOWHERE)),
        ("a − −b", nodes.Sum((name("a"), negation(name("b"))), ("-",), span=NOWHERE)),
        ("[1, [2],]", nodes.Vector((number(1), nodes.Vector((number(2),), span=NOWHERE)), span=NOWHERE)),
        ("r -> r", nodes.Lambda("r", name("r"), span=NOWHERE)),
        ("λ -> σ", nodes.Lambda("lambda", name("sigma"), span=NOWHERE)),
        ("(((a)))", name("a")),
        ("\tk \r\n", name("k")),
    ],
)
def test_expressions(text: str, tree: nodes.Expression) -> None:
    assert parse_program(text).body == tree


@pytest.mark.parametrize(
    ("text", "selectors"),
    [
        ("k[age]", (name("age"),)),
        ("k[d, pi, param, let,]", (name("d"), name("pi"), name("param"), name("let"))),
        ("k['sepal length', \"a'b\"]", (name("sepal length"), name("a'b"))),
        ("k['σ', σ]", (name("σ"), name("sigma"))),
        ("k[0, -1]", (number(0), number(-1))),
        ("k[0:3]", (nodes.Slice(0, 3, span=NOWHERE),)),
        ("k[:2]", (nodes.Slice(None, 2, span=NOWHERE),)),
        ("k[-2:]", (nodes.Slice(-2, None, span=NOWHERE),)),
        ("k[:]", (nodes.Slice(None, None, span=NOWHERE),)),
    ],
)
def test_selections(text: str, selectors: tuple[nodes.Name | nodes.Number | nodes.Slice, ...]) -> None:
    assert parse_program(text).body == nodes.Select(name("k"), selectors, span=NOWHERE)


def test_a_selection_binds_tighter_than_a_power() -> None:
    assert parse_program("f(x)[a]**2").body == parse_program("((f(x))[a])**2").body


def test_statements() -> None:
    program = parse_program("\n# a comment\nparam s > 0\n\nparam t = 1/2 # another\nparam u\nlet v = s*t\nv\n\n")
    assert [print_node(statement) for statement in program.statements] == [
        "param s > 0",
        "param t = 1/2",
        "param u",
        "let v = s*t",
    ]
    assert program.body == name("v")


@pytest.mark.parametrize("relation", [">", ">=", "<", "<="])
def test_relations_of_a_param(relation: str) -> None:
    (statement,) = parse_program(f"param s {relation} -1 + 1\ns").statements
    assert isinstance(statement, nodes.Param)
    assert (statement.relation, statement.default) == (relation, None)


def test_newlines_inside_brackets_do_not_end_a_line() -> None:
    text = "(\n  gaussian( # one\n    scale=2\n  )\n\n  + linear() # '([\n)[\n  age,\n  'a # b'\n]"
    assert print_node(parse_program(text)) == '(gaussian(scale=2) + linear())[age, "a # b"]'


def test_every_node_knows_its_text() -> None:
    text = "param s > 0\nlet b = (s)\n-f(a, scale=2)[age, -1]**2 + [1]*(x -> x)"
    found = []
    pending: list[nodes.Node] = [parse_program(text)]
    while pending:
        node = pending.pop(0)
        found.append(node.span.text)
        pending.extend(node.children())
    assert found[1:4] == ["param s > 0", "let b = (s)", "-f(a, scale=2)[age, -1]**2 + [1]*(x -> x)"]
    assert {"-f(a, scale=2)[age, -1]**2", "f(a, scale=2)[age, -1]", "scale=2", "-1", "x -> x", "age", "[1]"} <= set(
        found
    )


def test_calls_and_keywords_know_where_their_names_are() -> None:
    body = parse_program("gaussian (scale = 2)").body
    assert isinstance(body, nodes.Call)
    assert body.function_span.text == "gaussian"
    assert body.keywords[0].name_span.text == "scale"


@pytest.mark.long
def test_ten_thousand_terms_do_not_nest() -> None:
    body = parse_program(" + ".join(["0.1*gaussian(scale=2)"] * 10_000)).body
    assert isinstance(body, nodes.Sum)
    assert len(body.terms) == 10_000
    body = parse_program(f"mean({', '.join(['k'] * 10_000)})").body
    assert isinstance(body, nodes.Call)
    assert len(body.positional) == 10_000


DEEPEST = [
    lambda n: "-" * (n - 1) + "x",
    lambda n: "x**" * (n - 1) + "x",
    lambda n: "x -> " * (n - 1) + "x",
    lambda n: "x" + "[0]" * (n - 2) + "[0]",
    lambda n: "f(" * (n - 1) + "x" + ")" * (n - 1),
]


@pytest.mark.parametrize("shape", DEEPEST)
def test_the_deepest_tree_is_parsed_compared_shown_copied_and_pickled(shape) -> None:  # type: ignore[no-untyped-def]
    program = parse_program(shape(limits.MAX_DEPTH))
    assert program == parse_program(print_node(program))
    assert hash(program) == hash(parse_program(print_node(program)))
    assert repr(program)
    assert copy.deepcopy(program) == program
    assert pickle.loads(pickle.dumps(program)) == program


def test_a_tree_holds_nothing_of_the_parser() -> None:
    program = parse_program("param s > 0\nlet t = s\nf(a, b=r -> r)[c, 'd', 1:2]*2 - [x]")
    assert b"lark" not in pickle.dumps(program)


@pytest.mark.parametrize("shape", DEEPEST)
@pytest.mark.parametrize("excess", [1, 2, 50, 10_000])
def test_a_deeper_tree_is_refused(shape, excess: int) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SpecSyntaxError, match=r"nested more than (100 levels|200) deep"):
        parse_program(shape(limits.MAX_DEPTH + excess))


@pytest.mark.slow
def test_long_sums_and_rows_of_powers_are_not_deep() -> None:
    parse_program("-x**2 + " * 1000 + "-x**2")
    parse_program("f(" + "-x**-2, r -> -r, k[a][b], " * 300 + "x)")
    parse_program("param a\n" + "".join(f"let b{i} = -a**-2\n" for i in range(300)) + "a")


def test_brackets_are_bounded() -> None:
    assert parse_program("(" * 200 + "x" + ")" * 200).body == name("x")
    with pytest.raises(SpecSyntaxError, match="brackets are nested more than 200 deep"):
        parse_program("(" * 201 + "x" + ")" * 201)


HOSTILE = {
    "parentheses": ("(" * 100_000, "nested more than 200 deep"),
    "minuses": ("-" * 100_000 + "1", "nested more than 100 levels"),
    "powers": ("9**" * 100_000 + "9", "nested more than 100 levels"),
    "selections": ("k" + "[0]" * 100_000, "nested more than 100 levels"),
    "functions": ("r->" * 100_000 + "r", "nested more than 100 levels"),
    "ten megabytes": ("a" * 10_000_000, "at most 1,000,000 are allowed"),
    "a megabyte of one name": ("a" * 1_000_000, "at most 100 are allowed"),
    "a megabyte of sum": ("a+" * 499_999 + "a", "more than 250,000 words and signs"),
    "a megabyte of lines": ("\n" * 1_000_000, "more than 250,000 words and signs"),
    "a megabyte of spaces": (" " * 1_000_000, "the spec is empty"),
    "digits": ("9" * 100_000, "at most 100 are allowed"),
    "an overflow": ("1e400", "exponents of ten"),
    "an enormous exponent": ("1e" + "9" * 10_000, "exponents of ten"),
    "an enormous negative exponent": ("1e-" + "9" * 10_000, "exponents of ten"),
    "mixed brackets": ("([)]" * 10_000, "expected ']'"),
    "closing brackets": (")" * 100_000, "has no opening bracket"),
    "quotes": ('"' * 99_999, "this quote is never closed"),
    "backslashes": ('k["' + "\\" * 100_001, "never closed"),
    "nul": ("\0" * 1000, r"U\+0000"),
    "surrogates": ("\ud800\udfff", r"U\+D800"),
    "python": ("__import__('os').system('true')", "remove '.'"),
    "attributes": ("().__class__.__bases__[0]", "expected an expression"),
    "f-string": ('f"{1}"', "only column names have quotes"),
    "walrus": ("(x := 2)", "expected"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("text", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        parse_program(text)
    assert caught.value.span is not None
    assert len(str(caught.value)) < 1000


@pytest.mark.slow
@settings(max_examples=examples(500))
@given(spec_like_text())
def test_any_text_parses_or_is_refused_with_a_place(text: str) -> None:
    try:
        program, error = parse_program(text), None
    except SpecError as caught:
        program, error = None, caught
    if error is None:
        assert parse_program(print_node(program)) == program
    else:
        assert error.span is not None
        assert str(error).startswith("<spec>:")
