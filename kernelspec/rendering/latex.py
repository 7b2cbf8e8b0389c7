"""Words inside formulas, and tables as formulas, in what LaTeX and MathJax both understand."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["latex_rows", "latex_subscript", "latex_words"]

_ESCAPED = {sign: f"\\{sign}" for sign in "%&#_${}"}
_SIGNS = {"^": r"\wedge", "~": r"\sim", "\\": r"\backslash"}
"""These have no form that both read inside of words: they are signs between words."""


def latex_words(text: str) -> str:
    r"""Text in a formula: `\text{50\%}`, with signs that words cannot hold between them.

    What no LaTeX sets by itself, such as σ, is left to the document's font.
    """
    found = []
    for part in re.split(r"([\^~\\])", re.sub(r"\s+", " ", text)):
        if part in _SIGNS:
            found.append(f"{{{_SIGNS[part]}}}")
        elif part:
            found.append(rf"\text{{{''.join(_ESCAPED.get(sign, sign) for sign in part)}}}")
    return "".join(found) or r"\text{}"


def latex_subscript(symbol: str, index: str) -> str:
    """A letter with an index: a number or a plain word as it is, everything else as words."""
    return f"{symbol}_{{{index if re.fullmatch(r'[A-Za-z0-9]+', index) else latex_words(index)}}}"


def latex_rows(rows: Iterable[tuple[str, str]]) -> str:
    """Labels and what they say as one formula, `$…$`."""
    body = " \\\\\n".join(
        rf"{latex_words(label)} & {latex_words(line)}"
        for name, text in rows
        for label, line in zip([name, *[""] * text.count("\n")], text.split("\n"), strict=True)
    )
    return f"$\\begin{{array}}{{ll}}\n{body}\n\\end{{array}}$"
