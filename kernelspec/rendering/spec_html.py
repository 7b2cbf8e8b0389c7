"""The text of a spec in colours."""

from __future__ import annotations

from kernelspec.rendering.html import preformatted

__all__ = ["coloured"]

_LIGHT = "background: #f8f8f8; color: #000; padding: 0.4em 0.8em"
"""The colours are made for it, whatever the theme of the notebook."""


def coloured(text: str) -> str:
    """The text of a spec as HTML, its words in colours; without colours where Pygments is missing."""
    try:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter

        from kernelspec.rendering.lexer import KernelspecLexer
    except ImportError:
        return preformatted(text.rstrip())
    lexer = KernelspecLexer(stripnl=False, ensurenl=False)
    body = highlight(text.rstrip(), lexer, HtmlFormatter(noclasses=True, nowrap=True)).rstrip()
    return f'<pre style="{_LIGHT}">{body}</pre>'
