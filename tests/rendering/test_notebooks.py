"""Tests of `rendering/notebooks.py`."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pygments.token import Comment, Error, Keyword, Name, Number, String

from kernelspec.loading import load_from
from kernelspec.rendering.lexer import KernelspecLexer
from kernelspec.rendering.notebooks import (
    coloured,
    folded,
    html_grid,
    html_rows,
    latex_rows,
    latex_subscript,
    latex_words,
    preformatted,
    quoted,
)

ODD = "<b>&amp; \"quoted\" 'too' </table>"


def texts(html: str) -> list[str]:
    return [text for text in ElementTree.fromstring(html.replace("<br>", "<br/>")).itertext() if text]


@pytest.mark.parametrize("text", ["plain", ODD, "<script>alert(1)</script>", "σ ≤ ∞"])
def test_text_is_shown_and_never_markup(text: str) -> None:
    assert texts(html_rows(text, [(text, text)])) == [text, text, text]
    assert texts(html_grid([text], [[text], [text]])) == [text] * 3
    assert texts(preformatted(text)) == [text]
    assert texts(folded(text, preformatted(text))) == [text, text]


def test_line_breaks_stay() -> None:
    assert texts(html_rows("", [("since", "one\ntwo")])) == ["since", "one", "two"]
    assert html_rows("t", []).count("<tr>") == 0


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("age", r"\text{age}"),
        ("50%", r"\text{50}{\%}"),
        ("A&B", r"\text{A}{\&}\text{B}"),
        ("c#", r"\text{c}{\#}"),
        ("x^2", r"\text{x}{\wedge}\text{2}"),
        ("a_b", r"\text{a}{\_}\text{b}"),
        ("price in $", r"\text{price in \$}"),
        ("{x}", r"\text{\{x\}}"),
        ("a\\b~c", r"\text{a}{\backslash}\text{b}{\sim}\text{c}"),
        ("two\nlines", r"\text{two lines}"),
        ("", r"\text{}"),
    ],
)
def test_words(text: str, shown: str) -> None:
    assert latex_words(text) == shown


def test_no_sign_keeps_its_meaning() -> None:
    found = latex_words("".join(map(chr, range(32, 127))))
    assert not re.search(r"(?<!\\)[%&#_$^~]", found)
    bare = re.sub(r"\\[{}]", "", found)
    depth = 0
    for sign in bare:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0


def test_an_index() -> None:
    assert latex_subscript("x", "12") == "x_{12}"
    assert latex_subscript(r"\omega", "age") == r"\omega_{age}"
    assert latex_subscript("y", "sepal length") == r"y_{\text{sepal length}}"


def test_rows_are_one_formula() -> None:
    found = latex_rows([("why", "A&B\n50%"), ("seed", "0")])
    assert found == (
        "$\\begin{array}{ll}\n"
        "\\text{why} & \\text{A}{\\&}\\text{B} \\\\\n\\text{} & \\text{50}{\\%} \\\\\n"
        "\\text{seed} & \\text{0}\n\\end{array}$"
    )


def test_quotes_and_line_breaks_are_those_of_python() -> None:
    for text in ("gaussian()", 'gaussian()["a b"]', "let σ = 2\ngaussian(σ)", r'k["a\\b"]'):
        assert ast.literal_eval(quoted(text)) == text
        assert "\n" not in quoted(text)
    assert quoted("  gaussian()\n") == '"gaussian()"'


def test_long_text_is_cut() -> None:
    assert len(quoted("laplace() + " * 100)) <= 122
    assert quoted("laplace() + " * 100).endswith('…"')


TEXT = 'param s = 2  # <b>\n0.7*gaussian(scale=s)["A&B"]\n'


def test_the_text_is_whole_and_coloured() -> None:
    tree = ElementTree.fromstring(coloured(TEXT))
    assert "".join(tree.itertext()) == TEXT.rstrip()
    assert len({part.get("style") for part in tree.iter("span")}) > 4


def test_without_pygments_it_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygments", None)
    tree = ElementTree.fromstring(coloured(TEXT))
    assert "".join(tree.itertext()) == TEXT.rstrip()
    assert not list(tree)


ROOT = Path(__file__).resolve().parents[2]
SPECS = [*(ROOT / "examples").rglob("*.kernel")]

TEXT_OF_LEXER = """#! kernelspec 1
param width > 0  # free
let k = gaussian(scale=width)["50%", age]**2
0.7*k - 1e-3*product(t -> max(0, 1 - abs(t)))·bochner(student_t(3), isotropic=true)[0:3]*cosine(pi/d)
"""


def tokens(text: str) -> list[tuple[object, str]]:
    return [token for token in KernelspecLexer(stripnl=False, ensurenl=False).get_tokens(text) if token[1].strip()]


def test_words_are_told_apart() -> None:
    found = tokens(TEXT_OF_LEXER)
    for kind, word in (
        (Comment.Hashbang, "#! kernelspec 1"),
        (Comment.Single, "# free"),
        (Keyword.Declaration, "param"),
        (Keyword.Declaration, "let"),
        (Name.Variable, "width"),
        (Name.Function, "gaussian"),
        (Name.Attribute, "scale"),
        (String, '"50%"'),
        (Name, "age"),
        (Number, "1e-3"),
        (Name.Function, "student_t"),
        (Keyword.Constant, "true"),
        (Name.Constant, "pi"),
        (Name.Constant, "d"),
    ):
        assert (kind, word) in found
    assert Error not in {kind for kind, _ in found}


@pytest.mark.parametrize("text", [TEXT_OF_LEXER, *(path.read_text(encoding="utf-8") for path in SPECS)])
def test_nothing_is_lost_or_unknown(text: str) -> None:
    lexer = KernelspecLexer(stripnl=False, ensurenl=False)
    assert "".join(word for _, word in lexer.get_tokens(text)) == text
    assert Error not in {kind for kind, _ in lexer.get_tokens(text)}


def test_pygments_finds_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert load_from(project["entry-points"]["pygments.lexers"]["kernelspec"]) is KernelspecLexer
    assert {"kernelspec", "kernel"} == set(KernelspecLexer.aliases)
