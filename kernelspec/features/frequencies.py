"""Frequency matrices, dense or CSR: a row for every sample, a column for every column that is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.features.columns_read import ColumnRead

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Frequencies", "is_sparse", "spread", "stacked", "summed"]

Frequencies: TypeAlias = "NDArray[np.float64] | csr_array"
"""(n, p): most of the entries of a skeleton's frequencies are zero, and no others' are."""


def is_sparse(frequencies: Frequencies) -> bool:
    """Whether the matrix is CSR."""
    return not isinstance(frequencies, np.ndarray)


def spread(frequencies: Frequencies, columns: Sequence[ColumnRead], onto: Sequence[ColumnRead]) -> Frequencies:
    """The frequencies on a larger set of columns, in its order; a column that stands twice in `columns` gets the sum."""
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


def stacked(parts: Sequence[Frequencies]) -> Frequencies:
    """Samples one after the other; CSR if one of the parts is."""
    dense = [part for part in parts if isinstance(part, np.ndarray)]
    if len(dense) == len(parts):
        return np.concatenate(dense)
    from scipy.sparse import vstack

    return vstack([_as_csr(part) for part in parts], format="csr")


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
