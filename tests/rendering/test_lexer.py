"""One source of colors: the Pygments lexer and the TextMate grammar, checked against the examples and the parser."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
from pygments.token import Error

import kernelspec as ks
from kernelspec.language.nodes import Call, Param
from kernelspec.rendering.lexer import KernelspecLexer

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "editors" / "vscode"
GRAMMAR = FOLDER / "kernelspec.tmLanguage.json"
textmate_grammar = runpy.run_path(str(ROOT / "editors" / "textmate.py"))["textmate_grammar"]
EXAMPLES = sorted((ROOT / "examples").rglob("*.kernel"))


def test_the_file_has_the_rules_of_the_lexer() -> None:
    assert json.loads(GRAMMAR.read_text(encoding="utf-8")) == textmate_grammar()


def test_the_extension_names_files_that_exist() -> None:
    package = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    (language,), (grammar,) = package["contributes"]["languages"], package["contributes"]["grammars"]
    assert (FOLDER / grammar["path"]).samefile(GRAMMAR)
    assert (
        json.loads((FOLDER / language["configuration"]).read_text(encoding="utf-8"))["comments"]["lineComment"] == "#"
    )
    assert grammar["scopeName"] == textmate_grammar()["scopeName"]
    assert language["extensions"] == [f".{own}" for own in textmate_grammar()["fileTypes"]]


def scopes(text: str) -> Iterator[tuple[str, str]]:
    """What an editor does with the grammar: in every line, the first of the leftmost matches, and its scope."""
    patterns = json.loads(GRAMMAR.read_text(encoding="utf-8"))["patterns"]
    for line in text.splitlines():
        at = 0
        while at < len(line):
            found = [
                (own.start(), i, own)
                for i, rule in enumerate(patterns)
                if (own := re.compile(rule["match"]).search(line, at))
            ]
            if not found:
                yield line[at:], ""
                break
            start, i, match = min(found, key=lambda one: one[:2])
            yield line[at:start], ""
            if "name" in patterns[i]:
                yield match[0], patterns[i]["name"]
            else:
                yield from ((match[int(group)], own["name"]) for group, own in patterns[i]["captures"].items())
            at = match.end()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = [(part, scope) for part, scope in scopes(text) if part.strip()]
    assert all(scope for _, scope in found), [part for part, scope in found if not scope]
    assert not [token for token, _ in KernelspecLexer().get_tokens(text) if token is Error]
    named = {scope.removesuffix(".kernelspec"): {part for part, own in found if own == scope} for _, scope in found}
    program = ks.load(path).program
    calls = {part.function for part in program.parts() if isinstance(part, Call)}
    assert calls <= named.get("entity.name.function", set())
    lines = [line for line in program.statements if isinstance(line, Param)]
    assert {line.name for line in lines} <= named.get("variable.other.declaration", set())
    comments = {line[line.index("#") :] for line in text.splitlines() if "#" in line}
    assert comments == named.get("comment.line.number-sign", set())
