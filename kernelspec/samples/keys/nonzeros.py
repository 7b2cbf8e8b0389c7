"""The nonzero entries of signed rows as non-negative weights on twice as many coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from kernelspec.tables.rows import Rows

__all__ = ["Nonzeros", "nonzeros"]


class Nonzeros(NamedTuple):
    """Row r has `weights[pointers[r]:pointers[r + 1]]` on `coordinates`, in the order of the columns.

    Coordinate 2i is the positive part of column i, 2i + 1 the negative one.
    """

    pointers: NDArray[np.int64]
    coordinates: NDArray[np.int64]
    weights: NDArray[np.float64]


def nonzeros(rows: Rows, positions: tuple[int, ...]) -> Nonzeros:
    """The entries of some columns: ũ_{2i} = max(u_i, 0), ũ_{2i+1} = max(−u_i, 0). Sparse rows stay sparse."""
    from kernelspec.numerics.nonzeros_kernels import entries_of_csr, entries_of_dense

    numbers = rows.select(positions).numbers
    if isinstance(numbers, np.ndarray):
        return Nonzeros(*entries_of_dense(np.ascontiguousarray(numbers)))
    if not numbers.has_canonical_format:
        numbers = numbers.copy()
        numbers.sum_duplicates()
    return Nonzeros(*entries_of_csr(numbers.indptr, numbers.indices, numbers.data))
