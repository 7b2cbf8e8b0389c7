"""How documents, help and messages are written: phrases to avoid, the length of sentences, the size of the whole."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

PHRASES = (
    "is no", "are no", "None where", "0 where", "of whom", "of which the", "is said to be", "has been looked for",
    "cannot be had", "could be had", "as good as they", "so many", "as many as fill", "for want of", "of the processor",
    "stored entries", "anchors", "strangers", "somebody else", "by itself alone", "what comes of", "is to be",
    "are to be", "it is said", "are told", "is told", "the way out", "was met", "were met", "met in the data",
    "in the place of", "the more so", "that is none", "and nothing else", "whatever it holds",
    "how far the mean is off", "a year of", "besides its",
)  # fmt: skip
"""Literal, as whole words, in any case."""

PLACES = {
    "documents": ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**/*.md", "docs/*.py", "benchmarks/README.md"),
    "examples": ("examples/**/*.md", "examples/**/*.py", "examples/**/*.kernel"),
    "site": (".site/*",),
    "package": ("kernelspec/**/*.py",),
}
"""Where prose and messages stand; a new place is a line."""

NEGATED = ("is no", "are no")
"""Before a word: `is no longer`, and an answer that is no, are fine."""

_BEFORE_A_WORD = r"(?= (?!longer)\w)"
_PATTERNS = [own + _BEFORE_A_WORD * (own in NEGATED) for own in PHRASES]
FOUND = re.compile(rf"(?<!\w)(?:{'|'.join(_PATTERNS)})\b", re.IGNORECASE)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GENERATED = "<!-- generated"


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Line number and text of what a person reads in a file: prose, comments and strings, without printed output."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from texts_of_python(source)
    elif path.suffix == ".md":
        kept = FENCE.sub(lambda own: "\n" * own[0].count("\n"), source)
        kept = re.sub(r"`[^`\n]*`", "code", kept)
        yield from enumerate_paragraphs(kept)
    else:
        yield from ((i, line) for i, line in enumerate(source.splitlines(), 1) if "#" in line)


def texts_of_python(source: str) -> Iterator[tuple[int, str]]:
    """Strings other than names, parts of f-strings among them, and runs of comments."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not node.value.isidentifier():
            yield node.lineno, node.value
    start, run = 0, ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            start, run = (start or token.start[0]), f"{run} {token.string.lstrip('# ')}"
        elif token.type not in (tokenize.NL, tokenize.NEWLINE) and run:
            yield start, run
            start, run = 0, ""


def enumerate_paragraphs(text: str) -> Iterator[tuple[int, str]]:
    line = 1
    for paragraph in re.split(r"(\n\s*\n)", text):
        yield line, paragraph
        line += paragraph.count("\n")


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_no_phrase_of_the_list(place: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {own[0]!r} in {' '.join(text.split())[max(own.start() - 40, 0) :][:110]!r}"
        for pattern in PLACES[place]
        for path in sorted(ROOT.glob(pattern))
        if path.is_file() and path.name != "bibliography.md"
        for line, text in texts(path)
        for own in FOUND.finditer(" ".join(text.split()))
    ]
    assert not found, "\n".join(found)


def hand_written() -> list[Path]:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in pages if not page.read_text(encoding="utf-8").startswith(GENERATED)]


def sentences(page: Path) -> list[str]:
    """Those of paragraphs and lists; code counts as one word, tables, titles and blocks are left out."""
    text = FENCE.sub("\n", page.read_text(encoding="utf-8"))
    text = re.sub(r"^(\||#|    |<!--|!\[).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "code", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))
    parts = re.split(r"(?<=[.!?])\s+|\n\s*\n|\n\s*(?:-|\d\.) ", text)
    return [part for part in parts if len(part.split()) > 2]


def test_sentences_are_short_and_the_whole_is_not_long() -> None:
    pages = hand_written()
    lengths = [
        len(sentence.split()) for page in pages if page.name != "bibliography.md" for sentence in sentences(page)
    ]
    assert sum(lengths) / len(lengths) < 22
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) <= 36_000
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 90
