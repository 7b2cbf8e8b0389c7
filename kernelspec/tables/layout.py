"""From the tables people have to `Rows`: arrays, lists, sparse matrices, data frames, Arrow tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import lt
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import DataError, PlanError
from kernelspec.tables.categories import MISSING, accepts, codes_of
from kernelspec.tables.cells import Domain, missing, not_finite, numbers_of
from kernelspec.tables.column_types import ColumnType, ColumnTypes, Missing, has_large_integers, type_of
from kernelspec.tables.rows import ReusedRows, Rows
from kernelspec.tables.table_kinds import (
    NAMES_NEEDED,
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

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.random.streams import Hashes

__all__ = ["Layout", "column_names"]

_MOST_SHOWN = 6
_FEW = 1024
"""Numbers that are looked through before NumPy is told which warnings not to give."""


@dataclass(frozen=True)
class Layout:
    """The columns of the table a kernel is applied to: how many, their names, and how each is used."""

    dim: int
    names: tuple[str, ...] | None
    numeric: tuple[int, ...]
    categorical: tuple[int, ...]
    domains: tuple[tuple[Domain, tuple[int, ...]], ...] = ()
    """The rows that the kernel is defined on, in some columns, where that is not every row of numbers."""

    types: ColumnTypes | None = None
    """What the columns held that the kernel was planned for; None if nothing is known of them."""

    by_name: bool = False
    """Whether tables without column names are refused: the spec selects by name, and nobody listed the names in order.
    """

    def __post_init__(self) -> None:
        if self.types is not None and not self.types.positions <= set(self.used):
            raise PlanError(
                f"types are recorded for columns {sorted(self.types.positions)} that the kernel does not read"
            )

    def validate(self) -> None:
        """Raise ValueError unless names and positions are those of `dim` columns: a saved layout may hold any."""
        if self.by_name and self.names is None:
            raise ValueError("columns are read by name, and have none")
        if not 1 <= self.dim < 2**31 or (self.names is not None and len(set(self.names)) != self.dim):
            raise ValueError(f"there are {self.dim} columns, or other names of columns than that")
        own = (self.numeric, self.categorical, *(positions for _, positions in self.domains))
        for positions in own:
            if not all(0 <= position < self.dim for position in positions):
                raise ValueError(f"there are no columns {positions} among {self.dim}")
        for positions in (self.numeric, self.categorical):
            if not all(map(lt, positions, positions[1:])):
                raise ValueError(f"the columns {positions} do not rise")
        if not all(positions and set(positions) <= set(self.numeric) for _, positions in self.domains):
            raise ValueError("only columns of numbers have a domain")

    @cached_property
    def used(self) -> tuple[int, ...]:
        """The columns that the kernel looks at, in order."""
        return tuple(sorted({*self.numeric, *self.categorical}))

    def read(self, X: Any, *, finite: bool = True, memory: ReusedRows | None = None) -> Rows:
        """The rows of a table: NumPy, lists, SciPy sparse, or any data frame that narwhals or Arrow knows.

        A data frame is read by name where the layout has names, in any order and beside other columns, else by
        position; everything else by position, unless the layout is `by_name`. Columns that the kernel does not use are
        not looked at. float32 stays float32. Without `finite` those of an array may be NaN or infinite, as
        `check_numbers` tells later: to look through an array takes a tenth of the time of some features. The numbers of
        a data frame lie in `memory`, if given, and last until it is used again. Raises DataError naming the row and
        column: wrong shape, an unknown column, text where numbers are needed, NaN, infinity, a missing category, dates,
        a category of another type than `types` has, a row on which the kernel is not defined.
        """
        if isinstance(X, Rows):
            return X
        if type(X) is np.ndarray:  # told at once: of one row all questions together take longer than its features
            rows = self._array(X, finite or bool(self.domains))
        else:
            X = as_table(X)
            if is_frame(X):
                rows = self._frame(X, memory or ReusedRows())
            else:
                rows = self._sparse(X) if hasattr(X, "tocsr") else self._array(X)
        for domain, positions in self.domains:
            domain.check(rows.select(positions).numbers, lambda i, places=positions: self.name_of(places[i]))  # type: ignore[misc]
        return rows

    def check_numbers(self, rows: Rows) -> None:
        """Raise DataError naming the first number of dense rows that is NaN or infinite, in a column that is used."""
        if isinstance(rows.numbers, np.ndarray):
            self._check_finite(rows.numbers)

    def number_type(self, X: Any) -> np.dtype[Any]:
        """The type in which the numbers of an array, sparse matrix or data frame are read: float32 if all have it.

        No row is looked at, and there may be none. Raises DataError for another number of columns, or an unknown one.
        """
        if hasattr(X, "tocsr") or not is_frame(X):
            self.check_width(width_of(X))
            return _read_as(X.dtype)
        _, columns = self._placed(X)
        return self._common_type([values_of(columns[i], self.name_of(i)).dtype for i in self.numeric or self.used])

    def numbers_of_frame(self, X: Any) -> list[NDArray[Any]]:
        """The columns of numbers of a data frame, as its library hands them over. Raises DataError."""
        _, columns = self._placed(X)
        return [values_of(columns[i], self.name_of(i)) for i in self.numeric]

    def pinned(self, text: Sequence[str | int] = (), missing: Missing = "refuse") -> Layout:
        """The same with columns, by name or position, that hold text, and all other categories of unknown type.

        Raises DataError for a column that is not there, or that the kernel does not compare as a category.
        """
        types = (self.types or ColumnTypes()).with_columns(dict.fromkeys(self.untyped, "unknown"))
        pinned: dict[int, ColumnType] = {self.position_of(column): "text" for column in text}
        for position in pinned:
            if types.type_at(position) not in ("unknown", "text"):
                raise DataError(
                    f"{self.name_of(position)} is recorded as {types.type_at(position)}, and cannot be text"
                )
        return replace(self, types=replace(types.with_columns(pinned), missing=missing))

    def recorded(self, X: Any) -> Layout:
        """The same with the types that the columns of a table have, where none are recorded yet. Raises DataError."""
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
        """The cells of a column of a data frame in which nothing is missing."""
        where = self.name_of(position)
        return values_of(without_gaps(series, where), where)

    def with_types(self, types: Mapping[int, ColumnType]) -> Layout:
        """The same with these types recorded for some columns."""
        return replace(self, types=(self.types or ColumnTypes()).with_columns(types))

    @property
    def untyped(self) -> list[int]:
        """The categories whose type is not known."""
        return [i for i in self.categorical if self.types is None or self.types.type_at(i) == "unknown"]

    def position_of(self, column: str | int) -> int:
        """The position of a column that the kernel compares as a category, and does not take for a number.

        Raises DataError for any other column.
        """
        known = self.names if isinstance(column, str) else tuple(range(self.dim))
        if known is None or column not in known:
            from kernelspec.loading import suggest

            hint = suggest(str(column), self.names or ())
            raise DataError(f"the kernel is applied to no column {column!r}, which is to be text{hint}")
        position = known.index(column)
        if position in self.numeric or position not in self.categorical:
            how = "takes it for a number" if position in self.numeric else "does not look at it"
            raise DataError(
                f"{self.name_of(position)} is to be text, but the kernel {how} (match() compares categories)"
            )
        return position

    def fitted(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rows on which the kernel is defined, written over any rows (n, dim)."""
        for domain, positions in self.domains:
            numbers[:, list(positions)] = domain.fit(numbers[:, list(positions)])
        return numbers

    def _array(self, X: NDArray[Any], finite: bool = True) -> Rows:
        width = width_of(X)
        self._check_shape(len(X), width)
        refuse_complex(X)
        if X.dtype.kind in "fiub":
            numbers = X.astype(_read_as(X.dtype), copy=False)
            if finite:
                self._check_finite(numbers)
            codes, cells = self._own_codes(X)
            return Rows(numbers, codes, cells=cells)
        return self._assemble(len(X), {i: X[:, i] for i in self.used}, {}, ReusedRows())

    def _sparse(self, X: Any) -> Rows:
        from scipy.sparse import csr_array

        self._check_shape(X.shape[0], width_of(X))
        refuse_complex(X)
        X = X.tocsr()
        check_places(X)
        if not X.has_canonical_format:
            X = X.copy()  # the caller's stays as it is
            X.sum_duplicates()
        numbers = csr_array(X.astype(_read_as(X.dtype), copy=False))
        for entry in np.flatnonzero(~np.isfinite(numbers.data)):
            column, value = int(numbers.indices[entry]), float(numbers.data[entry])
            if column in self.used and not (np.isnan(value) and self._may_miss(column)):
                row = int(np.searchsorted(numbers.indptr, entry, side="right")) - 1
                raise not_finite(row, self.name_of(column), value)
        codes, cells = self._own_codes(X)
        return Rows(numbers, codes, cells=cells)

    def _own_codes(self, X: Any) -> tuple[dict[int, Hashes], dict[int, NDArray[Any]]]:
        """The codes of an array's categories, where they do not follow from its numbers as floats, and the categories.

        Floats would merge 2⁵³ and 2⁵³ + 1, have no code for NaN, and say nothing of the type expected.
        """
        if not self.categorical:
            return {}, {}
        values = X if isinstance(X, np.ndarray) else X.data
        large, own = has_large_integers(values), type_of(np.empty(0, X.dtype))
        plain = {i for i in self.categorical if accepts(self.type_at(i), own) and not self._may_miss(i)}
        wanted = [i for i in self.categorical if large or i not in plain]
        columns = {i: X[:, [i]] for i in wanted}
        cells = {i: (c if isinstance(c, np.ndarray) else c.toarray()).ravel() for i, c in columns.items()}
        return {i: self._codes(i, column) for i, column in cells.items()}, cells

    def _codes(self, position: int, column: NDArray[Any]) -> Hashes:
        missing: Missing = "category" if self._may_miss(position) else "refuse"
        return codes_of(column, self.name_of(position), self.type_at(position), missing)

    def type_at(self, position: int) -> ColumnType:
        """The type that is recorded for a column."""
        return "unknown" if self.types is None else self.types.type_at(position)

    def _may_miss(self, position: int) -> bool:
        """Whether a cell may be missing: that of a category which is no number, where the map says so."""
        return self.types is not None and self.types.missing == "category" and position not in self.numeric

    def _frame(self, X: Any, memory: ReusedRows) -> Rows:
        n, placed = self._placed(X)
        self._check_rows(n)
        columns, gaps = {}, {}
        for i in self.used:
            series = placed[i]
            if series.null_count():  # some conversions to NumPy drop the mask
                empty = values_of(series.is_null())
                if not self._may_miss(i):
                    raise missing(int(np.flatnonzero(empty)[0]), self.name_of(i), category=i not in self.numeric)
                gaps[i] = empty
            columns[i] = self._present(series, i) if i in gaps else values_of(series, self.name_of(i))
        return self._assemble(n, columns, gaps, memory)

    def _placed(self, X: Any) -> tuple[int, dict[int, Any]]:
        """The number of rows of a data frame, and those of its columns that are read."""
        frame, own = open_frame(X)
        columns = list(frame.iter_columns())  # at once: one by one each looks through all their names
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
        """The rows of n cells a column; a column with gaps has the cells beside them."""
        # zeros in all other columns: nobody writes there
        numbers = memory.of(n, self.dim, self._common_type([columns[i].dtype for i in self.numeric or self.used]))
        for i in self.numeric:
            numbers[:, i] = numbers_of(columns[i], self.name_of(i))
        self._check_finite(numbers)
        codes, cells = {}, {}
        for i in self.categorical:
            codes[i], cells[i] = self._codes(i, columns[i]), columns[i]
            if i in gaps:
                own = codes[i], cells[i]
                codes[i], cells[i] = np.full(n, MISSING), np.full(n, None)
                codes[i][~gaps[i]], cells[i][~gaps[i]] = own
        return Rows(numbers, codes, cells=cells)

    @staticmethod
    def _common_type(types: Sequence[np.dtype[Any]]) -> np.dtype[Any]:
        single = bool(types) and all(_read_as(own) == np.float32 for own in types)
        return np.dtype(np.float32 if single else np.float64)

    def check_width(self, width: int) -> None:
        """Raise DataError unless a table without column names can be read, and has the right number of columns."""
        if self.by_name:
            raise DataError(self.names_needed())
        if width != self.dim:
            raise DataError(f"X has {width} features, but the spec is compiled for {self.dim} columns")

    def _check_shape(self, n: int, width: int) -> None:
        self.check_width(width)
        self._check_rows(n)

    @staticmethod
    def _check_rows(n: int) -> None:
        if n == 0:
            raise DataError("the table is empty: 0 sample(s), while a minimum of 1 is required")

    def _check_finite(self, numbers: NDArray[Any]) -> None:
        if len(self.used) == self.dim:
            # one pass without a temporary of the size of the data: NaN and infinity survive the sum
            if numbers.size <= _FEW:
                total = np.vdot(numbers, numbers)  # of squares, which says nothing of overflow, and so need not be told
            else:
                with np.errstate(over="ignore", invalid="ignore"):
                    total = numbers.sum()
            if math.isfinite(total):
                return
        for i in self.used:
            bad = np.flatnonzero(np.isinf(numbers[:, i]) if self._may_miss(i) else ~np.isfinite(numbers[:, i]))
            if len(bad):
                raise not_finite(int(bad[0]), self.name_of(i), float(numbers[bad[0], i]))

    def names_needed(self) -> str:
        """Why a table without column names is refused, and what to do."""
        used = [self.name_of(i).removeprefix("column ") for i in self.used[:_MOST_SHOWN]]
        more = ", …" if len(self.used) > _MOST_SHOWN else ""
        return f"the spec selects columns by name ({', '.join(used)}{more}), and {NAMES_NEEDED}"

    def names_of(self, positions: Iterable[int]) -> list[str]:
        """The names of columns, or x0, x1, … as scikit-learn calls columns without names."""
        return [f"x{position}" if self.names is None else self.names[position] for position in positions]

    def name_of(self, position: int) -> str:
        """A column in words: `column 'age'`, or `column 3`."""
        return f"column '{self.names[position]}'" if self.names is not None else f"column {position}"


def _read_as(stored: np.dtype[Any]) -> np.dtype[Any]:
    """float32 for float32 in whatever order of bytes, else float64."""
    return np.dtype(np.float32 if stored.kind == "f" and stored.itemsize == np.float32().itemsize else np.float64)
