"""The rules of the Pygments lexer as a TextMate grammar, which VS Code and other editors read: `editors/vscode`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String

from kernelspec.rendering.lexer import RULES

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
    """The grammar as data."""
    patterns = []
    for pattern, own in RULES:
        scopes = [f"{_SCOPES[token]}.kernelspec" if token in _SCOPES else None for token in own]
        if len(own) > 1:
            captures = {str(i): {"name": scope} for i, scope in enumerate(scopes, 1) if scope is not None}
            patterns.append({"match": pattern, "captures": captures})
        elif scopes[0] is not None:
            patterns.append({"match": pattern, "name": scopes[0]})
    return {"name": "kernelspec", "scopeName": "source.kernelspec", "fileTypes": ["kernel"], "patterns": patterns}


if __name__ == "__main__":
    path = Path(__file__).parent / "vscode" / "kernelspec.tmLanguage.json"
    path.write_text(json.dumps(textmate_grammar(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
