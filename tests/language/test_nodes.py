"""Nodes: frozen values that compare without their positions."""

from __future__ import annotations

import dataclasses

import pytest

from kernelspec.language import nodes
from kernelspec.language.parser import parse_program


def test_equality_and_hash_ignore_positions() -> None:
    close, far = parse_program("f(a, b=2)"), parse_program("\n\nf( a ,\n b = 2.0 )")
    assert close == far
    assert hash(close) == hash(far)
    assert close.body.span != far.body.span


@pytest.mark.parametrize(
    ("one", "other"), [("a", "b"), ("a + b", "a - b"), ("a*b", "a/b"), ("f(a)", "f(a=a)"), ("a + (b + c)", "a + b + c")]
)
def test_different_programs_differ(one: str, other: str) -> None:
    assert parse_program(one) != parse_program(other)


def test_nodes_cannot_be_changed() -> None:
    body = parse_program("a").body
    with pytest.raises(dataclasses.FrozenInstanceError):
        body.identifier = "b"  # type: ignore[attr-defined]


def test_nodes_show_what_they_are_and_not_where() -> None:
    assert repr(parse_program("-a").body) == "Negation(operand=Name(identifier='a'))"


@pytest.mark.parametrize(
    ("text", "children"),
    [
        ("f(a, b, c=d)", ["a", "b", "c=d"]),
        ("a + b - c", ["a", "b", "c"]),
        ("k[age, 0, 1:2]", ["k", "age", "0", "1:2"]),
        ("[1, 2]", ["1", "2"]),
        ("a**b", ["a", "b"]),
        ("r -> r*2", ["r*2"]),
        ("-a", ["a"]),
        ("a", []),
    ],
)
def test_children_come_in_the_order_of_the_text(text: str, children: list[str]) -> None:
    assert [child.span.text for child in parse_program(text).body.children()] == children


def test_the_children_of_statements() -> None:
    program = parse_program("param s > 0\nparam t = 2\nparam u\nlet v = 1\nk")
    below = [[child.span.text for child in statement.children()] for statement in program.children()]
    assert below == [["0"], ["2"], [], ["1"], []]


@pytest.mark.parametrize(
    "kind", [kind for kind in vars(nodes).values() if isinstance(kind, type) and kind.__module__ == nodes.__name__]
)
def test_every_kind_of_node_is_small_and_documented(kind: type) -> None:
    assert kind.__doc__
    assert "__dict__" not in dir(kind)


def test_the_parts_of_a_program_come_in_the_order_of_the_text() -> None:
    program = parse_program("let v = 1\nf(a, b + c)[d]")
    shown = [part.span.text for part in program.parts()]
    assert shown[1:] == ["let v = 1", "1", "f(a, b + c)[d]", "f(a, b + c)", "a", "b + c", "b", "c", "d"]
