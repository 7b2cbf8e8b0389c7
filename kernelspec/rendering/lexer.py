"""The lexer of specs for Pygments, which colours them in documents, in terminals and in notebooks."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

__all__ = ["KernelspecLexer"]


class KernelspecLexer(RegexLexer):  # type: ignore[misc]
    """Specs, `*.kernel`: comments, definitions, calls, arguments, numbers, columns in quotes."""

    name = "kernelspec"
    aliases: ClassVar[list[str]] = ["kernelspec", "kernel"]
    filenames: ClassVar[list[str]] = ["*.kernel"]
    mimetypes: ClassVar[list[str]] = ["text/x-kernelspec"]
    url = ""

    tokens: ClassVar = {
        "root": [
            (r"\A#!.*$", Comment.Hashbang),
            (r"#.*$", Comment.Single),
            (r"\s+", Whitespace),
            (r"(param|let)\b(\s+)(\w+)", bygroups(Keyword.Declaration, Whitespace, Name.Variable)),
            (words(("true", "false"), suffix=r"\b"), Keyword.Constant),
            (words(("pi", "ones", "d", "π"), suffix=r"\b"), Name.Constant),
            (r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", Number),
            (r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""", String),
            (r"[^\W\d]\w*(?=\s*\()", Name.Function),
            (r"([^\W\d]\w*)(\s*)(=)(?![=>])", bygroups(Name.Attribute, Whitespace, Operator)),
            (r"[^\W\d]\w*", Name),
            (r"->|\*\*|[-+*/=<>·⋅×−]=?", Operator),
            (r"[()\[\],:]", Punctuation),
        ]
    }
