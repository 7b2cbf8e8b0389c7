"""What the parser makes of rules: extents with brackets, no punctuation, any depth."""

from __future__ import annotations

import tracemalloc

import pytest
from lark import Token

from kernelspec.language.grammar import Branch, lalr_parser
from kernelspec.language.parser import parse_program


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
