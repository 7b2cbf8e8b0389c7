"""The name that was meant: the nearest of those there are, for messages about unknown names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["suggest"]


def suggest(word: str, candidates: Iterable[str]) -> str:
    """`; did you mean 'scale'?` for the candidate nearest to the word, or nothing if none is near.

    Deterministic: equally near candidates are taken in alphabetical order.
    """
    names = sorted(set(candidates))
    folded = {name: name.casefold() for name in reversed(names)}
    near = difflib.get_close_matches(word.casefold(), list(dict.fromkeys(folded[name] for name in names)), n=1)
    best = next((name for name in names if near and folded[name] == near[0]), None)
    return f"; did you mean '{best}'?" if best is not None else ""
