"""Tests of `language/grammar.py`."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import lark
import pytest
from lark import Lark

from kernelspec.errors import ArgumentError, FileError, SpecError, SpecSyntaxError
from kernelspec.language import grammar, nodes
from kernelspec.language.grammar import build_program, grammar_text, lalr_parser, parser_tables
from kernelspec.language.parser import parse_program
from kernelspec.limits import MAX_DEPTH
from kernelspec.loading import Source

TABLES = Path(__file__).resolve().parents[2] / "grammars" / "kernelspec.tables.json"


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


@pytest.mark.slow
def test_the_grammar_has_no_conflict() -> None:
    pytest.importorskip("interegular")
    Lark(grammar_text(), parser="lalr", strict=True)


def test_every_terminal_has_a_name() -> None:
    assert not [terminal.name for terminal in lalr_parser().terminals if terminal.name.startswith("__")]


def test_the_grammar_fits_on_two_screens() -> None:
    assert len(grammar_text().splitlines()) <= 100


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


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["let a = 2\n(x + y)*f(a,)", "(f(a, b=[1, x -> -x])[0, 'c', 1:])**2", "param s > 0\nk"]
)
def test_the_kept_tables_parse_as_built_ones(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = lalr_parser.__wrapped__().parse(text)
    monkeypatch.setattr(grammar, "lark_version", "0")
    built = lalr_parser.__wrapped__().parse(text)
    described = [[(b.rule, b.start_pos, b.end_pos) for b in tree.leaves_first()] for tree in (kept, built)]  # type: ignore[union-attr]
    assert described[0] == described[1]


def test_tables_of_another_grammar_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar, "_PLACES", (tmp_path,))
    (tmp_path / "kernelspec.lark").write_text('start: NAME\nNAME: "x"', encoding="utf-8")
    for kept in (TABLES.read_text(encoding="utf-8"), "{", "[]", f'{{"lark": "{lark.__version__}"}}'):
        (tmp_path / "kernelspec.tables.json").write_text(kept, encoding="utf-8")
        assert lalr_parser.__wrapped__().parse("x").rule == "start"  # type: ignore[union-attr]


def build(text: str) -> nodes.Program:
    """Straight from the grammar, without the scanner before it."""
    return build_program(lalr_parser().parse(text), Source(text))


ESCAPES = r"use \\, \", \', \n, \r or \t"


def test_names_of_a_hundred_characters() -> None:
    assert build(f"{'a' * 100}[{'b' * 100}, '{'c' * 100}']").body


def everything(node: nodes.Node) -> list[nodes.Node]:
    return [node, *(below for child in node.children() for below in everything(child))]


@pytest.mark.parametrize(
    ("text", "kind", "message", "place"),
    [
        ("f(a=1, 2)", SpecSyntaxError, "positional arguments must come before keyword arguments", "2"),
        ("f(σ=1, sigma=2)", ArgumentError, "f() has argument 'sigma' twice", "sigma"),
        ("param s\nlet t = 1\nlet s = 2\nk", SpecError, "'s' is already defined, on line 1", "s"),
        ("k[1.0]", SpecSyntaxError, "a column position must be a whole number, such as 0 or -1", "1.0"),
        ("k[0:-1e2]", SpecSyntaxError, "a column position must be a whole number, such as 0 or -1", "-1e2"),
        *(
            (frame.format(name), SpecSyntaxError, f"this name has {n} characters; at most 100 are allowed", name)
            for frame, name, n in (
                ("2*{}", "a" * 101, 101),
                ("k[{}]", f"'{'a' * 101}'", 101),
                ("2*{}", "ε" * 15, 105),  # of epsilon
            )
        ),
        (r"k['a\qb']", SpecSyntaxError, rf"unknown escape '\q' in a quoted name: {ESCAPES}", r"\q"),
        ("a + 1e309", SpecSyntaxError, "exponents of ten must lie between -308 and 308", "1e309"),
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
