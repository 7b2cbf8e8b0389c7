"""The Pygments lexer of specs, which colors them in documents, terminals and notebooks."""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

__all__ = ["RULES", "KernelspecLexer"]

RULES: tuple[tuple[str, tuple[Any, ...]], ...] = (
    (r"\A#!.*$", (Comment.Hashbang,)),
    (r"#.*$", (Comment.Single,)),
    (r"\s+", (Whitespace,)),
    (r"(param|let)\b(\s+)(\w+)", (Keyword.Declaration, Whitespace, Name.Variable)),
    (r"(?:true|false)\b", (Keyword.Constant,)),
    (r"(?:pi|ones|d|π)\b", (Name.Constant,)),
    (r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", (Number,)),
    (r"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""", (String,)),
    (r"[^\W\d]\w*(?=\s*\()", (Name.Function,)),
    (r"([^\W\d]\w*)(\s*)(=)(?![=>])", (Name.Attribute, Whitespace, Operator)),
    (r"[^\W\d]\w*", (Name,)),
    (r"->|\*\*|[-+*/=<>·⋅×−]=?", (Operator,)),
    (r"[()\[\],:]", (Punctuation,)),
)
"""Patterns, the first of which that matches counts, and the token of the whole, or of each group."""


class KernelspecLexer(RegexLexer):  # type: ignore[misc]
    """Specs, `*.kernel`: comments, definitions, calls, arguments, numbers, columns in quotes."""

    name = "kernelspec"
    aliases: ClassVar[list[str]] = ["kernelspec", "kernel"]
    filenames: ClassVar[list[str]] = ["*.kernel"]
    mimetypes: ClassVar[list[str]] = ["text/x-kernelspec"]
    url = ""

    tokens: ClassVar = {
        "root": [(pattern, own[0] if len(own) == 1 else bygroups(*own)) for pattern, own in RULES],
    }
