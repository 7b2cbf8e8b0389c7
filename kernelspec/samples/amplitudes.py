"""Amplitudes other than phasors: products of columns, neurons, phases of categories, functions of a column."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.activations.activation import Activation
from kernelspec.numerics.arrays import Projection
from kernelspec.random.streams import Hashes, mix
from kernelspec.samples.declared_arrays import array, check_starts, places
from kernelspec.samples.factor import AmplitudeFactor, check_inner, joined_starts, taken_runs
from kernelspec.samples.frequencies import ColumnRead, in_order, numbers_on
from kernelspec.samples.samples import KeyFactor, Side
from kernelspec.tables.rows import Rows

__all__ = ["CategoryPhases", "ColumnShapes", "LinearForms", "Neurons", "Shape", "shaped"]


@dataclass(frozen=True)
class LinearForms(AmplitudeFactor):
    """∏ s_t x_{i_t} or ∏ s_t (x_{i_t} ± i x_{k_t}): sample j has the factors t from starts_j up to starts_{j+1}.

    `first` and `second` are positions in `reads`; `second` is −1 without an imaginary part, whose sign is `turn`.
    `scale` is s. `starts` (n + 1,) ends with the number of factors.
    """

    reads: tuple[ColumnRead, ...] = places("reads")
    starts: NDArray[np.intp] = array("int64", "samples + 1", at_least=0)
    first: NDArray[np.intp] = array("int64", "factors", at_least=0, below="reads")
    second: NDArray[np.intp] = array("int64", "factors", at_least=-1, below="reads")
    turn: NDArray[np.float64] = array("float64", "factors", at_least=-1, at_most=1)
    scale: NDArray[np.float64] = array("float64", "factors", above=0, at_most=65536)

    @property
    def structure(self) -> Hashable:
        return ("linear forms", self.is_complex)

    @property
    def is_complex(self) -> bool:
        return bool((self.second >= 0).any())

    def values(self, rows: Rows, side: Side) -> NDArray[Any]:
        from kernelspec.numerics.key_kernels import multiply_complex, multiply_real

        numbers, first, second = numbers_on(rows, self.reads), self.first, self.second
        if not isinstance(numbers, np.ndarray):  # of wide rows, only the columns that occur
            used = np.unique(np.concatenate([first, second[second >= 0]]))
            first, second = (np.where(at < 0, -1, np.searchsorted(used, at)) for at in (first, second))
            numbers = numbers[:, used].toarray()
        data = np.array(numbers, dtype=np.float64, order="C")
        out = np.empty((len(rows), len(self.starts) - 1), dtype=np.complex128 if self.is_complex else np.float64)
        if self.is_complex:
            multiply_complex(data, self.starts, first, second, self.turn, self.scale, out)
        else:
            multiply_real(data, self.starts, first, self.scale, out)
        return out

    def take(self, index: NDArray[np.intp]) -> LinearForms:
        flat, starts = taken_runs(self.starts, index)
        return LinearForms(self.reads, starts, self.first[flat], self.second[flat], self.turn[flat], self.scale[flat])

    def join(self, others: Sequence[LinearForms]) -> LinearForms:
        parts = _on_common_reads([self, *others])
        return LinearForms(
            parts[0].reads,
            joined_starts([part.starts for part in parts]),
            np.concatenate([part.first for part in parts]),
            np.concatenate([part.second for part in parts]),
            np.concatenate([part.turn for part in parts]),
            np.concatenate([part.scale for part in parts]),
        )

    def times(self, other: AmplitudeFactor) -> LinearForms | None:
        if not isinstance(other, LinearForms):
            return None
        n = len(self.starts) - 1
        order = np.arange(2 * n).reshape(2, n).T.ravel()  # alternate samples of this and of the other one
        return self.join([other]).take(order).runs(np.arange(0, 2 * n + 1, 2))

    def runs(self, starts: NDArray[np.intp]) -> LinearForms:
        return replace(self, starts=self.starts[starts])

    @property
    def n_samples(self) -> int:
        return len(self.starts) - 1

    def validate(self) -> None:
        check_starts(self.starts, len(self.first), empty_runs=True)


def _on_common_reads(parts: list[LinearForms]) -> list[LinearForms]:
    """The same factors, with positions in the union of their reads."""
    if all(part.reads == parts[0].reads for part in parts):
        return parts
    reads = in_order(column for part in parts for column in part.reads)
    place = {column: i for i, column in enumerate(reads)}
    moved = []
    for part in parts:
        new = np.array([*(place[column] for column in part.reads), -1], dtype=np.intp)
        moved.append(replace(part, reads=reads, first=new[part.first], second=new[part.second]))
    return moved


@dataclass(frozen=True)
class Neurons(AmplitudeFactor):
    """σ(w_j·x)/√E σ² − `constant` − `slope` w_j·x with the weights w_j (n, p) on the columns read."""

    activation: Activation
    reads: tuple[ColumnRead, ...] = places("reads")
    weights: NDArray[np.float64] = array("float64", "samples", "reads", at_least=-64, at_most=64)
    constant: float = 0.0
    slope: float = 0.0

    @property
    def is_complex(self) -> bool:
        return False

    def values(self, rows: Rows, side: Side) -> NDArray[Any]:
        data = numbers_on(rows, self.reads).astype(np.float64, copy=False)
        inputs = np.ascontiguousarray(self._projection(data))
        found = np.asarray(self.activation.evaluate(inputs), dtype=np.float64)
        if self.constant or self.slope:
            found -= self.constant + self.slope * inputs
        return found

    @cached_property
    def _projection(self) -> Projection:
        return Projection(self.weights.T)


@dataclass(frozen=True)
class CategoryPhases(AmplitudeFactor):
    """z_j(x) = e^{2πi u}, u the hash of `words`_j and of the key that `categories` gives x, as a number in [0, 1).

    Different keys have independent uniform phases, so E z(x) conj z(y) = 1[x = y], as with e^{2πi ωx/n} for categories
    x = 0, …, n − 1 and uniform ω, but without knowing n.
    """

    words: Hashes = array("uint64", "samples")
    categories: KeyFactor  # type: ignore[misc]  # array() declares a field without a default

    @property
    def columns(self) -> tuple[int, ...]:
        return self.categories.columns

    @property
    def is_complex(self) -> bool:
        return True

    def values(self, rows: Rows, side: Side) -> NDArray[Any]:
        hashes = mix(self.words, self.categories.keys(rows, side))
        return np.asarray(np.exp(2j * np.pi * ((hashes >> np.uint64(11)) * 2.0**-53)))

    @property
    def least_width(self) -> int:
        return self.categories.least_width

    def validate(self) -> None:
        check_inner(self.categories, len(self.words))


Shape: TypeAlias = Literal["ramp", "damped"]
"""(x − a)₊ⁿ, or √x e^{−a x²}."""


def shaped(shape: Shape, power: int, column: Any, number: Any, xp: Any = np) -> Any:
    """The function of a column (n, samples) for one number per sample (samples,), in arrays of `xp`."""
    if shape == "damped":
        return xp.sqrt(column) * xp.exp(-number * column**2)
    beyond = column - number
    return xp.where(beyond > 0, beyond**power, 0.0 * beyond)


@dataclass(frozen=True)
class ColumnShapes(AmplitudeFactor):
    """A function of one numeric column, (x − a)₊ⁿ or √x e^{−a x²}: a = `numbers`_j and x = reads[`which`_j]."""

    shape: Shape
    power: int
    reads: tuple[int, ...] = places("reads")
    which: NDArray[np.intp] = array("int64", "samples", at_least=0, below="reads")
    numbers: NDArray[np.float64] = array("float64", "samples", at_least=0)

    @property
    def is_complex(self) -> bool:
        return False

    def values(self, rows: Rows, side: Side) -> NDArray[Any]:
        del side
        data = rows.select(self.reads).dense()
        return np.asarray(shaped(self.shape, self.power, data[:, self.which], self.numbers))

    def on(self, chosen: NDArray[np.intp]) -> Self:
        """Sample j on column `chosen`_j of the table instead."""
        reads, which = np.unique(chosen, return_inverse=True)
        return replace(self, reads=tuple(reads.tolist()), which=which.ravel().astype(np.intp))

    def validate(self) -> None:
        if not 0 <= self.power <= 100:
            raise ValueError(f"the power is {self.power}")
