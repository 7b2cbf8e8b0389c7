"""The Pygments lexer of specs, which colors them in documents, terminals and notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

__all__ = ["KernelspecLexer", "textmate_grammar"]

_RULES: tuple[tuple[str, tuple[Any, ...]], ...] = (
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
        "root": [(pattern, own[0] if len(own) == 1 else bygroups(*own)) for pattern, own in _RULES],
    }


_SCOPES: Mapping[Any, str] = {
    Comment.Hashbang: "comment.line.shebang",
    Comment.Single: "comment.line.number-sign",
    Keyword.Declaration: "storage.type",
    Keyword.Constant: "constant.language.boolean",
    Name.Constant: "constant.language",
    Name.Variable: "variable.other.declaration",
    Name.Function: "entity.name.function",
    Name.Attribute: "variable.parameter",
    Name: "variable.other",
    Number: "constant.numeric",
    String: "string.quoted",
    Operator: "keyword.operator",
    Punctuation: "punctuation",
}
"""What editors call the tokens."""


def textmate_grammar() -> dict[str, Any]:
    """The same rules as a TextMate grammar, which VS Code and other editors read: `editors/vscode`."""
    patterns = []
    for pattern, own in _RULES:
        scopes = [f"{_SCOPES[token]}.kernelspec" if token in _SCOPES else None for token in own]
        if len(own) > 1:
            captures = {str(i): {"name": scope} for i, scope in enumerate(scopes, 1) if scope is not None}
            patterns.append({"match": pattern, "captures": captures})
        elif scopes[0] is not None:
            patterns.append({"match": pattern, "name": scopes[0]})
    return {"name": "kernelspec", "scopeName": "source.kernelspec", "fileTypes": ["kernel"], "patterns": patterns}
