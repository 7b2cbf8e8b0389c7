"""Text on one line."""

from __future__ import annotations

import ast

from kernelspec.rendering.notebooks import quoted


def test_quotes_and_line_breaks_are_those_of_python() -> None:
    for text in ("gaussian()", 'gaussian()["a b"]', "let σ = 2\ngaussian(σ)", r'k["a\\b"]'):
        assert ast.literal_eval(quoted(text)) == text
        assert "\n" not in quoted(text)
    assert quoted("  gaussian()\n") == '"gaussian()"'


def test_long_text_is_cut() -> None:
    assert len(quoted("laplace() + " * 100)) <= 122
    assert quoted("laplace() + " * 100).endswith('…"')
