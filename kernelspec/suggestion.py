"""The name that was meant: the nearest of those there are, for messages about unknown names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["suggest"]

_NEAR = 0.6
"""The least share of letters in common, as difflib counts it."""


def suggest(word: str, candidates: Iterable[str]) -> str:
    """`; did you mean 'scale'?` for the candidate nearest to the word, or nothing if none is near.

    Deterministic: equally near candidates are taken in alphabetical order.
    """
    matcher = difflib.SequenceMatcher(b=word.casefold())

    def nearness(name: str) -> float:
        matcher.set_seq1(name.casefold())
        return matcher.ratio()

    best = max(sorted(set(candidates)), key=nearness, default="")  # the first of equally near ones
    return f"; did you mean '{best}'?" if best and nearness(best) >= _NEAR else ""
