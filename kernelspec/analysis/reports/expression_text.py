"""SymPy expressions as text and as LaTeX, of bounded length and in bounded time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kernelspec.analysis.time_limit import within

__all__ = ["latex_of", "latex_text", "shown", "shown_size", "text_of", "variance_of"]

_SECONDS = 1.0
_LONGEST = 2000
_TOO_LONG = "(too long to be printed in time)"


def text_of(expression: Any) -> str:
    """The expression as SymPy prints it, of any length."""
    return _printed(str, expression)


def shown(expression: Any) -> str:
    """The expression as SymPy prints it; how long it is, where that is more than anyone reads."""
    text = within(_SECONDS, lambda: _printed(str, expression), lambda: _TOO_LONG)
    return text if len(text) <= _LONGEST else f"(an expression of {len(text):,} characters)"


def shown_size(size: Any) -> str:
    """The same for a size that may be infinite, in that word."""
    import sympy

    return "infinite" if sympy.S(size).is_infinite else shown(size)


def latex_of(expression: Any) -> str:
    """The expression as LaTeX."""
    import sympy

    otherwise = rf"\text{{{_TOO_LONG}}}"
    text = within(_SECONDS, lambda: _printed(sympy.latex, expression), lambda: otherwise)
    return otherwise if text == _TOO_LONG else text


def latex_text(words: str) -> str:
    """Words in a formula; powers and moduli in them are formulas again."""
    formulas = words.replace("E|p|²", "$E|p|^2$").replace("_", r"\_")
    return rf"\text{{{formulas}}}"


def variance_of(methods: Sequence[str]) -> str:
    """The variance of some methods, as the left side of an equation in LaTeX."""
    return rf"\operatorname{{Var}}_{{\text{{{', '.join(methods)}}}}}"


def _printed(printer: Callable[[Any], str], expression: Any) -> str:
    """The text of an expression. Python refuses to write whole numbers of more than 4300 digits, as in (2π)^(d/2)."""
    try:
        return str(printer(expression))
    except ValueError:
        return _TOO_LONG
