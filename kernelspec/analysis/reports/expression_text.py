"""SymPy expressions as text and as LaTeX, of bounded length and in bounded time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kernelspec.analysis.symbolic_steps import in_time
from kernelspec.rendering.latex import latex_subscript, latex_words

__all__ = ["latex_of", "latex_text", "shortened", "shown", "shown_size", "text_of", "variance_of"]

_LONGEST = 2000
_TOO_LONG = "(too long to be printed in time)"
_LETTERS = {"x": "x", "y": "y", "omega": r"\omega"}
"""Those that have columns as their indices."""


def text_of(expression: Any) -> str:
    """The expression as SymPy prints it, of any length; that it is too long where printing takes too long."""
    return in_time(lambda: _printed(_in_text, expression), lambda: _TOO_LONG)


def shown(expression: Any) -> str:
    """The expression as SymPy prints it; how long it is, where that is more than anyone reads."""
    return shortened(text_of(expression))


def shortened(text: str) -> str:
    """The text; how long it is, where that is more than anyone reads."""
    return text if len(text) <= _LONGEST else f"(an expression of {len(text):,} characters)"


def shown_size(size: Any) -> str:
    """The same for a size that may be infinite, in that word."""
    import sympy

    return "infinite" if sympy.S(size).is_infinite else shown(size)


def latex_of(expression: Any) -> str:
    """The expression as LaTeX."""
    otherwise = rf"\text{{{_TOO_LONG}}}"
    text = in_time(lambda: _printed(_in_latex, expression), lambda: otherwise)
    return otherwise if text == _TOO_LONG else text


def latex_text(words: str) -> str:
    """Words in a formula; powers and moduli in them are formulas again."""
    return r"E|p|^2".join(latex_words(part) if part else "" for part in words.split("E|p|²"))


def variance_of(methods: Sequence[str]) -> str:
    """The variance of some methods, as the left side of an equation in LaTeX."""
    return rf"\operatorname{{Var}}_{{{latex_words(', '.join(methods))}}}"


def _in_latex(expression: Any) -> str:
    """LaTeX with the columns' own names as indices, whatever signs are in them."""
    import sympy

    symbols = {symbol: symbol.name.partition("_") for symbol in sympy.S(expression).free_symbols}
    names = {
        symbol: latex_subscript(_LETTERS[letter], column)
        for symbol, (letter, _, column) in symbols.items()
        if letter in _LETTERS and column
    }
    return str(sympy.latex(expression, symbol_names=names, order=_order_of(expression)))


def _in_text(expression: Any) -> str:
    import sympy

    order = _order_of(expression)
    return str(expression) if order is None else str(sympy.sstr(expression, order=order))


def _order_of(expression: Any) -> str | None:
    """Of terms: SymPy's own, but as they stand where it would find numbers for integrals to tell it, for seconds."""
    import sympy

    integrals = expression.atoms(sympy.Integral) if isinstance(expression, sympy.Basic) else ()
    return "none" if any(integral.is_number for integral in integrals) else None


def _printed(printer: Callable[[Any], str], expression: Any) -> str:
    """The text of an expression. Python refuses to write whole numbers of more than 4300 digits, as in (2π)^(d/2)."""
    try:
        return str(printer(expression))
    except ValueError:
        return _TOO_LONG
