"""Frequency matrices, dense, CSR or structured: a row for every sample, a column for every column that is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.columns_read import ColumnRead
from kernelspec.samples.hadamard_frequencies import HadamardFrequencies

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "Frequencies",
    "Stored",
    "mapped",
    "moved",
    "products",
    "run_sums",
    "spread",
    "stacked",
    "summed",
]

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
