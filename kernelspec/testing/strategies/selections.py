"""Selections of columns: by name, by position, by slice."""

from __future__ import annotations

from collections.abc import Sequence

import hypothesis.strategies as st

__all__ = ["draw_selection"]


def draw_selection(draw: st.DrawFn, columns: Sequence[str | None]) -> tuple[str, list[int]]:
    """The text between the brackets, and the positions it selects, in order; no column is selected twice."""
    chosen: list[str] = []
    positions: list[int] = []
    free = list(range(len(columns)))
    for _ in range(draw(st.integers(1, min(2, len(columns))))):
        start = draw(st.sampled_from(free))
        stop = start + 1
        name = columns[start]
        if name is not None and draw(st.booleans()):
            chosen.append(_quoted(name))
        elif draw(st.booleans()):
            chosen.append(str(draw(st.sampled_from([start, start - len(columns)]))))
        else:
            while stop in free and draw(st.booleans()):
                stop += 1
            chosen.append(f"{start}:{stop}")
        positions += range(start, stop)
        free = [i for i in free if i not in positions]
        if not free:
            break
    return ", ".join(chosen), positions


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
