"""Tables, text and folded parts for notebooks, in HTML that has no styles of its own but a few inline ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["folded", "html_grid", "html_rows", "preformatted"]

_LEFT = ' style="text-align: left; vertical-align: top"'


def html_rows(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """A table of labels and what they say, below a title. Texts are escaped; line breaks stay."""
    body = "".join(f"<tr><th{_LEFT}>{escape(label)}</th><td{_LEFT}>{_lines(text)}</td></tr>" for label, text in rows)
    return f"<table><caption{_LEFT}><b>{escape(title)}</b></caption><tbody>{body}</tbody></table>"


def html_grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a line of column names. Texts are escaped."""
    names = "".join(f"<th{_LEFT}>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td{_LEFT}>{_lines(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def preformatted(text: str) -> str:
    """Text as it stands, in letters of one width."""
    return f"<pre>{escape(text)}</pre>"


def folded(summary: str, body: str) -> str:
    """A part that opens with a click; `body` is HTML."""
    return f"<details><summary>{escape(summary)}</summary>{body}</details>"


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")
