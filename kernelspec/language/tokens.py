"""What the parser's tokens say: a name, and a place."""

from __future__ import annotations

from typing import cast

from lark import Token

from kernelspec.errors import SpecSyntaxError
from kernelspec.language.literals import column_name
from kernelspec.language.source import Span
from kernelspec.language.spelling import ascii_name
from kernelspec.limits import MAX_NAME

__all__ = ["name_of", "place_of"]


def place_of(token: Token, span: Span) -> Span:
    """Where a token of the same source as `span` stands."""
    return Span(span.source, cast(int, token.start_pos), cast(int, token.end_pos))


def name_of(token: Token, span: Span) -> str:
    """The name that a token spells, bare or quoted. Raises SpecSyntaxError if it is too long."""
    text = str(token)  # a Token is a str that would drag the parser along, into every pickle
    name = column_name(text, place_of(token, span)) if token.type == "STRING" else ascii_name(text)
    if len(name) > MAX_NAME:
        message = f"this name has {len(name):,} characters; at most {MAX_NAME} are allowed"
        raise SpecSyntaxError(message, place_of(token, span))
    return name
