"""Statements of one form, parsed once, against the parser of whole texts."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings

from kernelspec.errors import SpecError
from kernelspec.language import nodes, parser
from kernelspec.language.grammar import build_program, lalr_parser
from kernelspec.language.line_forms import program_of_lines
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import print_node
from kernelspec.language.scanner import scan
from kernelspec.loading import Source, Span
from tests.language.strategies import expressions
from tests.thoroughness import examples


def _whole(source: Source) -> nodes.Program:
    return build_program(lalr_parser().parse(scan(source).text), source)  # type: ignore[arg-type]


def _places(program: nodes.Program) -> list[tuple[Any, ...]]:
    """Every node with all of its spans."""
    return [
        (type(node), *((s.start, s.end) for part in fields(node) if isinstance(s := getattr(node, part.name), Span)))
        for node in program.parts()
    ]


def _check(text: str) -> nodes.Program:
    source = Source(text)
    found, exact = program_of_lines(scan(source).text, source), _whole(source)
    assert found == exact
    assert found is not None
    assert _places(found) == _places(exact)
    return found


@settings(max_examples=examples(100))
@given(expressions())
def test_statements_of_one_form(expression: nodes.Expression) -> None:
    value = print_node(expression)
    _check("".join(f"let a{i} = {value}\n" for i in range(4)) + f"param s = {value}\n\nparam t = {value}\n({value})")


@pytest.mark.parametrize(
    "text",
    [
        "\n\n  let a = k[0:3]\nlet b = k[1:2]\nlet c = k [ 4 : 5 ]\nlet e = k[-1]\nlet f = k[-2]\na*b\n\n ",
        "# two\nlet a = f(\n  1,\n  x=2)  # of them\nlet b = f(3, x=.4e1)\nlet c = g(5, let=6)\na",
        "param a > 0\nparam b <= 1\nparam c\nparam e\nlet σ = a·b − 2\nlet τ = a*b - 2\nlet ρ = c*e - 3\nσ",
        'let a = k["x y"]\nlet b = k["y"]\nlet c = k[z]\nlet e = k[param]\nlet f = k[let]\na',
        "let a = (x -> x**2)\nlet b = (y -> y**3)\nlet c = -((2))\nlet e = -((3))\nlet f = -((4))\n a ",
    ],
)
def test_layouts(text: str) -> None:
    _check(text)


def test_texts_whose_statements_have_little_in_common() -> None:
    for text in ("a", "let a = 1\na", "let a = 1\nlet b = -1\nlet c = b*a\nc", "", "let a = ?\n" * 5 + "a"):
        assert program_of_lines(text, Source(text)) is None


@pytest.mark.parametrize(
    "line",
    [
        *("let k2 = gaussian(", "let k2 =", "let k1 = gaussian()", "k9", "let k2 = 1 2", "let k2 = gaussian(a=1, a=2)"),
        *("let k2 = 1e9999", f"let k2 = {'-' * 300}1", f"let {'k' * 300} = gaussian()", "let k2 = gau$$ian()", "par 3"),
    ],
)
def test_errors_are_those_of_the_whole_text(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"let k{i} = gaussian()\n" for i in range(30)).replace("let k2 = gaussian()", line) + "k5"
    with pytest.raises(SpecError) as found:
        parse_program(text)
    monkeypatch.setattr(parser, "program_of_lines", lambda text, source: None)
    with pytest.raises(SpecError) as exact:
        parse_program(text)
    assert str(found.value) == str(exact.value)
    assert type(found.value) is type(exact.value)
