"""From users' tables to `Rows`, whole or in pieces: arrays, lists, sparse matrices, frames, Arrow tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, islice, pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError
from kernelspec.loading import sparse
from kernelspec.random.streams import Hashes
from kernelspec.tables.categories import MISSING, accepts, codes_of
from kernelspec.tables.cells import ColumnFunction, dense, no_category, not_finite, numbers_of
from kernelspec.tables.column_types import Missing, has_large_integers, type_of
from kernelspec.tables.rows import ReusedRows, Rows, consecutive_rows, first_fault, numbered, row_limits
from kernelspec.tables.schema import Schema
from kernelspec.tables.table_kinds import (
    as_table,
    check_places,
    column_names,
    is_frame,
    open_frame,
    refuse_complex,
    values_of,
    width_of,
    without_gaps,
    written_out,
)

__all__ = ["Layout", "MappedLayout", "column_names", "memory_of_frame", "pieces_of"]

_FEW = 1024  # numbers to check before NumPy's warnings are suppressed


@dataclass(frozen=True)
class Layout(Schema):
    """A schema that reads tables with its columns."""

    @property
    def mapped(self) -> Layout:
        """The layout of the kernel's rows; differs from this one if functions are applied."""
        return self

    def read(self, X: Any, *, finite: bool = True, memory: ReusedRows | None = None, mapped: bool = True) -> Rows:
        """Read a table: NumPy, lists, SciPy sparse, or any data frame that narwhals or Arrow supports.

        A data frame is read by name if the layout has names, in any order and with extra columns, else by position;
        everything else by position, unless the layout is `by_name`. Columns that the kernel does not use are ignored.
        float32 stays float32. Without `finite`, numbers of an array may be NaN or infinite, to be found later by
        `check_numbers`, because the check costs a tenth of the time of some features. Numbers of a data frame are
        placed in `memory`, if given, until it is reused. Without `mapped`, rows are those of the table, before
        functions of columns.

        Raises DataError with the row and column: wrong shape, an unknown column, text in place of numbers, NaN,
        infinity, a missing category, dates, a category whose type differs from `types`, a row on which the kernel is
        not defined.
        """
        if isinstance(X, Rows):
            return X
        if type(X) is np.ndarray:  # a shortcut: for one row, all the checks together take longer than its features
            rows = self._array(X, finite or self.checks_rows)
        else:
            X = as_table(X)
            if is_frame(X):
                rows = self._frame(X, memory or ReusedRows())
            else:
                rows = self._sparse(X) if hasattr(X, "tocsr") else self._array(X)
        if not mapped:
            return rows
        rows = self.map_rows(rows)
        seen = self.mapped
        for domain, positions in seen.domains:
            domain.check(rows.select(positions).numbers, lambda i, places=positions: seen.name_of(places[i]))  # type: ignore[misc]
        return rows

    def map_rows(self, rows: Rows) -> Rows:
        """The rows of the kernel's columns from those of the table; unchanged if no functions are applied."""
        return rows

    @property
    def copies_rows(self) -> bool:
        """Whether reading allocates memory even if the table has numbers of the right type."""
        return bool(self.categorical) or self.mapped is not self

    @property
    def checks_rows(self) -> bool:
        """Whether rows of finite numbers may be rejected, so that numbers are checked before any computation."""
        return bool(self.domains)

    def check_numbers(self, rows: Rows) -> None:
        """Raise DataError for the first NaN or infinite number of dense rows in a column that is used."""
        if isinstance(rows.numbers, np.ndarray):
            self.mapped._check_finite(rows.numbers)

    def number_type(self, X: Any) -> np.dtype[Any]:
        """The type in which the numbers of an array, sparse matrix or data frame are read: float32 if all have it.

        Reads no row, and there may be none. Raises DataError for a wrong number of columns, or an unknown one.
        """
        if hasattr(X, "tocsr") or not is_frame(X):
            self.check_width(width_of(X))
            return _read_as(X.dtype)
        _, columns = self._placed(X)
        return self._common_type([values_of(columns[i], self.name_of(i)).dtype for i in self.numeric or self.used])

    def numbers_of_frame(self, X: Any) -> list[NDArray[Any]]:
        """The numeric columns of a data frame, as its library returns them. Raises DataError."""
        _, columns = self._placed(X)
        return [values_of(columns[i], self.name_of(i)) for i in self.numeric]

    def recorded(self, X: Any) -> Self:
        """The same with missing column types filled in from a table. Raises DataError."""
        if isinstance(X, Rows):
            return self
        X = as_table(X)
        wanted = sorted({*self.untyped, *self.numeric} - (set(self.categorical) - set(self.untyped)))
        if hasattr(X, "tocsr") or not is_frame(X):
            self._check_shape(X.shape[0], width_of(X))
            refuse_complex(X)
            plain = X.dtype.kind in "fiub"
            found = {i: type_of(np.empty(0, X.dtype) if plain else X[:, i]) for i in wanted}
        else:
            n, columns = self._placed(X)
            self._check_rows(n)
            found = {i: type_of(self._present(columns[i], i)) for i in wanted}
        return self.with_types(found)

    def _present(self, series: Any, position: int) -> NDArray[Any]:
        """The non-missing cells of a column of a data frame."""
        where = self.name_of(position)
        return values_of(without_gaps(series, where), where)

    def _array(self, X: NDArray[Any], finite: bool = True) -> Rows:
        width = width_of(X)
        self._check_shape(len(X), width)
        refuse_complex(X)
        if X.dtype.kind in "fiub":
            for i in getattr(self.types, "date", ()):
                numbers_of(X[:, i], self.name_of(i), "date")  # refuses numbers
            numbers = X.astype(_read_as(X.dtype), copy=False)
            if finite:
                self._check_finite(numbers)
            codes, cells = self._own_codes(X)
            return Rows(numbers, codes, cells=cells)
        return self._assemble(len(X), {i: X[:, i] for i in self.used}, {}, ReusedRows())

    def _sparse(self, X: Any) -> Rows:
        self._check_shape(X.shape[0], width_of(X))
        refuse_complex(X)
        X = X.tocsr()
        check_places(X)
        if not X.has_canonical_format:
            X = X.copy()  # leave the caller's array unchanged
            X.sum_duplicates()
        numbers = sparse.csr_array(X.astype(_read_as(X.dtype), copy=False))
        for entry in np.flatnonzero(~np.isfinite(numbers.data)):
            column, value = int(numbers.indices[entry]), float(numbers.data[entry])
            if column in self.used and not (np.isnan(value) and self.may_miss(column)):
                row = int(np.searchsorted(numbers.indptr, entry, side="right")) - 1
                raise not_finite(row, self.name_of(column), value)
        codes, cells = self._own_codes(X)
        return Rows(numbers, codes, cells=cells)

    def _own_codes(self, X: Any) -> tuple[dict[int, Hashes], dict[int, NDArray[Any]]]:
        """The codes of an array's categories, where numbers as floats do not determine them, and the categories.

        Floats would merge 2⁵³ and 2⁵³ + 1, have no code for NaN, and not check the expected type.
        """
        if not self.categorical:
            return {}, {}
        values = X if isinstance(X, np.ndarray) else X.data
        large, own = has_large_integers(values), type_of(np.empty(0, X.dtype))
        plain = {i for i in self.categorical if accepts(self.type_at(i), own) and not self.may_miss(i)}
        wanted = [i for i in self.categorical if large or i not in plain]
        cells = {i: dense(X[:, [i]]).ravel() for i in wanted}
        return {i: self._codes(i, column) for i, column in cells.items()}, cells

    def _numbers(self, position: int, column: NDArray[Any], empty: NDArray[np.bool_] | None) -> NDArray[Any]:
        """The cells that are there as numbers; `empty` says where others are missing, for errors that name a row."""
        name, expected = self.name_of(position), self.type_at(position)
        try:
            return numbers_of(column, name, expected, gaps=self.may_miss(position))
        except DataError:
            if empty is not None and column.dtype.kind not in "mM":
                numbers_of(_with_gaps(column, empty), name, expected, gaps=True)
            raise

    def _codes(self, position: int, column: NDArray[Any], empty: NDArray[np.bool_] | None = None) -> Hashes:
        missing: Missing = "category" if self.may_miss(position) else "refuse"
        name, expected = self.name_of(position), self.type_at(position)
        try:
            return codes_of(column, name, expected, missing)
        except DataError:
            if empty is not None and column.dtype.kind not in "mM":
                codes_of(_with_gaps(column, empty), name, expected, "category")
            raise

    def _frame(self, X: Any, memory: ReusedRows) -> Rows:
        n, placed = self._placed(X)
        self._check_rows(n)
        columns, gaps = {}, {}
        for i in self.used:
            series = placed[i]
            if series.null_count():  # some conversions to NumPy drop the mask
                empty = values_of(series.is_null())
                if not self.may_miss(i):
                    if i in self.numeric:
                        self._numbers(i, self._present(series, i), empty)  # raises for text, the greater fault
                    refusal = not_finite if i in self.numeric else no_category
                    raise refusal(int(np.flatnonzero(empty)[0]), self.name_of(i), np.nan)
                gaps[i] = empty
            columns[i] = self._present(series, i) if i in gaps else values_of(series, self.name_of(i))
        return self._assemble(n, columns, gaps, memory)

    def _placed(self, X: Any) -> tuple[int, dict[int, Any]]:
        """The number of rows of a data frame, and the columns to read."""
        frame, own = open_frame(X)
        columns = list(frame.iter_columns())  # at once: each single lookup scans all names
        places = {name: i for i, name in reversed(list(enumerate(own)))}
        wanted = [] if self.names is None else [self.names[i] for i in self.used]
        if self.names is None or (column_names(X) is None and not places.keys() >= set(wanted)):
            self.check_width(len(own))
            return len(frame), {i: written_out(columns[i]) for i in self.used}
        for name in wanted:
            if name not in places:
                from kernelspec.loading import suggest

                raise DataError(f"the data have no column '{name}'{suggest(name, own)}")
        return len(frame), {i: written_out(columns[places[self.names[i]]]) for i in self.used}

    def _assemble(
        self, n: int, columns: dict[int, NDArray[Any]], gaps: dict[int, NDArray[np.bool_]], memory: ReusedRows
    ) -> Rows:
        """The rows from columns of n cells; columns with gaps come with their cells."""
        # zeros in all other columns, which nobody writes to
        numbers = memory.of(n, self.dim, self._common_type([columns[i].dtype for i in self.numeric or self.used]))
        for i in self.numeric:
            read = self._numbers(i, columns[i], gaps.get(i))
            if i in gaps:
                numbers[gaps[i], i] = np.nan
                numbers[~gaps[i], i] = read
            else:
                numbers[:, i] = read
        self._check_finite(numbers)
        codes, cells = {}, {}
        for i in self.categorical:
            codes[i], cells[i] = self._codes(i, columns[i], gaps.get(i)), columns[i]
            if i in gaps:
                own = codes[i], cells[i]
                codes[i], cells[i] = np.full(n, MISSING), np.full(n, None)
                codes[i][~gaps[i]], cells[i][~gaps[i]] = own
        return Rows(numbers, codes, cells=cells)

    @staticmethod
    def _common_type(types: Sequence[np.dtype[Any]]) -> np.dtype[Any]:
        single = bool(types) and all(_read_as(own) == np.float32 for own in types)
        return np.dtype(np.float32 if single else np.float64)

    def _check_shape(self, n: int, width: int) -> None:
        self.check_width(width)
        self._check_rows(n)

    @staticmethod
    def _check_rows(n: int) -> None:
        if n == 0:
            raise DataError("the table is empty: 0 sample(s), while a minimum of 1 is required")

    def _check_finite(self, numbers: NDArray[Any]) -> None:
        if len(self.used) == self.dim:
            # one pass without a temporary array: NaN and infinity survive the sum
            if numbers.size <= _FEW:
                total = np.vdot(numbers, numbers)  # ignore overflow of the sum of squares
            else:
                with np.errstate(over="ignore", invalid="ignore"):
                    total = numbers.sum()
            if math.isfinite(total):
                return
        for i in self.used:
            bad = np.flatnonzero(np.isinf(numbers[:, i]) if self.may_miss(i) else ~np.isfinite(numbers[:, i]))
            if len(bad):
                raise not_finite(int(bad[0]), self.name_of(i), float(numbers[bad[0], i]))


@dataclass(frozen=True)
class MappedLayout(Layout):
    """A layout that applies functions: column j of a row is `functions[j]`, a column of the table or a function.

    `target` is the layout of these rows, for the kernel.
    """

    functions: tuple[int | ColumnFunction, ...] = ()
    target: Layout | None = None

    def validate(self) -> None:
        super().validate()
        if type(self.target) is not Layout or len(self.functions) != self.target.dim:
            raise ValueError("functions of columns have no layout, or one of another number of columns")
        for place, own in enumerate(self.functions):
            if isinstance(own, ColumnFunction):
                needed, compared = own.reads(), own.compares()
            else:
                seen = self.target.numeric, self.target.categorical
                needed, compared = (frozenset({own} if place in used else ()) for used in seen)
            if not (set(needed) <= set(self.numeric) and set(compared) <= set(self.categorical)):
                raise ValueError(f"column {place} is made of columns that are not read")

    @property
    def mapped(self) -> Layout:
        assert self.target is not None
        return self.target

    def may_miss(self, position: int) -> bool:
        return position in self._filled or super().may_miss(position)

    @cached_property
    def _filled(self) -> frozenset[int]:
        """The numeric columns whose uses all handle missing values."""
        plain = {*self.categorical, *(own for own in self.functions if not isinstance(own, ColumnFunction))}
        computed = [own for own in self.functions if isinstance(own, ColumnFunction)]
        return frozenset(self.numeric).difference(plain, *(own.reads() - own.fills() for own in computed))

    @property
    def checks_rows(self) -> bool:
        return True

    def map_rows(self, rows: Rows) -> Rows:
        kept = [own for own in self.functions if not isinstance(own, ColumnFunction)]
        computed = [own for own in self.functions if isinstance(own, ColumnFunction)]
        numbers = rows.numbers if isinstance(rows.numbers, np.ndarray) else rows.numbers.tocsc()
        wanted = sorted(frozenset().union(*(own.reads() for own in computed)))
        compared = sorted(frozenset().union(*(own.compares() for own in computed)))

        def floats(place: int) -> NDArray[np.float64]:
            return dense(numbers[:, [place]]).astype(np.float64, copy=False).ravel()

        columns = {i: floats(i) for i in wanted}
        cells = {i: rows.cells[i] if i in rows.cells else floats(i) for i in compared}
        dtype = rows.numbers.dtype
        found: Any = [own.values(cells if own.compares() else columns, self.name_of, dtype) for own in computed]
        found = np.reshape(found, (len(computed), len(rows))).T
        table: Any
        if isinstance(numbers, np.ndarray):
            table = np.empty((len(rows), len(self.functions)), dtype=numbers.dtype)
            is_computed = np.array([isinstance(own, ColumnFunction) for own in self.functions])
            table[:, ~is_computed] = numbers[:, kept]
            table[:, is_computed] = found
        else:
            order = np.argsort([isinstance(own, ColumnFunction) for own in self.functions], kind="stable")
            made = sparse.hstack([numbers[:, kept], sparse.csr_array(found)], format="csr")
            table = made[:, np.argsort(order)]
            table.sort_indices()
        codes, named = (
            {place: own[i] for place, i in enumerate(self.functions) if isinstance(i, int) and i in own}
            for own in (rows.categories, rows.cells)
        )
        return Rows(table, codes, rows.first, named)


def _read_as(stored: np.dtype[Any]) -> np.dtype[Any]:
    """float32 for float32 in any byte order, else float64."""
    return np.dtype(np.float32 if stored.kind == "f" and stored.itemsize == np.float32().itemsize else np.float64)


_BYTES = 2**24
_BYTES_PER_NUMBER, _BYTES_PER_CATEGORY, _NUMBERS_PER_ENTRY = 8, 128, 4
"""Temporary bytes per category and per entry: a category may be a Python object before it becomes a code, and entries
with their places are sorted.
"""


def pieces_of(
    layout: Layout, X: Any, size: int | None = None, *, most: int | None = None
) -> Iterator[tuple[slice, Rows]] | None:
    """The rows of X in consecutive pieces, each read on demand; None if X is better read as a whole.

    That holds for tables that are not copied (arrays of numbers), cannot be cut (sparse formats other than CSR), or are
    not large. Pieces have `size` rows, or 16 MiB of numbers and of objects that become categories, and at most `most`
    rows. Errors in columns are raised at once, errors in a row when its piece is read. Raises the errors of
    `layout.read`.
    """
    if isinstance(X, Rows):
        return None
    X = X if type(X) is np.ndarray else as_table(X)
    if not _is_copied(layout, X) or len(list(islice(_limits(layout, X, None, None), 3))) < 3:
        return None
    layout.read(_cut(X, 0, 1))
    return _read(layout, X, _limits(layout, X, size, most))


def memory_of_frame(layout: Layout, X: Any) -> Iterator[NDArray[Any]]:
    """The numbers of a data frame that is cut, in its own memory if its library allows."""
    for start, stop in pairwise(_limits(layout, X, None, None)):
        yield from layout.numbers_of_frame(_cut(X, start, stop))


def _read(layout: Layout, X: Any, limits: Iterable[int]) -> Iterator[tuple[slice, Rows]]:
    for start, stop in pairwise(limits):
        try:
            rows = layout.read(_cut(X, start, stop))
        except DataError:
            found = first_fault(layout.read, partial(_cut, _cut(X, start, stop)), stop - start)
            if found is None:
                raise
            row, alone = found
            raise type(alone)(numbered(alone, start + row)) from None
        yield slice(start, stop), replace(rows, first=start)


def _limits(layout: Layout, X: Any, size: int | None, most: int | None) -> Iterable[int]:
    """Where the table is cut, from 0 to the number of its rows."""
    n, is_sparse = X.shape[0], hasattr(X, "tocsr")
    if size is None:
        a_row = _BYTES_PER_CATEGORY * len(layout.categorical) + (0 if is_sparse else _BYTES_PER_NUMBER * layout.dim)
        size = max(1, min(_BYTES // max(1, a_row), most or n))
        if is_sparse:
            return row_limits(X, _BYTES // (_BYTES_PER_NUMBER * _NUMBERS_PER_ENTRY), size)
    return chain(range(0, n, size), [n])


def _is_copied(layout: Layout, X: Any) -> bool:
    """Whether reading needs memory of the size of the table, and the table can be cut."""
    if hasattr(X, "tocsr"):
        if X.format != "csr" or not X.shape[0]:
            return False
        kind = layout.number_type(X)
        check_places(X)
        return kind != X.dtype or layout.copies_rows or not X.has_canonical_format
    if is_frame(X):
        return hasattr(X, "shape") and (hasattr(X, "iloc") or hasattr(X, "slice"))  # a lazy frame has no shape
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fiubOU":
        return False
    return layout.number_type(X) != X.dtype or layout.copies_rows or layout.checks_rows


def _cut(X: Any, start: int, stop: int) -> Any:
    if hasattr(X, "tocsr"):
        return consecutive_rows(X, start, stop)
    if isinstance(X, np.ndarray):
        return X[start:stop]
    return X.iloc[start:stop] if hasattr(X, "iloc") else X.slice(start, stop - start)


def _with_gaps(cells: NDArray[Any], empty: NDArray[np.bool_]) -> NDArray[Any]:
    """A column of n cells, with None in the `empty` ones, from those that are there."""
    column = np.full(len(empty), None)
    column[~empty] = cells
    return column
