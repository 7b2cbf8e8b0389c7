"""Where the grammar is, and the parser made from it."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from lark import Lark, lexer

from kernelspec.errors import FileError
from kernelspec.language.branch import Branch

__all__ = ["grammar_text", "lalr_parser"]

_NAME = "kernelspec.lark"
_CHECKOUT = Path(__file__).resolve().parents[2] / "grammars" / _NAME


def grammar_text() -> str:
    """The grammar: inside the package in a wheel, at the root of the repository in a checkout.

    Raises FileError if it is in neither place.
    """
    packaged = resources.files("kernelspec") / "grammars" / _NAME
    for place in (packaged, _CHECKOUT):
        if place.is_file():
            return place.read_text(encoding="utf-8")
    raise FileError(f"the grammar is missing: there is no {packaged}; is the installation complete?")


@functools.cache
def lalr_parser() -> Lark:
    """The parser, built on first use and kept. Nothing is cached on disk, where others could write."""
    with _trusting_the_terminals():
        return Lark(grammar_text(), parser="lalr", keep_all_tokens=True, tree_class=Branch)


@contextmanager
def _trusting_the_terminals() -> Iterator[None]:
    """Lark without its search for terminals that collide, which takes 0.2 s wherever interegular is installed.

    That none collide in our grammar is proved in the tests, not at every start.
    """
    searches = lexer.has_interegular
    lexer.has_interegular = False
    try:
        yield
    finally:
        lexer.has_interegular = searches
