"""The types of columns as reports show them."""

from __future__ import annotations

from typing import Any

from kernelspec.tables.layout import Layout

__all__ = ["types_as_data", "types_in_words"]

_MOST_SHOWN = 8


def types_as_data(layout: Layout) -> dict[str, Any] | None:
    """The columns of every type but numbers, by name or position, and what becomes of missing categories.

    None if no types are recorded.
    """
    if layout.types is None:
        return None
    found: dict[str, list[str | int]] = {}
    for position in sorted(layout.types.positions):
        name = position if layout.names is None else layout.names[position]
        found.setdefault(layout.types.type_at(position), []).append(name)
    return {"columns": found, "missing": layout.types.missing}


def types_in_words(layout: Layout) -> list[str]:
    """One line on the columns that are compared as categories; none where there are none."""
    if not layout.categorical:
        return []
    shown = [
        f"{layout.name_of(position).removeprefix('column ')} ({_type_in_words(layout, position)})"
        for position in layout.categorical[:_MOST_SHOWN]
    ]
    more = len(layout.categorical) - len(shown)
    kept = layout.types is not None and layout.types.missing == "category"
    others = f" and {more:,} more" if more else ""
    missing = "missing values are one more category" if kept else "missing values are refused"
    return [f"categories: {', '.join(shown)}{others}; {missing}"]


def _type_in_words(layout: Layout, position: int) -> str:
    found = layout.type_at(position)
    return {"unknown": "type not recorded", "category": "several types"}.get(found, found)
