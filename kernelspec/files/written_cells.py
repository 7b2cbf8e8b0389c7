"""What the cells of a column of CSV text look like: the columns have no type, only their cells together suggest one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]

    from kernelspec.tables.column_types import ColumnType

__all__ = ["BOOLEANS", "NO_VALUES", "Look", "WrittenColumn", "first_looks"]

Look = Literal["empty", "no value", "leading zero", "true or false", "whole", "large", "fraction", "text"]
"""`no value` is NA, null, NaN and the like: nothing in a column of numbers, text in one of text (Namibia). `large` is a
whole number of more than 15 digits, which a float may not hold."""

_NUMBERS: frozenset[Look] = frozenset({"whole", "large", "fraction"})

NO_VALUES = (
    *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"),
)
"""What pyarrow takes for a missing number."""

BOOLEANS = ("true", "True", "TRUE", "false", "False", "FALSE")

# A number of more digits than decimals hold is text: compared exactly, as all that is text.
_LEADING_ZERO = r"^[+-]?0[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?$"
_WHOLE = r"^-?[0-9]{1,15}$"
_LARGE = r"^-?[0-9]{16,76}$"
_FRACTION = r"^[+-]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+[eE][+-]?[0-9]+|[0-9]+\.[0-9]*[eE][+-]?[0-9]+)$|^\+[0-9]{1,15}$"
_INFINITE = r"^[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?$"


@dataclass(frozen=True)
class WrittenColumn:
    """Of every look that some cell has, the first cell of it and its row, counted from 1."""

    first: Mapping[Look, tuple[int, str]] = field(default_factory=dict)

    def joined(self, later: Mapping[Look, tuple[int, str]], rows_before: int) -> WrittenColumn:
        """The column with more rows below."""
        moved = {look: (rows_before + row, cell) for look, (row, cell) in later.items()}
        return WrittenColumn({**moved, **self.first})

    @property
    def looks(self) -> frozenset[Look]:
        """How the cells look that are not empty."""
        return frozenset(self.first) - {"empty"}

    @property
    def type(self) -> ColumnType:
        """The type of the column: text, unless all cells are numbers or all are truth values."""
        told = self.looks - {"no value"}
        if not told:
            return "unknown"
        if told and told <= _NUMBERS:
            return "number" if "fraction" in told else "whole number"
        return "boolean" if told == {"true or false"} else "text"

    @property
    def is_ambiguous(self) -> bool:
        """Whether cells that look like numbers or truth values stand among others, so that only all of them tell."""
        return self.type == "text" and bool(self.looks & (_NUMBERS | {"true or false"}))

    def told_apart(self) -> tuple[tuple[int, str], tuple[int, str]]:
        """Of an ambiguous column a cell that looks like a number or a truth value, and one that does not."""
        plain = min(self.first[look] for look in self.looks & (_NUMBERS | {"true or false"}))
        alike = _NUMBERS if plain[1].strip() not in BOOLEANS else {"true or false"}
        return plain, min(self.first[look] for look in self.looks - alike)

    def first_of(self, looks: frozenset[Look]) -> tuple[int, str] | None:
        """The first cell that looks like any of these."""
        return min((self.first[look] for look in looks & self.looks), default=None)


def first_looks(cells: pa.Array) -> dict[Look, tuple[int, str]]:
    """The first cell of every look in an array of text, with its row, counted from 1."""
    import pyarrow as pa
    import pyarrow.compute as pc  # type: ignore[import-untyped,unused-ignore]

    cells = pc.fill_null(cells, "")
    trimmed = pc.utf8_trim_whitespace(cells)
    tests: tuple[tuple[Look, Callable[[], Any]], ...] = (
        ("empty", lambda: pc.equal(cells, "")),
        ("leading zero", lambda: pc.match_substring_regex(trimmed, _LEADING_ZERO)),
        ("whole", lambda: pc.match_substring_regex(trimmed, _WHOLE)),
        ("no value", lambda: pc.is_in(trimmed, value_set=pa.array(NO_VALUES))),
        ("true or false", lambda: pc.is_in(trimmed, value_set=pa.array(BOOLEANS))),
        ("large", lambda: pc.match_substring_regex(trimmed, _LARGE)),
        ("fraction", lambda: pc.match_substring_regex(trimmed, _FRACTION)),
        ("fraction", lambda: pc.match_substring_regex(trimmed, _INFINITE)),
        ("text", lambda: pc.is_valid(trimmed)),
    )
    found: dict[Look, tuple[int, str]] = {}
    left = pc.is_valid(trimmed)
    for look, test in tests:
        own = pc.and_(left, test())
        place = pc.index(own, True).as_py()
        if place >= 0:
            found[look] = min(found.get(look, (len(cells) + 1, "")), (place + 1, cells[place].as_py()))
        left = pc.and_not(left, own)
        if not pc.any(left).as_py():
            break
    return found
