"""Tests of `language/grammar.py`."""

from __future__ import annotations

import json
import tracemalloc
from fractions import Fraction
from pathlib import Path

import lark
import pytest
from lark import Lark, Token

from kernelspec.errors import ArgumentError, FileError, SpecError, SpecSyntaxError
from kernelspec.language import grammar, nodes
from kernelspec.language.grammar import (
    Branch,
    build_program,
    grammar_text,
    lalr_parser,
    name_of,
    parser_tables,
    place_of,
)
from kernelspec.language.parser import parse_program
from kernelspec.limits import MAX_DEPTH
from kernelspec.loading import Source, Span

TABLES = Path(__file__).resolve().parents[2] / "grammars" / "kernelspec.tables.json"


def branches(text: str) -> list[tuple[str, str]]:
    return [(branch.rule, text[branch.start : branch.end]) for branch in lalr_parser().parse(text).leaves_first()]


def test_branches_reach_from_their_first_to_their_last_sign() -> None:
    assert branches("let a = 2\n(x + y)*f(a,)") == [
        ("number", "2"),
        ("let", "let a = 2"),
        ("name", "x"),
        ("name", "y"),
        ("sum", "x + y"),
        ("group", "(x + y)"),
        ("name", "a"),
        ("call", "f(a,)"),
        ("product", "(x + y)*f(a,)"),
        ("start", "let a = 2\n(x + y)*f(a,)"),
    ]


def test_punctuation_is_left_out() -> None:
    for branch in lalr_parser().parse("\n(f(a, b=[1, x -> -x])[0, 'c', 1:])**2\n").leaves_first():
        kinds = {child.type for child in branch.children if isinstance(child, Token)}
        assert kinds <= {"NAME", "NUMBER", "STRING", "EQUAL", "MINUS", "COLON"}


def test_depth_is_no_recursion() -> None:
    assert len(branches("(" * 5000 + "x" + ")" * 5000)) == 5002


def test_branches_are_told_apart_by_what_they_are() -> None:
    here = Token("NAME", "x", start_pos=0, end_pos=1)
    assert len({Branch("name", [here]), Branch("name", [here])}) == 2


@pytest.mark.slow
def test_a_long_text_takes_little_memory() -> None:
    text = "".join(f"let k{i} = gaussian()\n" for i in range(5000)) + "k1"
    parse_program("k")
    tracemalloc.start()
    program = parse_program(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(program.statements) == 5000
    assert peak < 2**24


def test_the_grammar_has_no_conflict() -> None:
    pytest.importorskip("interegular")
    Lark(grammar_text(), parser="lalr", strict=True)


def test_every_terminal_has_a_name() -> None:
    assert not [terminal.name for terminal in lalr_parser().terminals if terminal.name.startswith("__")]


def test_the_grammar_fits_on_two_screens() -> None:
    assert len(grammar_text().splitlines()) <= 100


def test_the_parser_is_built_once() -> None:
    assert lalr_parser() is lalr_parser()


def test_the_grammar_in_the_package_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, checkout = tmp_path / "kernelspec" / "grammars", tmp_path / "grammars"
    monkeypatch.setattr(grammar, "_PLACES", (package, checkout))
    with pytest.raises(FileError, match="the grammar is missing"):
        grammar_text()
    for place in (checkout, package):
        place.mkdir(parents=True)
        (place / "kernelspec.lark").write_text(f"of {place}", encoding="utf-8")
        assert grammar_text() == f"of {place}"


def test_the_kept_tables_are_those_of_the_grammar() -> None:
    """Written by `python -m tests.language.test_grammar`."""
    kept, built = json.loads(TABLES.read_text(encoding="utf-8")), json.loads(parser_tables())
    if kept["lark"] != lark.__version__:
        pytest.skip(f"the tables were built by another version of Lark than {lark.__version__}")
    assert kept["grammar"] == built["grammar"]
    assert kept.keys() == built.keys()
    assert all(
        len(kept["data"]["parser"][name]) == len(built["data"]["parser"][name]) for name in ("parser", "lexer_conf")
    )


@pytest.mark.parametrize(
    "text", ["let a = 2\n(x + y)*f(a,)", "(f(a, b=[1, x -> -x])[0, 'c', 1:])**2", "param s > 0\nk"]
)
def test_the_kept_tables_parse_as_built_ones(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = lalr_parser.__wrapped__().parse(text)
    monkeypatch.setattr(grammar, "lark_version", "0")
    built = lalr_parser.__wrapped__().parse(text)
    described = [[(b.rule, b.start, b.end) for b in tree.leaves_first()] for tree in (kept, built)]  # type: ignore[union-attr]
    assert described[0] == described[1]


def test_tables_of_another_grammar_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar, "_PLACES", (tmp_path,))
    (tmp_path / "kernelspec.lark").write_text('start: NAME\nNAME: "x"', encoding="utf-8")
    for kept in (TABLES.read_text(encoding="utf-8"), "{", "[]", f'{{"lark": "{lark.__version__}"}}'):
        (tmp_path / "kernelspec.tables.json").write_text(kept, encoding="utf-8")
        assert lalr_parser.__wrapped__().parse("x").rule == "start"  # type: ignore[union-attr]


TEXT = 'k_σ[\'sepal length\', "it\'s \\"x\\"", µ]'
WHOLE = Span(Source(TEXT), 0, len(TEXT))


def tokens() -> list[Token]:
    branches = lalr_parser().parse(TEXT).leaves_first()
    return [child for branch in branches for child in branch.children if isinstance(child, Token)]


def test_names_are_spelled_out_and_quotes_are_taken_off() -> None:
    names = [name_of(token, WHOLE) for token in tokens()]
    assert names == ["k_sigma", "sepal length", 'it\'s "x"', "mu"]
    assert {type(name) for name in names} == {str}  # a Token would drag the parser along


def test_places_are_those_in_the_text() -> None:
    places = [place_of(token, WHOLE) for token in tokens()]
    assert [place.text for place in places] == ["k_σ", "'sepal length'", '"it\'s \\"x\\""', "µ"]
    assert [place.column for place in places] == [1, 5, 21, 35]
    assert all(place.source is WHOLE.source for place in places)


@pytest.mark.parametrize(("kind", "frame"), [("NAME", "{}"), ("STRING", "'{}'")])
def test_long_names_are_refused_where_they_stand(kind: str, frame: str) -> None:
    for length in (100, 101):
        text = frame.format("a" * length)
        source = Source("  " + text)
        token = Token(kind, text, start_pos=2, end_pos=2 + len(text))
        if length == 100:
            assert name_of(token, Span(source, 0, 1)) == "a" * 100
            continue
        with pytest.raises(SpecSyntaxError, match="this name has 101 characters; at most 100 are allowed") as caught:
            name_of(token, Span(source, 0, 1))
        assert caught.value.span == Span(source, 2, 2 + len(text))


def test_the_length_that_counts_is_that_of_the_ascii_spelling() -> None:
    token = Token("NAME", "ε" * 15, start_pos=0, end_pos=15)
    with pytest.raises(SpecSyntaxError, match="105 characters"):
        name_of(token, Span(Source("ε" * 15), 0, 15))


def test_an_escape_that_does_not_exist_is_pointed_at() -> None:
    text = r"k['a\qb']"
    token = Token("STRING", text[2:8], start_pos=2, end_pos=8)
    with pytest.raises(SpecSyntaxError) as caught:
        name_of(token, Span(Source(text), 0, 9))
    assert caught.value.span is not None
    assert caught.value.span.text == r"\q"


def build(text: str) -> nodes.Program:
    """Straight from the grammar, without the scanner before it."""
    return build_program(lalr_parser().parse(text), Source(text))


def everything(node: nodes.Node) -> list[nodes.Node]:
    return [node, *(below for child in node.children() for below in everything(child))]


def test_a_program_by_hand() -> None:
    here = Span(Source(""), 0, 0)
    s, two = nodes.Name("s", span=here), nodes.Number(Fraction(2), span=here)
    argument = nodes.Keyword("scale", nodes.Power(s, two, span=here), span=here, name_span=here)
    call = nodes.Call("f", (nodes.Negation(s, span=here),), (argument,), span=here, function_span=here)
    half = nodes.Number(Fraction(1, 2), span=here)
    program = nodes.Program(
        (nodes.Param("s", ">=", half, None, span=here), nodes.Param("t", None, None, two, span=here)),
        nodes.Sum((nodes.Product((half, call), ("*",), span=here), s, two), ("-", "+"), span=here),
        span=here,
    )
    assert build("param s >= .5\nparam t = 2\n0.5·f(−s, scale=s**2) − s + 2") == program


def test_every_span_is_the_text_of_its_node() -> None:
    program = build("let w = [1, x]\n2 * f(a, b = r -> r)[c, 1:2]")
    texts = [node.span.text for node in everything(program.body)]
    assert texts == [
        "2 * f(a, b = r -> r)[c, 1:2]",
        "2",
        "f(a, b = r -> r)[c, 1:2]",
        "f(a, b = r -> r)",
        "a",
        "b = r -> r",
        "r -> r",
        "r",
        "c",
        "1:2",
    ]
    assert [node.span.text for node in everything(program.statements[0])] == ["let w = [1, x]", "[1, x]", "1", "x"]
    call = program.body.factors[1].base  # type: ignore[attr-defined]
    assert (call.function_span.text, call.keywords[0].name_span.text) == ("f", "b")


def test_selectors() -> None:
    selectors = build("k[σ, 'a b', −2, 3, :, -1:, :4]").body.selectors  # type: ignore[attr-defined]
    assert [s.identifier for s in selectors[:2]] == ["sigma", "a b"]
    assert [s.value for s in selectors[2:4]] == [-2, 3]
    assert [(s.start, s.stop) for s in selectors[4:]] == [(None, None), (-1, None), (None, 4)]


@pytest.mark.parametrize(
    ("text", "kind", "message", "place"),
    [
        ("f(a=1, 2)", SpecSyntaxError, "positional arguments come before those with a name", "2"),
        ("f(σ=1, sigma=2)", ArgumentError, "f() is given 'sigma' twice", "sigma"),
        ("param s\nlet t = 1\nlet s = 2\nk", SpecError, "'s' is already defined, on line 1", "s"),
        ("k[1.0]", SpecSyntaxError, "a column's position is a whole number, such as 0 or -1", "1.0"),
        ("k[0:-1e2]", SpecSyntaxError, "a column's position is a whole number, such as 0 or -1", "-1e2"),
        ("a + 1e309", SpecSyntaxError, "exponents of ten lie between -308 and 308", "1e309"),
    ],
)
def test_refusals(text: str, kind: type[SpecError], message: str, place: str) -> None:
    with pytest.raises(SpecError) as caught:
        build(text)
    assert type(caught.value) is kind
    assert caught.value.message == message
    assert caught.value.span is not None
    assert caught.value.span.text == place


def test_depth_counts_nodes() -> None:
    assert len(everything(build("-" * (MAX_DEPTH - 1) + "x").body)) == MAX_DEPTH
    with pytest.raises(SpecSyntaxError, match=f"nested more than {MAX_DEPTH} levels deep"):
        build("-" * MAX_DEPTH + "x")
    assert build("param a\n" + "let b = " + "-" * (MAX_DEPTH - 2) + "x\nb")


if __name__ == "__main__":
    TABLES.write_text(parser_tables(), encoding="utf-8")
