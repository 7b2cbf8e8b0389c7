"""The grammar: no conflicts, every terminal named, short enough to read."""

from __future__ import annotations

from pathlib import Path

import pytest
from lark import Lark

from kernelspec.errors import FileError
from kernelspec.language import grammar
from kernelspec.language.grammar import grammar_text, lalr_parser


def test_the_grammar_has_no_conflict() -> None:
    pytest.importorskip("interegular")
    Lark(grammar_text(), parser="lalr", strict=True)


def test_every_terminal_has_a_name() -> None:
    assert not [terminal.name for terminal in lalr_parser().terminals if terminal.name.startswith("__")]


def test_the_grammar_fits_on_two_screens() -> None:
    assert len(grammar_text().splitlines()) <= 100


def test_the_parser_is_built_once() -> None:
    assert lalr_parser() is lalr_parser()


def test_the_grammar_in_the_package_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, checkout = tmp_path / "kernelspec", tmp_path / "grammars" / "kernelspec.lark"
    monkeypatch.setattr(grammar.resources, "files", lambda name: package)
    monkeypatch.setattr(grammar, "_CHECKOUT", checkout)
    with pytest.raises(FileError, match="the grammar is missing"):
        grammar_text()
    for place in (checkout, package / "grammars" / "kernelspec.lark"):
        place.parent.mkdir(parents=True)
        place.write_text(str(place))
        assert grammar_text() == str(place)
