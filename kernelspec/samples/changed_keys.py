"""Hash keys of mapped or translated rows, and of products of several draws."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.streams import Hashes
from kernelspec.samples.declared_arrays import LARGEST, places
from kernelspec.samples.factor import FactorRuns, check_inner
from kernelspec.samples.samples import KeyFactor, Side
from kernelspec.tables.rows import Rows

__all__ = ["MappedKey", "RunKey", "TranslatedKey"]


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


@dataclass(frozen=True)
class TranslatedKey(KeyFactor):
    """key(x + r) on the left and key(y) on the right, for the key of `factor`; r is `by` on the columns `positions`."""

    factor: KeyFactor
    by: tuple[float, ...]
    positions: tuple[int, ...] = places()

    @property
    def structure(self) -> Hashable:
        return ("translated", self.by, self.positions, self.factor.structure)

    @property
    def columns(self) -> tuple[int, ...]:
        return self.factor.columns

    @property
    def has_sides(self) -> bool:
        return True

    def keys(self, rows: Rows, side: Side) -> Hashes:
        if side == "right":
            return self.factor.keys(rows, side)
        numbers = rows.dense().copy()
        numbers[:, list(self.positions)] += np.asarray(self.by)
        return self.factor.keys(Rows(numbers, rows.categories), side)

    @property
    def n_samples(self) -> int | None:
        return self.factor.n_samples

    @property
    def least_width(self) -> int:
        return max(self.factor.least_width, *(position + 1 for position in self.positions))

    def validate(self) -> None:
        if len(self.by) != len(self.positions) or len(set(self.positions)) < len(self.positions) or not self.by:
            raise ValueError("a translation has one entry for each of its columns")
        if not all(abs(entry) <= LARGEST for entry in self.by):
            raise ValueError("a translation must be finite")

    def take(self, index: NDArray[np.intp]) -> Self:
        return replace(self, factor=self.factor.take(index))

    def join(self, others: Sequence[Self]) -> Self:
        return replace(self, factor=self.factor.join([other.factor for other in others]))


@dataclass(frozen=True)
class RunKey(FactorRuns[KeyFactor], KeyFactor):
    """The keys of `factor` from starts_j up to starts_{j+1}, mixed in order: they differ where one of these does."""

    def validate(self) -> None:
        super().validate()
        if not isinstance(self.factor, KeyFactor):
            raise ValueError("the factor of runs of keys must be one of keys")

    @property
    def has_sides(self) -> bool:
        return self.factor.has_sides

    def keys(self, rows: Rows, side: Side) -> Hashes:
        from kernelspec.numerics.key_kernels import mix_runs

        return np.asarray(mix_runs(self.factor.keys(rows, side), self.starts))
