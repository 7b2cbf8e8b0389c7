"""Column types: as recorded in a map, of arrays, and of cells written as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cached_property
from numbers import Integral, Rational, Real
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.loading import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "BOOLEANS",
    "EXACT",
    "NOTHING",
    "NO_VALUES",
    "ColumnType",
    "ColumnTypes",
    "DatedTypes",
    "Look",
    "Missing",
    "Reading",
    "WrittenColumn",
    "arrow_type",
    "as_read",
    "cell_type",
    "dates_of",
    "exact_whole",
    "first_looks",
    "has_large_integers",
    "is_surely_whole",
    "reading_of",
    "surely_whole",
    "type_of",
]

EXACT = 2**53  # floats hold every whole number up to here, and not every one beyond

_LONGEST = 10_000  # digits of the longest Decimal handled exactly


def surely_whole(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Which floats of an array are certainly whole numbers, not other numbers rounded to floats.

    These are below 2⁵³ in float64, 2²⁴ in float32 and 2¹¹ in float16: 2⁵³ + 1 rounds to 2⁵³, so 2⁵³ may have been
    either.
    """
    below = min(EXACT, 2 ** (int(np.finfo(numbers.dtype).nmant) + 1))  # longer floats become float64
    with np.errstate(invalid="ignore"):
        return np.asarray((numbers == np.floor(numbers)) & (np.abs(numbers) < below))


def is_surely_whole(value: Any) -> bool:
    """Whether a number is certainly whole; only floats may be rounded."""
    if isinstance(value, float | np.floating):
        return bool(surely_whole(np.asarray(value)))
    return exact_whole(value) is not None


def exact_whole(value: Any) -> int | None:
    """The whole number that an integer, Decimal or fraction equals; None if there is none, or beyond 10^10000."""
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Decimal):
        return int(value) if abs(value.adjusted()) <= _LONGEST and value == value.to_integral_value() else None
    return int(value.numerator) if isinstance(value, Rational) and value.denominator == 1 else None


def has_large_integers(values: NDArray[Any]) -> bool:
    """Whether there are integers that floats may merge."""
    return values.dtype.kind in "iu" and values.size > 0 and (values.max() > EXACT or values.min() < -EXACT)


ColumnType = Literal["number", "whole number", "boolean", "date", "text", "category", "unknown"]
"""`date`: a date or time, read as days since 1970-01-01 in UTC; `category`: cells of several of the previous types,
which only tables of objects have; `unknown`: no cell seen.
"""

Missing = Literal["refuse", "category"]
"""Whether a missing category (empty cell, NaN, None) is an error or a category of its own."""

_FIELDS: dict[ColumnType, str] = {
    "whole number": "whole",
    "boolean": "boolean",
    "date": "date",
    "text": "text",
    "category": "category",
    "unknown": "unknown",
}


@dataclass(frozen=True)
class ColumnTypes:
    """The types of the columns that a kernel reads, by position; columns in none of the fields hold numbers.

    Positions are ascending, and each is in one field only. `missing` says how to treat missing categories. Raises
    PlanError for anything else.
    """

    whole: tuple[int, ...] = ()
    boolean: tuple[int, ...] = ()
    text: tuple[int, ...] = ()
    category: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()
    missing: Missing = "refuse"

    def __post_init__(self) -> None:
        n_columns = 0
        for name in _FIELDS.values():
            positions = getattr(self, name, ())
            if type(positions) is tuple and not positions:
                continue
            whole = isinstance(positions, tuple) and all(type(p) is int and p >= 0 for p in positions)
            if not whole or list(positions) != sorted(set(positions)):
                raise PlanError(f"the columns of {name} must be a tuple of ascending positions, not {positions!r:.60}")
            n_columns += len(positions)
        if n_columns and n_columns != len(self._types):
            raise PlanError("a column can have only one type")
        if self.missing not in get_args(Missing):
            raise PlanError(f"missing must be 'refuse' or 'category', not {self.missing!r:.60}")

    @classmethod
    def of_columns(cls, types: Mapping[int, ColumnType], missing: Missing = "refuse") -> ColumnTypes:
        """The types given by position."""
        if not types:
            return cls(missing=missing)
        found = {
            field: tuple(sorted(position for position, own in types.items() if own == name))
            for name, field in _FIELDS.items()
        }
        dates = found.pop("date")
        return DatedTypes(**found, missing=missing, date=dates) if dates else ColumnTypes(**found, missing=missing)

    def type_at(self, position: int) -> ColumnType:
        """The type of the column at a position."""
        return self._types.get(position, "number")

    def with_columns(self, types: Mapping[int, ColumnType], missing: Missing | None = None) -> ColumnTypes:
        """The same with other types for some columns, and perhaps another rule for missing categories."""
        return self.of_columns({**self._types, **types}, missing or self.missing)

    @property
    def positions(self) -> frozenset[int]:
        """The columns that hold anything but numbers."""
        return frozenset(self._types)

    @cached_property
    def _types(self) -> dict[int, ColumnType]:
        return {position: name for name, field in _FIELDS.items() for position in getattr(self, field, ())}


@dataclass(frozen=True)
class DatedTypes(ColumnTypes):
    """Column types that include dates or times."""

    date: tuple[int, ...] = ()


def cell_type(kind: type[Any]) -> ColumnType | None:
    """The column type for cells of a Python type; None for unsupported types."""
    if issubclass(kind, bool | np.bool_):
        return "boolean"
    if issubclass(kind, Integral):
        return "whole number"
    if issubclass(kind, Real | Decimal):
        return "number"
    return "text" if issubclass(kind, str) else None


_TYPES: dict[str, ColumnType] = {
    "f": "number",
    "i": "whole number",
    "u": "whole number",
    "b": "boolean",
    "M": "date",
}


def type_of(column: NDArray[Any]) -> ColumnType:
    """The type of a column (n,), from its dtype or else from all its cells in any order.

    Ignores missing cells, and cells that are not categories, which reading rejects.
    """
    if column.dtype.kind in "fiubM":
        return _TYPES[column.dtype.kind]
    values = column.tolist()
    kinds = set(map(type, values))
    found = {cell_type(kind) for kind in kinds} - {None}
    if "number" in found:  # whole Decimals, and NaN among whole numbers, are not fractions
        found -= {"number"}
        found |= {_finer(value) for value in values if cell_type(type(value)) == "number"} - {None}
    if found == {"number", "whole number"}:
        return "number"
    if not found and any(issubclass(kind, date | np.datetime64) for kind in kinds):
        return "date"
    first = next(iter(found), None)
    return "unknown" if first is None else first if len(found) == 1 else "category"


def _finer(value: Any) -> ColumnType | None:
    """The type of a number: None for NaN, whole for a Decimal without decimal places."""
    if isinstance(value, Decimal):
        whole = value.is_finite() and int(value.as_tuple().exponent) >= 0
        return None if value.is_nan() else "whole number" if whole else "number"
    return None if isinstance(value, float | np.floating) and np.isnan(value) else "number"


Look = Literal[
    "empty", "no value", "other no value", "leading zero", "true or false", "whole", "large", "fraction", "text"
]
"""`no value` is NA, null, NaN and the like: empty in a column of numbers, text in a text column (Namibia); `other no
value` is NaN in other letters, or beside blanks, which only floats can be. `large` is a whole number of more than 15
digits, which a float may not hold exactly.
"""

NOTHING: frozenset[Look] = frozenset({"no value", "other no value"})

_NUMBERS: frozenset[Look] = frozenset({"whole", "large", "fraction"})

NO_VALUES = (
    *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"),
)
"""What pyarrow takes for a missing number."""

_BESIDE_NUMBERS = " \t"  # white space that pyarrow accepts around a number: neither no-break spaces nor line breaks

BOOLEANS = ("true", "True", "TRUE", "false", "False", "FALSE")

# Numbers with more digits than decimals hold are text, and compared exactly.
_LEADING_ZERO = r"^[+-]?0[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?$"
_WHOLE = r"^-?[0-9]{1,15}$"
_LARGE = r"^-?[0-9]{16,76}$"
_FRACTION = r"^[+-]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+[eE][+-]?[0-9]+|[0-9]+\.[0-9]*[eE][+-]?[0-9]+)$|^\+[0-9]{1,15}$"
_NAN = r"^-?[nN][aA][nN]$"
_DATE = r"\d{4}-\d\d-\d\d|\d{4}(-W\d\d-\d|W\d{3})|\d{8}T\d\d"
_WEEK = r"\d{4}-?W\d\d"  # without a day, so not a date, though Python reads it as a Monday
_INFINITE = r"^[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?$"


@dataclass(frozen=True)
class WrittenColumn:
    """For every look that occurs, the first such cell and its row, counted from 1."""

    first: Mapping[Look, tuple[int, str]] = field(default_factory=dict)

    def joined(self, later: Mapping[Look, tuple[int, str]], rows_before: int) -> WrittenColumn:
        """The column with more rows below."""
        moved = {look: (rows_before + row, cell) for look, (row, cell) in later.items()}
        return WrittenColumn({**moved, **self.first})

    @property
    def looks(self) -> frozenset[Look]:
        """The looks of the nonempty cells."""
        return frozenset(self.first) - {"empty"}

    @property
    def type(self) -> ColumnType:
        """The type of the column: text, unless all cells are numbers or all are truth values."""
        told = self.looks - NOTHING
        if not told:
            return "unknown"
        if told and told <= _NUMBERS:
            return "number" if "fraction" in told else "whole number"
        return "boolean" if told == {"true or false"} else "text"

    @property
    def has_dates(self) -> bool:
        """Whether the first text cell is an ISO 8601 date."""
        return re.match(_DATE, self.first.get("text", (0, ""))[1].strip(_BESIDE_NUMBERS)) is not None

    @property
    def is_ambiguous(self) -> bool:
        """Whether some cells look like numbers or truth values and others do not, so that the whole column must be
        read.
        """
        return self.type == "text" and bool(self.looks & (_NUMBERS | {"true or false"}))

    def told_apart(self) -> tuple[tuple[int, str], tuple[int, str]]:
        """Two cells of an ambiguous column: one that looks like a number or truth value, and one that does not."""
        plain = min(self.first[look] for look in self.looks & (_NUMBERS | {"true or false"}))
        alike = _NUMBERS if plain[1] not in BOOLEANS else {"true or false"}
        return plain, min(self.first[look] for look in self.looks - alike)

    def first_of(self, looks: frozenset[Look]) -> tuple[int, str] | None:
        """The first cell with any of these looks."""
        return min((self.first[look] for look in looks & self.looks), default=None)


def first_looks(cells: pa.Array) -> dict[Look, tuple[int, str]]:
    """The first cell of every look in a text array, with its row, counted from 1."""
    import pyarrow.compute as pc  # type: ignore[import-untyped,unused-ignore]

    cells = pc.fill_null(cells, "")
    trimmed = pc.ascii_trim(cells, _BESIDE_NUMBERS)
    tests: tuple[tuple[Look, Callable[[], Any]], ...] = (
        ("empty", lambda: pc.equal(cells, "")),
        ("leading zero", lambda: pc.match_substring_regex(trimmed, _LEADING_ZERO)),
        ("whole", lambda: pc.match_substring_regex(trimmed, _WHOLE)),
        ("no value", lambda: pc.is_in(cells, value_set=pa.array(NO_VALUES))),
        ("other no value", lambda: pc.match_substring_regex(trimmed, _NAN)),
        ("true or false", lambda: pc.is_in(cells, value_set=pa.array(BOOLEANS))),
        ("large", lambda: pc.match_substring_regex(trimmed, _LARGE)),
        ("fraction", lambda: pc.match_substring_regex(trimmed, f"{_FRACTION}|{_INFINITE}")),
        ("text", lambda: pc.is_valid(trimmed)),
    )
    found: dict[Look, tuple[int, str]] = {}
    left = pc.is_valid(trimmed)
    for look, test in tests:
        own = pc.and_(left, test())
        place = pc.index(own, True).as_py()
        if place >= 0:
            found[look] = place + 1, cells[place].as_py()
        left = pc.and_not(left, own)
        if not pc.any(left).as_py():
            break
    return found


Reading = Literal["floats", "whole numbers", "large whole numbers", "true or false", "dates", "text"]
"""How to parse the cells of a column; whole numbers beyond 2⁶³ become decimals, which are exact."""

_LARGE_DIGITS = 76
_CONVERTED = ("text", "dates", "large whole numbers")  # readings that parse cells as text first


def reading_of(column: WrittenColumn) -> Reading:
    """How to read a column of the type its cells suggest."""
    if column.type != "whole number":
        others: dict[ColumnType, Reading] = {"boolean": "true or false", "text": "text"}
        return others.get(column.type, "floats")
    if "large" in column.looks:
        return "large whole numbers"
    return "floats" if "other no value" in column.looks else "whole numbers"


def arrow_type(reading: Reading) -> Any:
    """The pyarrow type for parsing the cells."""
    parsed = {"floats": pa.float64(), "whole numbers": pa.int64(), "true or false": pa.bool_()}
    return parsed.get(reading, pa.string())


def as_read(
    batch: pa.RecordBatch, readings: Mapping[str, Reading], dates: Callable[[str, pa.Array], pa.Array]
) -> pa.RecordBatch:
    """A parsed batch with large numbers as decimals, and null for empty text as for empty numbers.

    "NA" stays text (Namibia); `dates` parses date columns by name. Raises ArrowInvalid for a cell that is not a whole
    number of up to 76 digits.
    """
    if all(reading not in _CONVERTED for reading in map(readings.get, batch.schema.names)):
        return batch
    found = [
        dates(name, column) if readings.get(name) == "dates" else _as_read(column, readings.get(name, "floats"))
        for name, column in zip(batch.schema.names, batch, strict=True)
    ]
    return pa.RecordBatch.from_arrays(found, names=batch.schema.names)


def dates_of(cells: pa.Array, pattern: str | None) -> tuple[pa.Array, int | None]:
    """Parse text as times, in UTC and without a zone; also returns the first row that is not a date, if any.

    `pattern` is a strptime format, or None for ISO 8601.
    """
    import pyarrow.compute as pc

    encoded = cells.dictionary_encode()
    times: list[datetime | None] = []
    wrong: list[int] = []
    for number, cell in enumerate(encoded.dictionary.to_pylist()):
        text, time = cell.strip(_BESIDE_NUMBERS), None
        if text and text not in NO_VALUES:
            with suppress(ValueError):
                time = datetime.strptime(text, pattern) if pattern else datetime.fromisoformat(text)
            if time is None or (pattern is None and re.fullmatch(_WEEK, text)):
                wrong.append(number)
        times.append(time.astimezone(UTC).replace(tzinfo=None) if time and time.tzinfo else time)
    found = pa.array(times, pa.timestamp("us")).take(encoded.indices)
    if not wrong:
        return found, None
    return found, pc.index(pc.is_in(encoded.indices, pa.array(wrong, encoded.indices.type)), True).as_py()


def _as_read(column: pa.Array, reading: Reading) -> pa.Array:
    if reading not in _CONVERTED:
        return column
    import pyarrow.compute as pc  # type: ignore[import-untyped,unused-ignore]

    nothing = pa.scalar(None, pa.string())
    column = pc.if_else(pc.equal(column, ""), nothing, column)
    if reading == "text":
        return column

    trimmed = pc.ascii_trim(column, _BESIDE_NUMBERS)
    no_value = pc.or_(pc.is_in(trimmed, value_set=pa.array(NO_VALUES)), pc.match_substring_regex(trimmed, _NAN))
    return pc.if_else(no_value, nothing, trimmed).cast(pa.decimal256(_LARGE_DIGITS, 0))
