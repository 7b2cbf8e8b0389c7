"""Keys of linearly mapped rows: what a change of the lag does to a kernel that is sampled by keys."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.hashing import Hashes
from kernelspec.samples.declared_arrays import LARGEST, places
from kernelspec.samples.factor import check_inner
from kernelspec.samples.samples import KeyFactor, Side
from kernelspec.tables.rows import Rows

__all__ = ["MappedKey"]


@dataclass(frozen=True)
class MappedKey(KeyFactor):
    """key(A x) for the key of `factor`, x being the columns `positions` of the table.

    `matrix` is A: a number (), one number per column (p,), or a matrix (q, p); the factor reads columns 0, 1, … of Ax.
    """

    factor: KeyFactor
    matrix: NDArray[np.float64]
    positions: tuple[int, ...] = places()

    @property
    def structure(self) -> Hashable:
        return ("mapped", self.matrix.shape, self.matrix.tobytes(), self.positions, self.factor.structure)

    @property
    def columns(self) -> tuple[int, ...]:
        return self.positions

    @property
    def has_sides(self) -> bool:
        return self.factor.has_sides

    def keys(self, rows: Rows, side: Side) -> Hashes:
        numbers = np.array(rows.select(self.positions).dense(), dtype=np.float64, order="C")
        return self.factor.keys(Rows(self._image(numbers)), side)

    @property
    def n_samples(self) -> int | None:
        return self.factor.n_samples

    def validate(self) -> None:
        p = len(self.positions)
        if self.matrix.dtype != np.float64 or self.matrix.shape not in ((), (p,), (*self.matrix.shape[:1], p)):
            raise ValueError(f"the matrix has the shape {self.matrix.shape} for {p} columns")
        if not (np.abs(self.matrix) <= LARGEST).all():
            raise ValueError("the matrix must have finite entries")
        check_inner(self.factor, self.n_samples or 0, len(self.matrix) if self.matrix.ndim == 2 else p)

    def take(self, index: NDArray[np.intp]) -> Self:
        return replace(self, factor=self.factor.take(index))

    def join(self, others: Sequence[Self]) -> Self:
        return replace(self, factor=self.factor.join([other.factor for other in others]))

    def _image(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.matrix.ndim < 2:
            return numbers * self.matrix
        from kernelspec.numerics.key_kernels import apply_matrix

        return np.asarray(apply_matrix(numbers, np.array(self.matrix.T, order="C")))
