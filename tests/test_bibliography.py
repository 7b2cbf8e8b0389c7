"""Every source that the code or a document names is in docs/bibliography.md, and nothing else is."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIBLIOGRAPHY = ROOT / "docs" / "bibliography.md"
ENTRY = re.compile(r"^- \*\*(?P<names>[^*]+) (?P<year>\d{4})\*\*: ", re.MULTILINE)
CITED = re.compile(r"(?P<name>\b[^\W\d_a-z][\w'’-]+)(?P<others> et al\.)? (?P<year>(?:18|19|20)\d\d)\b(?!-)")
"""The last author before a year, or the first with `et al.`"""


@cache
def entries() -> tuple[tuple[tuple[str, ...], str], ...]:
    found = ENTRY.finditer(BIBLIOGRAPHY.read_text(encoding="utf-8"))
    return tuple((tuple(re.split(r", | and ", own["names"])), own["year"]) for own in found)


def cited() -> dict[tuple[str, bool, str], Path]:
    """Author, whether it is the first of several, and year of every citation, with a place."""
    documents = [ROOT / "README.md", *(path for path in (ROOT / "docs").glob("*.md") if path != BIBLIOGRAPHY)]
    found = {}
    for path in [*(ROOT / "kernelspec").rglob("*.py"), *documents]:
        text = re.sub(r"\s+(#\s+)?", " ", path.read_text(encoding="utf-8"))
        for own in CITED.finditer(text):
            found[own["name"], own["others"] is not None, own["year"]] = path
    return found


def entry_of(name: str, *, first: bool, year: str) -> tuple[tuple[str, ...], str] | None:
    place = 0 if first else -1
    return next((own for own in entries() if own[1] == year and own[0][place].split()[-1] == name), None)


def test_every_source_that_is_named_is_listed() -> None:
    assert len(entries()) > 50
    missing = [
        f"{path.relative_to(ROOT)}: {name}{' et al.' * first} {year} is not in docs/bibliography.md"
        for (name, first, year), path in cited().items()
        if entry_of(name, first=first, year=year) is None
    ]
    assert not missing, "\n".join(missing)


def test_every_entry_is_named_somewhere() -> None:
    used = {entry_of(name, first=first, year=year) for name, first, year in cited()}
    assert set(entries()) <= used, set(entries()) - used


def test_entries_are_in_order_and_their_numbers_well_formed() -> None:
    text = BIBLIOGRAPHY.read_text(encoding="utf-8")
    labels = [" ".join((*names, year)) for names, year in entries()]
    assert labels == sorted(labels, key=str.casefold)
    assert len(set(labels)) == len(labels)
    numbers = re.findall(r"\b(doi|arXiv):(\S+?)(?=,?\s|$)", text)
    assert len(numbers) > 30
    for kind, number in numbers:
        assert re.fullmatch(r"10\.\d{4,5}/\S+" if kind == "doi" else r"\d{4}\.\d{4,5}", number), number
