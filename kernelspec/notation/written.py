"""Kernels as they are written in the language: numbers, vectors, and parts in brackets where they need them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernelspec.notation.arguments import Scalar

__all__ = ["ATOM", "PRODUCT", "SIGNED", "binding", "bracketed", "number_text", "vector_text"]

_SUM = 0

SIGNED = 1
"""Holds together like a product with a sign in front."""

PRODUCT = 2
_POWER = 3

ATOM = 4
"""Holds together like a call."""

_LONG = 4


def binding(text: str) -> int:
    """How tightly a text of the language, or of SymPy, holds together."""
    found, depth = SIGNED if text.startswith("-") else ATOM, 0
    for i, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if depth == 0 and sign in "+-" and text[i - 1 : i] == " ":
            return _SUM
        if depth == 0 and sign in "*/":
            power = "**" in (text[i : i + 2], text[i - 1 : i + 1])
            found = min(found, _POWER if power else PRODUCT)
    return found


def bracketed(part: Any, least: int) -> str:
    """The text of a kernel or number, in brackets if it holds together less tightly than `least`."""
    text = str(part)
    return text if binding(text) >= least else f"({text})"


def number_text(value: Scalar) -> str:
    """A number with six digits, or an expression."""
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def vector_text(values: Sequence[Scalar]) -> str:
    """The vector in brackets; a long one of equal entries is the number that stands for it."""
    if len(values) > _LONG and len(set(values)) == 1:
        return number_text(values[0])
    return f"[{', '.join(map(number_text, values))}]"
