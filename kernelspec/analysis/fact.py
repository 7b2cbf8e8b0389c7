"""One thing that is known of a kernel, as every report shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Fact"]


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A fact by name: its `lines` of text, its rows of LaTeX and its value as JSON data.

    A report that has no place for it shows nothing: no lines, no rows. Every row is (left side, right side) of an
    equation. What does not exist has the value None; where a reason belongs to it, `explains` is true and `missing`
    says why (None where the value exists).
    """

    name: str
    value: Any
    lines: tuple[str, ...] = ()
    latex: tuple[tuple[str, str], ...] = ()
    explains: bool = False
    missing: str | None = None
