"""Tests of `language/strategies.py`."""

from __future__ import annotations

from fractions import Fraction

import hypothesis.strategies as st

from kernelspec.language import nodes
from kernelspec.language.literals import find_forbidden
from kernelspec.loading import Source, Span

__all__ = ["NOWHERE", "expressions", "programs", "spec_like_text"]

NOWHERE = Span(Source(""), 0, 0)
"""The span of nodes that came from no text; comparisons ignore it."""

_WORDS = ["param", "let", "lambda", "pi", "d", "gamma", "if", "import", "_", "e5"]

names = st.sampled_from(_WORDS) | st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
columns = names | st.text(max_size=12).filter(lambda name: find_forbidden(name) is None)


@st.composite
def numbers(draw: st.DrawFn) -> nodes.Number:
    digits = draw(st.integers(0, 10**6) | st.integers(0, 10**40))
    return nodes.Number(Fraction(digits) * Fraction(10) ** draw(st.integers(-60, 60)), span=NOWHERE)


def _is_no_column(node: nodes.Expression) -> bool:
    """Whether an expression alone in a selection stays what it is: numbers become positions, strings columns."""
    number = node.operand if isinstance(node, nodes.Negation) else node
    return not isinstance(number, nodes.Number | nodes.Text)


def _selectors(inner: st.SearchStrategy[nodes.Expression]) -> st.SearchStrategy[nodes.Expression | nodes.Slice]:
    ends = st.none() | st.integers(-50, 50)
    return st.one_of(
        st.builds(nodes.Name, columns, span=st.just(NOWHERE)),
        st.builds(lambda i: nodes.Number(Fraction(i), span=NOWHERE), st.integers(-50, 50)),
        st.builds(nodes.Slice, ends, ends, span=st.just(NOWHERE)),
        inner.filter(_is_no_column),
    )


@st.composite
def _calls(draw: st.DrawFn, inner: st.SearchStrategy[nodes.Expression]) -> nodes.Call:
    positional = draw(st.lists(inner, max_size=3))
    keys = draw(st.lists(names, max_size=3, unique=True))
    keywords = [nodes.Keyword(key, draw(inner), span=NOWHERE, name_span=NOWHERE) for key in keys]
    return nodes.Call(draw(names), tuple(positional), tuple(keywords), span=NOWHERE, function_span=NOWHERE)


@st.composite
def _chains(draw: st.DrawFn, inner: st.SearchStrategy[nodes.Expression]) -> nodes.Expression:
    parts = tuple(draw(st.lists(inner, min_size=2, max_size=4)))
    signs = len(parts) - 1
    if draw(st.booleans()):
        plus = draw(st.lists(st.sampled_from(["+", "-"]), min_size=signs, max_size=signs))
        return nodes.Sum(parts, tuple(plus), span=NOWHERE)
    times = draw(st.lists(st.sampled_from(["*", "/"]), min_size=signs, max_size=signs))
    return nodes.Product(parts, tuple(times), span=NOWHERE)


def _deeper(inner: st.SearchStrategy[nodes.Expression]) -> st.SearchStrategy[nodes.Expression]:
    here = st.just(NOWHERE)
    selectors = st.lists(_selectors(inner), min_size=1, max_size=3).map(tuple)
    return st.one_of(
        _calls(inner),
        _chains(inner),
        st.builds(nodes.Vector, st.lists(inner, min_size=1, max_size=3).map(tuple), span=here),
        st.builds(nodes.Lambda, names, inner, span=here),
        st.builds(nodes.Negation, inner, span=here),
        st.builds(nodes.Power, inner, inner, span=here),
        st.builds(nodes.Select, inner, selectors, span=here),
    )


_LEAVES = (
    numbers()
    | st.builds(nodes.Name, names, span=st.just(NOWHERE))
    | st.builds(nodes.Text, columns, span=st.just(NOWHERE))
)
_EXPRESSIONS = st.recursive(_LEAVES, _deeper, max_leaves=25)


def expressions() -> st.SearchStrategy[nodes.Expression]:
    """Any expression."""
    return _EXPRESSIONS


@st.composite
def programs(draw: st.DrawFn) -> nodes.Program:
    """Any program; its statements have different names, nothing else makes sense."""
    statements: list[nodes.Param | nodes.Let] = []
    for name in draw(st.lists(names, max_size=3, unique=True)):
        if draw(st.booleans()):
            statements.append(nodes.Let(name, draw(expressions()), span=NOWHERE))
            continue
        relation = draw(st.sampled_from([None, ">", ">=", "<", "<=", "in"]))
        bound = None if relation is None else draw(expressions())
        interval = nodes.Interval(bound, draw(expressions()), span=NOWHERE) if bound and relation == "in" else None
        length = nodes.Length(draw(expressions()), span=NOWHERE) if draw(st.booleans()) else None
        statements.append(
            nodes.Param(
                name,
                length,
                draw(st.none() | expressions()),
                None if interval else relation,
                None if interval else bound,
                interval,
                span=NOWHERE,
            )
        )
    return nodes.Program(tuple(statements), draw(expressions()), span=NOWHERE)


def spec_like_text() -> st.SearchStrategy[str]:
    """Words and signs of the language in any order, and now and then something foreign."""
    pieces = [
        *"()[],:=<>+-*/^#'\"\n .;{}|\\",
        *(
            "**",
            "->",
            "==",
            ">=",
            "=>",
            "  ",
            "\n\n",
            "#! kernelspec 1\n",
            "# note\n",
            "\r\n",
            "\t",
            "\0",
            "×",
            "−",
            "\ud800",
        ),
        *(
            "param ",
            "let ",
            "lambda ",
            "gaussian",
            "k",
            "σ",
            "import ",
            "s",
            "2",
            "1.5",
            ".5",
            "1e-3",
            "1e400",
            "r -> r",
        ),
        *("gaussian(scale=2)", "k[age, 0:3]", "[1, 2]", "param s > 0\n", "let a = 2\n", "(a + b)", '"x y"'),
    ]
    return st.lists(st.sampled_from(pieces) | st.characters(codec="utf-8"), max_size=25).map("".join)
