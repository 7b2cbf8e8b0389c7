"""Frequency matrices, dense or CSR: a row for every sample, a column for every column that is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.columns_read import ColumnRead

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "Frequencies",
    "mapped",
    "run_sums",
    "spread",
    "stacked",
    "summed",
]

Frequencies: TypeAlias = "NDArray[np.float64] | csr_array"
"""(n, p): most of the entries of a skeleton's frequencies are zero, and no others' are."""


def spread(frequencies: Frequencies, columns: Sequence[ColumnRead], onto: Sequence[ColumnRead]) -> Frequencies:
    """The frequencies on more columns, in their order; a column that stands twice in `columns` gets the sum."""
    place = {column: i for i, column in enumerate(onto)}
    places = np.array([place[column] for column in columns], dtype=np.intp)
    if isinstance(frequencies, np.ndarray):
        found = np.zeros((len(frequencies), len(onto)))
        for i, at in enumerate(places):
            found[:, at] += frequencies[:, i]
        return found
    shape = (frequencies.shape[0], len(onto))
    return _canonical(frequencies.data, places[frequencies.indices], frequencies.indptr, shape)


def summed(first: Frequencies, second: Frequencies) -> Frequencies:
    """The sums of two matrices of one shape; CSR if one of them is."""
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return first + second
    total = _as_csr(first) + _as_csr(second)
    return _canonical(total.data, total.indices, total.indptr, total.shape)


def mapped(frequencies: Frequencies, matrix: NDArray[np.float64]) -> Frequencies:
    """A'ω for a matrix A (p, q), numbers on its diagonal (p,), or one number (); CSR if the frequencies are."""
    if isinstance(frequencies, np.ndarray):
        return frequencies @ matrix if matrix.ndim == 2 else frequencies * matrix
    if matrix.ndim == 2:
        return _as_csr(np.asarray(frequencies @ matrix))
    scale = np.broadcast_to(matrix, frequencies.shape[1])
    data = frequencies.data * scale[frequencies.indices]
    return _canonical(data, frequencies.indices, frequencies.indptr, frequencies.shape)


def stacked(parts: Sequence[tuple[Frequencies, Sequence[ColumnRead]]], onto: Sequence[ColumnRead]) -> Frequencies:
    """Samples one after the other, each part spread from its own columns; CSR if one of the parts is."""
    if all(isinstance(frequencies, np.ndarray) for frequencies, _ in parts):
        return np.concatenate([spread(frequencies, columns, onto) for frequencies, columns in parts])
    from scipy.sparse import csr_array, vstack

    matrices = [_as_csr(spread(_as_csr(frequencies), columns, onto)) for frequencies, columns in parts]
    return csr_array(vstack(matrices, format="csr"))


def run_sums(frequencies: Frequencies, first: NDArray[np.intp]) -> Frequencies:
    """Sums of consecutive samples, from each of `first` up to the next; CSR if the frequencies are."""
    if isinstance(frequencies, np.ndarray):
        return np.add.reduceat(frequencies, first, axis=0) if frequencies.shape[1] else np.zeros((len(first), 0))
    from scipy.sparse import csr_array

    n = frequencies.shape[0]
    adder = csr_array((np.ones(n), np.arange(n), np.append(first, n)), shape=(len(first), n))
    total = adder @ frequencies
    return _canonical(total.data, total.indices, total.indptr, total.shape)


def _as_csr(frequencies: Frequencies) -> csr_array:
    from scipy.sparse import csr_array

    return csr_array(frequencies)


def _canonical(data: NDArray[Any], places: NDArray[Any], starts: NDArray[Any], shape: tuple[int, int]) -> csr_array:
    """Entries in the order of their places, no place twice, none that is zero."""
    from scipy.sparse import csr_array

    found = csr_array((data, places, starts), shape=shape, copy=True)
    found.sum_duplicates()
    found.eliminate_zeros()
    return found
