"""The lexer of specs: every text comes out whole, and the words of the language are told apart."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from pygments.token import Comment, Error, Keyword, Name, Number, String

from kernelspec.loading import load_from
from kernelspec.rendering.lexer import KernelspecLexer

ROOT = Path(__file__).resolve().parents[2]
SPECS = [*(ROOT / "examples").rglob("*.kernel")]

TEXT = """#! kernelspec 1
param width > 0  # free
let k = gaussian(scale=width)["50%", age]**2
0.7*k - 1e-3*product(t -> max(0, 1 - abs(t)))·bochner(student_t(3), isotropic=true)[0:3]*cosine(pi/d)
"""


def tokens(text: str) -> list[tuple[object, str]]:
    return [token for token in KernelspecLexer(stripnl=False, ensurenl=False).get_tokens(text) if token[1].strip()]


def test_words_are_told_apart() -> None:
    found = tokens(TEXT)
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


@pytest.mark.parametrize("text", [TEXT, *(path.read_text(encoding="utf-8") for path in SPECS)])
def test_nothing_is_lost_or_unknown(text: str) -> None:
    lexer = KernelspecLexer(stripnl=False, ensurenl=False)
    assert "".join(word for _, word in lexer.get_tokens(text)) == text
    assert Error not in {kind for kind, _ in lexer.get_tokens(text)}


def test_pygments_finds_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert load_from(project["entry-points"]["pygments.lexers"]["kernelspec"]) is KernelspecLexer
    assert {"kernelspec", "kernel"} == set(KernelspecLexer.aliases)
