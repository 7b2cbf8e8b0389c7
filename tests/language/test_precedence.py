"""How tightly forms bind: what a text becomes when it stands, without brackets, where a tighter one belongs."""

from __future__ import annotations

import pytest

from kernelspec.errors import SpecError
from kernelspec.language import nodes
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import Binding, binding

FORMS = {
    "r -> a": Binding.LAMBDA,
    "a - b": Binding.SUM,
    "a/b": Binding.PRODUCT,
    "-a": Binding.NEGATION,
    "a**b": Binding.POWER,
    "a": Binding.ATOM,
    "1.5": Binding.ATOM,
    "f(a + b)": Binding.ATOM,
    "[a, -b]": Binding.ATOM,
    "k[1:2]": Binding.ATOM,
}


def body(text: str) -> nodes.Node | None:
    try:
        return parse_program(text).body
    except SpecError:
        return None


@pytest.mark.parametrize(("text", "expected"), FORMS.items())
def test_the_binding_of_every_form(text: str, expected: Binding) -> None:
    node = parse_program(text).body
    assert binding(node) is expected


@pytest.mark.parametrize("text", FORMS)
@pytest.mark.parametrize(
    ("frame", "least"),
    [
        ("f({})", Binding.LAMBDA),
        ("2 + {}", Binding.PRODUCT),
        ("2*{}", Binding.NEGATION),
        ("-{}", Binding.NEGATION),
        ("2**{}", Binding.NEGATION),
        ("{}**2", Binding.ATOM),
        ("{}[0]", Binding.ATOM),
    ],
)
def test_brackets_change_nothing_exactly_where_the_form_binds_tightly_enough(
    text: str, frame: str, least: Binding
) -> None:
    bracketed = body(frame.format(f"({text})"))
    assert bracketed is not None
    assert (body(frame.format(text)) == bracketed) == (binding(parse_program(text).body) >= least)


def test_what_is_no_expression_never_gets_brackets() -> None:
    program = parse_program("param s > 0\nlet t = s\nf(a=t)[0:1]")
    (keyword,) = (node for node in program.body.base.children() if isinstance(node, nodes.Keyword))  # type: ignore[attr-defined]
    for node in (program, *program.statements, keyword):
        assert binding(node) is Binding.ATOM
