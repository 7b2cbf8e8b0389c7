"""What frequencies act on: a column of the table, or a column of some of its rows' unit vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from kernelspec.samples.declared_arrays import places
from kernelspec.tables.rows import Rows

__all__ = ["ColumnRead", "UnitColumn", "in_order", "numbers_on", "positions_read"]


@dataclass(frozen=True, slots=True, eq=False)
class UnitColumn:
    """The column at `position` after every row has been divided by its Euclidean norm over the columns `among`.

    The columns of one law share one `among`. Comparing d of them must not take d² steps, so that is looked at first.
    """

    position: int
    among: tuple[int, ...] = places()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UnitColumn):
            return NotImplemented
        return self.position == other.position and _is_same(self.among, other.among)

    def __hash__(self) -> int:
        return hash((self.position, len(self.among)))

    def validate(self) -> None:
        """Raise ValueError unless the column is one of those that the norm is taken over."""
        if self.position not in self.among or len(set(self.among)) < len(self.among):
            raise ValueError(f"column {self.position} is not one of the columns {self.among}, each once")


ColumnRead: TypeAlias = int | UnitColumn


def in_order(columns: Iterable[ColumnRead]) -> tuple[ColumnRead, ...]:
    """Each once: the table's own by position, then those of unit vectors."""
    found = set(columns)
    if set(map(type, found)) <= {int}:
        return tuple(sorted(found))  # type: ignore[type-var]  # whole numbers
    normed = {id(c.among): c.among for c in found if isinstance(c, UnitColumn)}
    rank = {among: place for place, among in enumerate(sorted(set(normed.values())), start=1)}
    ranks = {key: rank[among] for key, among in normed.items()}
    return tuple(sorted(found, key=lambda c: (0, c) if isinstance(c, int) else (ranks[id(c.among)], c.position)))


def positions_read(columns: Iterable[ColumnRead]) -> tuple[int, ...]:
    """The columns of the table that these need."""
    own: set[int] = set()
    normed: dict[int, tuple[int, ...]] = {}
    for column in columns:
        if isinstance(column, int):
            own.add(column)
        else:
            normed[id(column.among)] = column.among
    return tuple(sorted(own.union(*normed.values())))


def numbers_on(rows: Rows, columns: tuple[ColumnRead, ...]) -> Any:
    """The numbers of the columns, (n, p), dense or CSR like those of the rows. Raises DataError for a row of zeros."""
    if columns == tuple(range(rows.n_columns)):
        return rows.numbers
    own = [column for column in columns if isinstance(column, int)]
    if len(own) == len(columns):
        return rows.numbers[:, own]
    parts: list[Any] = [rows.numbers[:, own]] if own else []
    kind = rows.numbers.dtype if rows.numbers.dtype == np.float32 else np.float64
    for among, positions in _groups(columns[len(own) :]):
        unit = rows.select(among).on_unit_sphere().numbers
        parts.append((unit if positions == among else unit[:, _places(among, positions)]).astype(kind, copy=False))
    if not rows.is_sparse:
        return np.hstack(parts)
    from scipy.sparse import hstack

    return hstack(parts, format="csr")


def _groups(columns: tuple[ColumnRead, ...]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """What columns of unit vectors have in common, and their positions; in order those of one norm stand together."""
    positions: list[int] = []
    among: tuple[int, ...] = ()
    for column in columns:
        if not isinstance(column, UnitColumn):
            continue
        if positions and not _is_same(among, column.among):
            yield among, tuple(positions)
            positions = []
        among = column.among
        positions.append(column.position)
    if positions:
        yield among, tuple(positions)


def _is_same(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether both are the same columns: without looking at them if they are one object."""
    return one is other or one == other


def _places(among: tuple[int, ...], positions: tuple[int, ...]) -> list[int]:
    places = {position: i for i, position in enumerate(among)}
    return [places[position] for position in positions]
