"""Keys of linearly mapped rows: what a change of the lag does to a kernel that is sampled by keys."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.hashing import Hashes
from kernelspec.samples.factor import inner_arrays
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
    positions: tuple[int, ...]

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

    def take(self, index: NDArray[np.intp]) -> Self:
        return replace(self, factor=self.factor.take(index))

    def join(self, others: Sequence[Self]) -> Self:
        return replace(self, factor=self.factor.join([other.factor for other in others]))

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        header, arrays = inner_arrays(self.factor)
        return {"kind": "mapped", "positions": list(self.positions)} | header, {"matrix": self.matrix} | arrays

    def _image(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.matrix.ndim < 2:
            return numbers * self.matrix
        from kernelspec.numerics.key_kernels import apply_matrix

        return np.asarray(apply_matrix(numbers, np.array(self.matrix.T, order="C")))
