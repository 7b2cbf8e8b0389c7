"""HTML that is well formed, whatever stands in it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from kernelspec.rendering.notebooks import folded, html_grid, html_rows, preformatted

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
