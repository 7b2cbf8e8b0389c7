"""Tables, formulas and specs for notebooks, and text of any length on one line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from html import escape

__all__ = [
    "coloured",
    "folded",
    "html_grid",
    "html_rows",
    "latex_rows",
    "latex_subscript",
    "latex_words",
    "preformatted",
    "quoted",
]

_MOST = 120


def quoted(text: str) -> str:
    """The text in double quotes, with line breaks escaped as in Python, truncated if very long."""
    shown = json.dumps(text.strip(), ensure_ascii=False)
    return shown if len(shown) <= _MOST else f'{shown[:_MOST]}…"'


_LEFT = ' style="text-align: left; vertical-align: top"'


def html_rows(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """A table of labels and values, below a title. Texts are escaped; line breaks stay."""
    body = "".join(f"<tr><th{_LEFT}>{escape(label)}</th><td{_LEFT}>{_lines(text)}</td></tr>" for label, text in rows)
    return f"<table><caption{_LEFT}><b>{escape(title)}</b></caption><tbody>{body}</tbody></table>"


def html_grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a header line. Texts are escaped."""
    names = "".join(f"<th{_LEFT}>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td{_LEFT}>{_lines(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def preformatted(text: str) -> str:
    """Verbatim text in a monospaced font."""
    return f"<pre>{escape(text)}</pre>"


def folded(summary: str, body: str) -> str:
    """A part that opens with a click; `body` is HTML."""
    return f"<details><summary>{escape(summary)}</summary>{body}</details>"


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")


_ESCAPED = {sign: f"\\{sign}" for sign in "${}"}
_SIGNS = {"^": r"\wedge", "~": r"\sim", "\\": r"\backslash"} | {sign: f"\\{sign}" for sign in "%&#_"}
"""These have no form that LaTeX and MathJax both read inside \\text: they become signs between words."""


def latex_words(text: str) -> str:
    r"""Text in a formula: `\text{50}{\%}`, with signs that words cannot contain between them.

    Characters that LaTeX does not typeset by default, such as σ, are left to the document's font.
    """
    found = []
    for part in re.split(r"([\^~\\%&#_])", re.sub(r"\s+", " ", text)):
        if part in _SIGNS:
            found.append(f"{{{_SIGNS[part]}}}")
        elif part:
            found.append(rf"\text{{{''.join(_ESCAPED.get(sign, sign) for sign in part)}}}")
    return "".join(found) or r"\text{}"


def latex_subscript(symbol: str, index: str) -> str:
    """A letter with an index: numbers and plain words unchanged, everything else as words."""
    return f"{symbol}_{{{index if re.fullmatch(r'[A-Za-z0-9]+', index) else latex_words(index)}}}"


def latex_rows(rows: Iterable[tuple[str, str]]) -> str:
    """Labels and values as one formula, `$…$`."""
    body = " \\\\\n".join(
        rf"{latex_words(label)} & {latex_words(line)}"
        for name, text in rows
        for label, line in zip([name, *[""] * text.count("\n")], text.split("\n"), strict=True)
    )
    return f"$\\begin{{array}}{{ll}}\n{body}\n\\end{{array}}$"


_LIGHT = "background: #f8f8f8; color: #000; padding: 0.4em 0.8em; white-space: pre-wrap"
"""The background that the colors are made for, in any notebook theme."""


def coloured(text: str) -> str:
    """The text of a spec as highlighted HTML; without colors if Pygments is missing."""
    try:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter

        from kernelspec.rendering.lexer import KernelspecLexer
    except ImportError:
        return preformatted(text.rstrip())
    lexer = KernelspecLexer(stripnl=False, ensurenl=False)
    body = highlight(text.rstrip(), lexer, HtmlFormatter(noclasses=True, nowrap=True)).rstrip()
    return f'<pre style="{_LIGHT}">{body}</pre>'
