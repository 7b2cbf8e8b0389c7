"""Frequency matrices, dense or CSR, the columns they act on, and real exponentials of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError
from kernelspec.loading import has_package, sparse
from kernelspec.numerics.arrays import Projection
from kernelspec.samples.declared_arrays import KeptFields, array, places
from kernelspec.samples.hadamard_frequencies import HadamardFrequencies
from kernelspec.tables.cells import FROM_ZERO
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.samples.samples import Side

__all__ = [
    "ColumnRead",
    "ColumnsReader",
    "Frequencies",
    "Growth",
    "Stored",
    "UnitColumn",
    "compiled_phasors",
    "cosines",
    "in_order",
    "mapped",
    "moved",
    "no_finite_growth",
    "numbers_on",
    "phasors",
    "positions_read",
    "products",
    "run_sums",
    "spread",
    "stacked",
    "summed",
]


@dataclass(frozen=True, slots=True, eq=False)
class UnitColumn:
    """The column at `position` after dividing every row by its Euclidean norm over the columns `among`.

    The columns of one law share one `among` object, so comparisons check identity first: comparing d columns must not
    take d² steps.
    """

    position: int
    among: tuple[int, ...] = places()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UnitColumn):
            return NotImplemented
        return self.position == other.position and (self.among is other.among or self.among == other.among)

    def __hash__(self) -> int:
        return hash((self.position, len(self.among)))

    def validate(self) -> None:
        """Raise ValueError unless the column is one of those in the norm."""
        if self.position not in self.among or len(set(self.among)) < len(self.among):
            raise ValueError(f"column {self.position} is not one of the distinct columns {self.among}")


ColumnRead: TypeAlias = int | UnitColumn


def in_order(columns: Iterable[ColumnRead]) -> tuple[ColumnRead, ...]:
    """Distinct columns: the table's own by position, then those of unit vectors."""
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


@dataclass(frozen=True, eq=False)
class ColumnsReader:
    """Reads the numbers of columns, which are sorted out once: tables of text have 10⁵ of them."""

    columns: tuple[ColumnRead, ...]

    @cached_property
    def own(self) -> list[int]:
        """Those of the table, which come first."""
        return [column for column in self.columns if isinstance(column, int)]

    @cached_property
    def normed(self) -> list[tuple[tuple[int, ...], list[int] | None]]:
        """The columns of every norm, and which of them are read, None for all."""
        found: list[tuple[tuple[int, ...], list[int] | None]] = []
        for among, group in groupby(self.columns[len(self.own) :], attrgetter("among")):  # sorted columns: adjacent
            positions = tuple(map(attrgetter("position"), group))
            place = dict(zip(among, range(len(among)), strict=True))
            found.append((among, None if positions == among else list(map(place.__getitem__, positions))))
        return found

    def __call__(self, rows: Rows) -> Any:
        """The numbers, (n, p), dense or CSR like those of the rows. Raises DataError for a row of zeros."""
        own = self.own
        if len(own) == len(self.columns):
            return rows.numbers if own == list(range(rows.n_columns)) else rows.numbers[:, own]
        parts: list[Any] = [rows.numbers[:, own]] if own else []
        kind = rows.numbers.dtype if rows.numbers.dtype == np.float32 else np.float64
        for among, found in self.normed:
            unit = rows.select(among).on_unit_sphere().numbers
            parts.append((unit if found is None else unit[:, found]).astype(kind, copy=False))
        if len(parts) == 1:
            return parts[0]
        return sparse.hstack(parts, format="csr") if rows.is_sparse else np.hstack(parts)


def numbers_on(rows: Rows, columns: tuple[ColumnRead, ...]) -> Any:
    """The numbers of the columns, (n, p), dense or CSR like those of the rows. Raises DataError for a row of zeros."""
    return ColumnsReader(columns)(rows)


Stored: TypeAlias = "NDArray[np.float64] | csr_array"
"""A matrix (n, p)."""

Frequencies: TypeAlias = "NDArray[np.float64] | csr_array | HadamardFrequencies"
"""(n, p): CSR for skeletons, whose entries are mostly zero, dense for others; structured ones have no matrix."""


def spread(frequencies: Stored, columns: Sequence[ColumnRead], onto: Sequence[ColumnRead]) -> Stored:
    """The frequencies on more columns, in their order; frequencies of repeated columns are added."""
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
    """The same, also for structured ones."""
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
    """A'ω for a matrix A (p, q), its diagonal (p,), or one number (); CSR if the frequencies are."""
    frequencies = _stored(given)
    if isinstance(frequencies, np.ndarray):
        return frequencies @ matrix if matrix.ndim == 2 else frequencies * matrix
    if matrix.ndim == 2:
        return _as_csr(np.asarray(frequencies @ matrix))
    scale = np.broadcast_to(matrix, frequencies.shape[1])
    data = frequencies.data * scale[frequencies.indices]
    return _canonical(data, frequencies.indices, frequencies.indptr, frequencies.shape)


def products(rows: Any, frequencies: Frequencies) -> NDArray[np.float64]:
    """ω_j·x of rows (n, p), dense or CSR: (n, samples), always dense."""
    if isinstance(frequencies, HadamardFrequencies):
        return frequencies.products(rows if isinstance(rows, np.ndarray) else rows.toarray())
    found = rows @ frequencies.T
    return found if isinstance(found, np.ndarray) else np.asarray(found.toarray())  # CSR times CSR is CSR


def stacked(parts: Sequence[tuple[Frequencies, Sequence[ColumnRead]]], onto: Sequence[ColumnRead]) -> Frequencies:
    """Consecutive samples, each part spread from its own columns; structured or CSR if one of the parts is."""
    if any(isinstance(frequencies, HadamardFrequencies) for frequencies, _ in parts):
        placed = [moved(frequencies, columns, onto) for frequencies, columns in parts]
        return HadamardFrequencies.join([_without_zeros(part) for part in placed], len(onto))
    stored = [(_stored(frequencies), columns) for frequencies, columns in parts]
    if all(isinstance(frequencies, np.ndarray) for frequencies, _ in stored):
        return np.concatenate([spread(frequencies, columns, onto) for frequencies, columns in stored])
    matrices = [_as_csr(spread(_as_csr(frequencies), columns, onto)) for frequencies, columns in stored]
    return sparse.csr_array(sparse.vstack(matrices, format="csr"))


def run_sums(given: Frequencies, first: NDArray[np.intp]) -> Stored:
    """Sums of consecutive samples, from each of `first` up to the next; CSR if the frequencies are."""
    frequencies = _stored(given)
    if isinstance(frequencies, np.ndarray):
        return np.add.reduceat(frequencies, first, axis=0) if frequencies.shape[1] else np.zeros((len(first), 0))
    n = frequencies.shape[0]
    adder = sparse.csr_array((np.ones(n), np.arange(n), np.append(first, n)), shape=(len(first), n))
    total = adder @ frequencies
    return _canonical(total.data, total.indices, total.indptr, total.shape)


def _stored(frequencies: Frequencies) -> Stored:
    """The matrix, computed if necessary."""
    return frequencies.toarray() if isinstance(frequencies, HadamardFrequencies) else frequencies


def _without_zeros(frequencies: Frequencies) -> NDArray[np.float64] | HadamardFrequencies:
    """Structured or dense, because structured and sparse frequencies are never combined."""
    if isinstance(frequencies, np.ndarray | HadamardFrequencies):
        return frequencies
    return np.asarray(frequencies.toarray())


def _as_csr(frequencies: Stored) -> csr_array:
    return sparse.csr_array(frequencies)


def _canonical(data: NDArray[Any], places: NDArray[Any], starts: NDArray[Any], shape: tuple[int, int]) -> csr_array:
    """A CSR matrix with sorted, distinct and nonzero entries."""
    found = sparse.csr_array((data, places, starts), shape=shape, copy=True)
    found.sum_duplicates()
    found.eliminate_zeros()
    return found


def cosines(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """cos θ = 2/(1 + t²) − 1 with t = tan θ/2, to an absolute error of 1e-15."""
    found = np.tan(0.5 * angles)
    np.square(found, out=found)
    found += 1
    np.divide(2.0, found, out=found)
    found -= 1
    return found


def phasors(angles: NDArray[np.float64]) -> NDArray[np.complex128]:
    """exp(iθ) = (1 + it)²/(1 + t²) with t = tan θ/2, to an absolute error of 1e-15."""
    tangents = np.tan(0.5 * angles)
    found = np.empty(angles.shape, dtype=np.complex128)
    shares = np.square(tangents)
    shares += 1
    np.divide(2.0, shares, out=shares)
    np.subtract(shares, 1, out=found.real)
    np.multiply(shares, tangents, out=found.imag)
    return found


def compiled_phasors(angles: NDArray[np.float64]) -> NDArray[np.complex128]:
    """The same to an error of 1e-15 (1 + |θ|), ten times as fast, once the loop is loaded or compiled."""
    if not has_package("numba"):
        return phasors(angles)
    from kernelspec.numerics.phasor_kernels import DOUBLE, write_circle

    found = np.empty(angles.shape, dtype=np.complex128)
    write_circle(np.ascontiguousarray(angles).reshape(-1), DOUBLE, found.reshape(-1).view(np.float64))
    return found


@dataclass(frozen=True)
class Growth(KeptFields):
    """Real factors e^{β·x} of z_L(x) and e^{−β·y} of z_R(y), one β per sample: together e^{β·(x − y)}.

    `rates` (n, p) are β on `columns` of the table; on all others it is zero.
    """

    columns: tuple[int, ...] = places("columns")
    rates: NDArray[np.float64] = array("float64", "samples", "columns")

    def take(self, index: NDArray[np.intp]) -> Growth:
        """Some of the samples."""
        return Growth(self.columns, self.rates[index])

    def on(self, columns: tuple[int, ...]) -> NDArray[np.float64]:
        """The rates on a larger set of columns, in its order."""
        spread = np.zeros((len(self.rates), len(columns)))
        spread[:, [columns.index(column) for column in self.columns]] = self.rates
        return spread

    def __mul__(self, other: Growth) -> Growth:
        """Exponents add."""
        columns = tuple(sorted({*self.columns, *other.columns}))
        return Growth(columns, self.on(columns) + other.on(columns))

    def at(self, positions: tuple[int, ...], by: Sequence[float]) -> NDArray[np.float64]:
        """e^{β·r} for the vector r with the entries `by` on the columns `positions`, (n,)."""
        place = dict(zip(positions, by, strict=True))
        return np.asarray(np.exp(self.rates @ np.array([place.get(column, 0.0) for column in self.columns])))

    def mapped(self, matrix: NDArray[np.float64], positions: tuple[int, ...]) -> Growth:
        """The growth at Ax, x being the columns `positions`: β becomes A'β."""
        spread = self.on(tuple(range(matrix.shape[0] if matrix.ndim else len(positions))))
        return Growth(positions, spread @ matrix if matrix.ndim == 2 else spread * matrix)

    @staticmethod
    def join(parts: Sequence[tuple[Growth | None, int]]) -> Growth | None:
        """Consecutive samples, each part with its number of samples; None if none of them grows."""
        columns = tuple(sorted({column for part, _ in parts if part is not None for column in part.columns}))
        if not any(part is not None for part, _ in parts):
            return None
        rates = [np.zeros((n, len(columns))) if part is None else part.on(columns) for part, n in parts]
        return Growth(columns, np.concatenate(rates))

    def factors(self, rows: Rows, side: Side, dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Factors for every distinct rate, (rows, rates), and each sample's rate. Raises DataError on overflow."""
        data = rows.numbers[:, list(self.columns)].astype(dtype, copy=False)
        exponent = np.ascontiguousarray(self._projection(side, dtype)(data))
        largest = exponent.max(axis=1, initial=-np.inf)
        beyond = np.flatnonzero(~(largest < np.log(np.finfo(dtype).max)))
        if len(beyond):
            raise no_finite_growth(rows.first + int(beyond[0]), float(largest[beyond[0]]))
        return np.exp(exponent, out=exponent), self._distinct[1]

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """The distinct rates, and the index of each sample's rate."""
        rates, which = np.unique(self.rates, axis=0, return_inverse=True)
        return rates, which.ravel()

    def _projection(self, side: Side, dtype: np.dtype[Any]) -> Projection:
        """The exponents of one side, prepared once per precision."""
        key = side, dtype.char
        if key not in self._projections:
            rates = self._distinct[0]
            slopes = np.ascontiguousarray((rates if side == "left" else -rates).T, dtype=dtype)
            self._projections[key] = Projection(slopes)
        return self._projections[key]

    @cached_property
    def _projections(self) -> dict[tuple[Side, str], Projection]:
        return {}


def no_finite_growth(row: int, exponent: float) -> DataError:
    """The error for a row whose factor e^exponent overflows."""
    return DataError(
        f"row {row} is scaled by e^{exponent:.4g}, which is not finite: rescale the columns, or use "
        f"a smaller tilt{FROM_ZERO}"
    )
