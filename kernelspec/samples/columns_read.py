"""What frequencies act on: a column of the table, or a column of some of its rows' unit vectors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.tables.rows import Rows

__all__ = ["ColumnRead", "UnitColumn", "from_array", "in_order", "numbers_on", "positions_read", "to_array"]


@dataclass(frozen=True, slots=True)
class UnitColumn:
    """The column at `position` after every row has been divided by its Euclidean norm over the columns `among`."""

    position: int
    among: tuple[int, ...]


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
    groups: dict[tuple[int, ...], list[int]] = {}
    for column in columns[len(own) :]:
        if isinstance(column, UnitColumn):
            groups.setdefault(column.among, []).append(column.among.index(column.position))
    kind = rows.numbers.dtype if rows.numbers.dtype == np.float32 else np.float64
    parts += [rows.select(among).on_unit_sphere().numbers[:, kept].astype(kind) for among, kept in groups.items()]
    if not rows.is_sparse:
        return np.hstack(parts)
    from scipy.sparse import hstack

    return hstack(parts, format="csr")


def to_array(columns: tuple[ColumnRead, ...]) -> NDArray[np.int64]:
    """The columns as whole numbers, for saving: position, then 0, or the columns of the norm and how many there are."""
    words: list[int] = []
    for column in columns:
        among = () if isinstance(column, int) else column.among
        words += [column if isinstance(column, int) else column.position, len(among), *among]
    return np.array(words, dtype=np.int64)


def from_array(words: NDArray[np.int64]) -> tuple[ColumnRead, ...]:
    """What `to_array` wrote. Raises ValueError if it is none of that."""
    columns: list[ColumnRead] = []
    left = [int(word) for word in words][::-1]
    while left:
        position, count = left.pop(), left.pop()
        if not 0 <= count <= len(left):
            raise ValueError("the columns of frequencies are damaged")
        among = tuple(left.pop() for _ in range(count))
        columns.append(UnitColumn(position, among) if among else position)
    return tuple(columns)
