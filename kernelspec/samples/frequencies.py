"""Frequency matrices, dense or CSR, and what frequencies act on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.declared_arrays import places
from kernelspec.samples.hadamard_frequencies import HadamardFrequencies
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "ColumnRead",
    "Frequencies",
    "Stored",
    "UnitColumn",
    "in_order",
    "mapped",
    "moved",
    "numbers_on",
    "positions_read",
    "products",
    "run_sums",
    "spread",
    "stacked",
    "summed",
]


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


Stored: TypeAlias = "NDArray[np.float64] | csr_array"
"""A matrix (n, p)."""

Frequencies: TypeAlias = "NDArray[np.float64] | csr_array | HadamardFrequencies"
"""(n, p): most of the entries of a skeleton's frequencies are zero, and no others' are; or there is no matrix."""


def spread(frequencies: Stored, columns: Sequence[ColumnRead], onto: Sequence[ColumnRead]) -> Stored:
    """The frequencies on more columns, in their order; a column that stands twice in `columns` gets the sum."""
    if isinstance(frequencies, np.ndarray) and tuple(columns) == tuple(onto):
        return frequencies
    place = {column: i for i, column in enumerate(onto)}
    places = np.array([place[column] for column in columns], dtype=np.intp)
    if isinstance(frequencies, np.ndarray):
        found = np.zeros((len(frequencies), len(onto)))
        for i, at in enumerate(places):
            found[:, at] += frequencies[:, i]
        return found
    shape = (frequencies.shape[0], len(onto))
    return _canonical(frequencies.data, places[frequencies.indices], frequencies.indptr, shape)


def moved(frequencies: Frequencies, columns: Sequence[ColumnRead], onto: Sequence[ColumnRead]) -> Frequencies:
    """The same for structured ones, too."""
    if isinstance(frequencies, HadamardFrequencies):
        place = {column: i for i, column in enumerate(onto)}
        return frequencies.moved(np.array([place[column] for column in columns], dtype=np.intp), len(onto))
    return spread(frequencies, columns, onto)


def summed(first: Frequencies, second: Frequencies) -> Stored:
    """The sums of two matrices of one shape; CSR if one of them is."""
    one, other = _stored(first), _stored(second)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one + other
    total = _as_csr(one) + _as_csr(other)
    return _canonical(total.data, total.indices, total.indptr, total.shape)


def mapped(given: Frequencies, matrix: NDArray[np.float64]) -> Stored:
    """A'ω for a matrix A (p, q), numbers on its diagonal (p,), or one number (); CSR if the frequencies are."""
    frequencies = _stored(given)
    if isinstance(frequencies, np.ndarray):
        return frequencies @ matrix if matrix.ndim == 2 else frequencies * matrix
    if matrix.ndim == 2:
        return _as_csr(np.asarray(frequencies @ matrix))
    scale = np.broadcast_to(matrix, frequencies.shape[1])
    data = frequencies.data * scale[frequencies.indices]
    return _canonical(data, frequencies.indices, frequencies.indptr, frequencies.shape)


def products(rows: Any, frequencies: Frequencies) -> NDArray[np.float64]:
    """ω_j·x of rows (n, p), dense or CSR: (n, samples)."""
    if isinstance(frequencies, HadamardFrequencies):
        return frequencies.products(rows if isinstance(rows, np.ndarray) else rows.toarray())
    return np.asarray(rows @ frequencies.T)


def stacked(parts: Sequence[tuple[Frequencies, Sequence[ColumnRead]]], onto: Sequence[ColumnRead]) -> Frequencies:
    """Samples one after the other, each part spread from its own columns; structured or CSR if one of the parts is."""
    if any(isinstance(frequencies, HadamardFrequencies) for frequencies, _ in parts):
        placed = [moved(frequencies, columns, onto) for frequencies, columns in parts]
        return HadamardFrequencies.join([_without_zeros(part) for part in placed], len(onto))
    stored = [(_stored(frequencies), columns) for frequencies, columns in parts]
    if all(isinstance(frequencies, np.ndarray) for frequencies, _ in stored):
        return np.concatenate([spread(frequencies, columns, onto) for frequencies, columns in stored])
    from scipy.sparse import csr_array, vstack

    matrices = [_as_csr(spread(_as_csr(frequencies), columns, onto)) for frequencies, columns in stored]
    return csr_array(vstack(matrices, format="csr"))


def run_sums(given: Frequencies, first: NDArray[np.intp]) -> Stored:
    """Sums of consecutive samples, from each of `first` up to the next; CSR if the frequencies are."""
    frequencies = _stored(given)
    if isinstance(frequencies, np.ndarray):
        return np.add.reduceat(frequencies, first, axis=0) if frequencies.shape[1] else np.zeros((len(first), 0))
    from scipy.sparse import csr_array

    n = frequencies.shape[0]
    adder = csr_array((np.ones(n), np.arange(n), np.append(first, n)), shape=(len(first), n))
    total = adder @ frequencies
    return _canonical(total.data, total.indices, total.indptr, total.shape)


def _stored(frequencies: Frequencies) -> Stored:
    """The matrix, where there is none."""
    return frequencies.toarray() if isinstance(frequencies, HadamardFrequencies) else frequencies


def _without_zeros(frequencies: Frequencies) -> NDArray[np.float64] | HadamardFrequencies:
    """Structured or dense: beside structured frequencies there are no sparse ones."""
    if isinstance(frequencies, np.ndarray | HadamardFrequencies):
        return frequencies
    return np.asarray(frequencies.toarray())


def _as_csr(frequencies: Stored) -> csr_array:
    from scipy.sparse import csr_array

    return csr_array(frequencies)


def _canonical(data: NDArray[Any], places: NDArray[Any], starts: NDArray[Any], shape: tuple[int, int]) -> csr_array:
    """Entries in the order of their places, no place twice, none that is zero."""
    from scipy.sparse import csr_array

    found = csr_array((data, places, starts), shape=shape, copy=True)
    found.sum_duplicates()
    found.eliminate_zeros()
    return found
