"""From the parser's tree to nodes: values, spans, and what is refused while they are built."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kernelspec.errors import ArgumentError, SpecError, SpecSyntaxError
from kernelspec.language import nodes
from kernelspec.language.grammar import build_program, lalr_parser
from kernelspec.limits import MAX_DEPTH
from kernelspec.loading import Source, Span


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
