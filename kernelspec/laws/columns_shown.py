"""Columns and laws as they are written in a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.samples.columns_read import ColumnRead

__all__ = ["columns_shown", "indented", "reads_shown"]

_MOST_NAMES = 12


def columns_shown(columns: Sequence[int], names: Sequence[str] | None) -> str:
    """Columns by name where they have names, a long run of positions as a slice."""
    if names is not None:
        shown = [names[column] for column in columns[:_MOST_NAMES]]
        return ", ".join([*shown, f"… ({len(columns)})"] if len(columns) > _MOST_NAMES else shown)
    if len(columns) > 3 and tuple(columns) == tuple(range(columns[0], columns[-1] + 1)):
        return f"{columns[0]}:{columns[-1] + 1}"
    return ", ".join(map(str, columns))


def reads_shown(reads: Sequence[ColumnRead], columns: Sequence[int], names: Sequence[str] | None) -> str:
    """The columns, and whether it is those of unit rows that are read."""
    unit = "" if all(isinstance(read, int) for read in reads) else ", divided by the norm of the row"
    return columns_shown(columns, names) + unit


def indented(lines: list[str]) -> list[str]:
    """Lines of a law below another, two columns to the right."""
    return ["  " + line for line in lines]
