"""Where the grammar is, and the parser made from it."""

from __future__ import annotations

import functools
from pathlib import Path

from lark import Lark

from kernelspec.errors import FileError

__all__ = ["grammar_text", "lalr_parser"]

_NAME = "kernelspec.lark"
_PACKAGE = Path(__file__).resolve().parent.parent


def grammar_text() -> str:
    """The grammar: beside the package's modules in a wheel, at the root of the repository in a checkout.

    Raises FileError if it is in neither place.
    """
    for folder in (_PACKAGE / "grammars", _PACKAGE.parent / "grammars"):
        path = folder / _NAME
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise FileError(f"the grammar {_NAME} is missing from {_PACKAGE / 'grammars'}; is the installation complete?")


@functools.cache
def lalr_parser() -> Lark:
    """The parser, built on first use and kept. Nothing is cached on disk, where others could write."""
    return Lark(grammar_text(), parser="lalr", propagate_positions=True)
