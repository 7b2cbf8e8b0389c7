"""What frequencies act on: a column of the table, or a column of some of its rows' unit vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np

from kernelspec.samples.declared_arrays import places
from kernelspec.tables.rows import Rows

__all__ = ["ColumnRead", "UnitColumn", "in_order", "numbers_on", "positions_read"]


@dataclass(frozen=True, slots=True)
class UnitColumn:
    """The column at `position` after every row has been divided by its Euclidean norm over the columns `among`."""

    position: int
    among: tuple[int, ...] = places()

    def validate(self) -> None:
        """Raise ValueError unless the column is one of those that the norm is taken over."""
        if self.position not in self.among or len(set(self.among)) < len(self.among):
            raise ValueError(f"column {self.position} is not one of the columns {self.among}, each once")


ColumnRead: TypeAlias = int | UnitColumn


def in_order(columns: Iterable[ColumnRead]) -> tuple[ColumnRead, ...]:
    """Each once: the table's own by position, then those of unit vectors."""
    return tuple(sorted(set(columns), key=lambda c: ((), c) if isinstance(c, int) else (c.among, c.position)))


def positions_read(columns: Iterable[ColumnRead]) -> tuple[int, ...]:
    """The columns of the table that these need."""
    needed = ((column,) if isinstance(column, int) else column.among for column in columns)
    return tuple(sorted({position for part in needed for position in part}))


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
    for among, same in groupby((own for own in columns if isinstance(own, UnitColumn)), key=attrgetter("among")):
        yield among, tuple(own.position for own in same)


def _places(among: tuple[int, ...], positions: tuple[int, ...]) -> list[int]:
    places = {position: i for i, position in enumerate(among)}
    return [places[position] for position in positions]
