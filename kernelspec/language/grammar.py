"""Where the grammar is, and the parser made from it."""

from __future__ import annotations

import functools
from collections.abc import Collection
from importlib import resources
from pathlib import Path

from lark import Lark
from lark.common import LexerConf
from lark.lexer import ContextualLexer

from kernelspec.errors import FileError

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
    return Lark(grammar_text(), parser="lalr", propagate_positions=True, _plugins={"ContextualLexer": _TrustingLexer})


class _TrustingLexer(ContextualLexer):
    """Takes the terminals as they are: that none collide is proved in the tests, not at every start (0.2 s)."""

    def __init__(
        self, conf: LexerConf, states: dict[int, Collection[str]], always_accept: Collection[str] = ()
    ) -> None:
        conf.skip_validation = True
        super().__init__(conf, states, always_accept)
