"""The description of a map: spec, columns, categories and plan, and the origin of its file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from kernelspec.maps.drawn_plan import DrawnPlan, Origin
from kernelspec.rendering.notebooks import coloured, folded, html_rows, preformatted
from kernelspec.tables.categories import Category, KnownCategories, shown_category
from kernelspec.tables.layout import Layout

__all__ = ["ColumnRead", "MapDescription", "columns_read", "known_names", "labelled_lines"]

_MOST_SHOWN = 20


@dataclass(frozen=True)
class ColumnRead:
    """A column that the kernel reads: its name (x0, x1, … without names), type, and use.

    `type` is "number", "whole number", "boolean", "text" or "category" (several types), None if not recorded; `use` is
    "number", "category" or both.
    """

    name: str
    position: int
    type: str | None
    use: str


@dataclass(frozen=True)
class KnownNames:
    """Categories with their own output columns, of one column or several; `values` is None if only codes are known."""

    columns: tuple[str, ...]
    count: int
    values: tuple[tuple[Category, ...], ...] | None

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        values = None if self.values is None else [list(row) for row in self.values]
        return {"columns": list(self.columns), "count": self.count, "values": values}

    def shown(self) -> str:
        """`city: Bergen, Oslo`, the first twenty."""
        where = " × ".join(map(_printable, self.columns))
        if self.values is None:
            return f"{where}: {self.count:,}, without names"
        some = [", ".join(map(shown_category, row)) for row in self.values[:_MOST_SHOWN]]
        more = f" and {self.count - len(some):,} more" if self.count > len(some) else ""
        return f"{where}: {(' | ' if len(self.columns) > 1 else ', ').join(some)}{more}"


@dataclass(frozen=True, repr=False)
class MapDescription:
    """A description of a feature map, as text (`print`), as JSON data (`to_dict`), and in notebooks.

    `planned_rows` is the number of rows for which the plan was made, 0 without data. `origin` has the software, date
    and checksum of the file; None for a map that was not read from a file.
    """

    spec: str
    values: tuple[tuple[str, Fraction], ...]
    n_columns_of_data: int
    columns: tuple[ColumnRead, ...]
    missing: str | None
    categories: tuple[KnownNames, ...]
    n_features: int | None
    is_sparse: bool
    planned_rows: int
    origin: Origin | None
    plan: dict[str, Any]
    explanation: str

    @classmethod
    def of(cls, drawn: DrawnPlan) -> MapDescription:
        """The description of a map."""
        plan, layout = drawn.plan, drawn.plan.layout
        types = layout.types
        return cls(
            plan.text,
            plan.values,
            layout.dim,
            columns_read(layout),
            None if types is None else types.missing,
            known_names(plan.categories.met.values(), layout),
            drawn.n_columns if drawn.has_columns else None,
            drawn.is_sparse,
            plan.planned_rows,
            drawn.origin,
            plan.to_dict(),
            drawn.explain(),
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON data; values of parameters are text, such as fractions."""
        return {
            "spec": self.spec,
            "values": {name: str(value) for name, value in self.values},
            "n_columns": self.n_columns_of_data,
            "columns": [vars(own) for own in self.columns],
            "missing": self.missing,
            "categories": [own.to_dict() for own in self.categories],
            "n_features": self.n_features,
            "sparse": self.is_sparse,
            "rows_planned_on": self.planned_rows,
            **dict.fromkeys(own.name for own in fields(Origin)),
            **({} if self.origin is None else vars(self.origin)),
            "plan": self.plan,
        }

    def __str__(self) -> str:
        explained = "\n".join(map(_printable, self.explanation.splitlines()))
        return f"{_labelled(self._rows())}\n\n{explained}"

    def __repr__(self) -> str:
        return f"MapDescription({self.spec!r:.60}, {self.n_features} features)"

    def _repr_html_(self) -> str:
        rows = [row for row in self._rows() if row[0] != "spec"]
        return coloured(self.spec) + html_rows("Feature map", rows) + folded("plan", preformatted(self.explanation))

    def _rows(self) -> list[tuple[str, str]]:
        size = "not yet learned" if self.n_features is None else f"{self.n_features:,}"
        rows = [
            ("spec", "\n".join(map(_printable, self.spec.splitlines()))),
            ("values", ", ".join(f"{_printable(name)} = {value}" for name, value in self.values)),
            ("features", f"{size}, {'CSR' if self.is_sparse else 'dense'}"),
            ("planned on", f"{self.planned_rows:,} rows" if self.planned_rows else "no data"),
            *_table_rows(self.columns, self.n_columns_of_data, self.categories, self.origin),
        ]
        return [(label, text) for label, text in rows if text]


def columns_read(layout: Layout) -> tuple[ColumnRead, ...]:
    """The columns that a kernel reads."""
    return tuple(
        ColumnRead(
            name,
            position,
            _recorded(layout.type_at(position), is_category=position in layout.categorical),
            " and ".join(
                use for use, own in (("number", layout.numeric), ("category", layout.categorical)) if position in own
            ),
        )
        for position, name in zip(layout.used, layout.names_of(layout.used), strict=True)
    )


def known_names(known: Iterable[KnownCategories], layout: Layout) -> tuple[KnownNames, ...]:
    """The known categories of some columns, with the columns' names."""
    return tuple(
        KnownNames(tuple(layout.mapped.names_of(own.positions)), len(own), own.values if own.is_named else None)
        for own in known
    )


def labelled_lines(
    rows: Iterable[tuple[str, str]], layout: Layout, categories: Iterable[KnownNames], origin: Origin | None
) -> str:
    """Labels with texts, followed by the columns, the categories and the origin of the file."""
    return _labelled([*rows, *_table_rows(columns_read(layout), layout.dim, categories, origin)])


def _table_rows(
    columns: Iterable[ColumnRead], n_columns: int, categories: Iterable[KnownNames], origin: Origin | None
) -> list[tuple[str, str]]:
    read, known = "\n".join(_column_lines(columns, n_columns)), "\n".join(own.shown() for own in categories)
    rows = [("columns", read), ("categories", known)]
    if origin is None:
        return rows
    return [*rows, ("written by", f"{origin.software}, {origin.date}"), ("digest", origin.digest)]


def _column_lines(columns: Iterable[ColumnRead], n_columns: int) -> Iterator[str]:
    shown = list(columns)
    for own in shown[:_MOST_SHOWN]:
        used = "" if own.use == own.type else f", used as {own.use}"
        shown_type = "date (days since 1970-01-01 in UTC)" if own.type == "date" else own.type
        yield f"{_printable(own.name)}: {shown_type or 'type not recorded'}{used}"
    if len(shown) > _MOST_SHOWN:
        yield f"and {len(shown) - _MOST_SHOWN:,} more"
    if n_columns > len(shown):
        yield f"({len(shown):,} of {n_columns:,} columns are read)"


def _recorded(found: str, *, is_category: bool) -> str | None:
    return found if found != "unknown" else None if is_category else "number"


def _labelled(rows: Iterable[tuple[str, str]]) -> str:
    shown = [(label, text) for label, text in rows if text]
    width = max(len(label) for label, _ in shown)
    return "\n".join(
        f"{(label if i == 0 else '').ljust(width)}  {_printable(line)}"
        for label, text in shown
        for i, line in enumerate(text.splitlines())
    )


def _printable(text: str) -> str:
    """Text from an untrusted file, without control codes for the terminal."""
    return text if text.isprintable() else json.dumps(text)
