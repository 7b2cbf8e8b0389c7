"""SymPy expressions as text and as LaTeX, of bounded length and in bounded time."""

from __future__ import annotations

from typing import Any

from kernelspec.analysis.time_limit import within

__all__ = ["latex_of", "shown", "shown_size"]

_SECONDS = 1.0
_LONGEST = 2000


def shown(expression: Any) -> str:
    """The expression as SymPy prints it; how long it is, where that is more than anyone reads."""
    text = within(_SECONDS, lambda: str(expression), lambda: "(too long to be printed in time)")
    return text if len(text) <= _LONGEST else f"(an expression of {len(text):,} characters)"


def shown_size(size: Any) -> str:
    """The same for a size that may be infinite, in that word."""
    import sympy

    return "infinite" if sympy.S(size).is_infinite else shown(size)


def latex_of(expression: Any) -> str:
    """The expression as LaTeX."""
    import sympy

    return within(_SECONDS, lambda: str(sympy.latex(expression)), lambda: r"\text{too long to be printed in time}")
