"""All samples of a map without keys: one frequency matrix, dense columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.arrays import Projection, pack_weights
from kernelspec.numerics.packed import AngleSizes, PackedPhasors, largest_size, pack_hadamard, pack_phasors
from kernelspec.numerics.phasor import (
    Form,
    PlacedPhasors,
    evaluate_phasors,
    evaluate_sparse_phasors,
    evaluate_stacked,
    losses_of_stacked,
    width,
)
from kernelspec.numerics.threads import run_blocks
from kernelspec.random.coupled import signs_of
from kernelspec.samples.declared_arrays import KeptFields, array, check_signs
from kernelspec.samples.factor import AmplitudeFactor, check_inner
from kernelspec.samples.frequencies import ColumnsReader, Growth, positions_read
from kernelspec.samples.hadamard_frequencies import DenseBlock, HadamardBlocks, HadamardFrequencies, MappedBlocks
from kernelspec.samples.samples import Phasors, Side
from kernelspec.tables.rows import Rows

__all__ = ["DenseFeatures", "Placed"]

_DOUBLE = np.dtype(np.float64)

_GROWN_ROWS, _GROWN = 272, 2**20
"""Rows per block when multiplying features by growth factors, and the most factors."""


@dataclass(frozen=True)
class Placed:
    """An amplitude factor of the samples from `start` up to `stop`."""

    start: int
    stop: int
    factor: AmplitudeFactor


@dataclass(frozen=True)
class DenseFeatures(KeptFields):
    """N samples with amplitudes √weight and signs; `offsets` are the b of the phase form (else zero).

    With `growth`, amplitudes are multiplied by real exponentials of the rows, and by the factors in `amplitudes`, each
    for a run of samples. The last `n_real` samples are real, and have one column in every form.
    """

    phasors: Phasors
    weight: NDArray[np.float64] = array("float64", "samples", at_least=0)
    sign: NDArray[np.float64] = array("float64", "samples", at_least=-1, at_most=1)
    offsets: NDArray[np.float64] = array("float64", "samples")
    growth: Growth | None = None
    amplitudes: tuple[Placed, ...] = ()
    n_real: int = 0

    def validate(self) -> None:
        """Raise ValueError unless all parts have the same samples, and complex factors apply to complex ones."""
        n = len(self.weight)
        parts = {len(self.phasors.left), n if self.growth is None else len(self.growth.rates)}
        if parts != {n} or not 0 <= self.n_real <= n or not n:
            raise ValueError(f"there are {n} samples, but parts of {parts} and {self.n_real} that are real")
        check_signs(self.sign)
        for placed in self.amplitudes:
            is_real = placed.start >= self.n_turning
            first, end = (self.n_turning, n) if is_real else (0, self.n_turning)
            if not first <= placed.start < placed.stop <= end or (is_real and placed.factor.is_complex):
                raise ValueError(f"the samples {placed.start} to {placed.stop} are not all complex, or all real")
            check_inner(placed.factor, placed.stop - placed.start)

    @property
    def least_width(self) -> int:
        """The fewest columns of a table."""
        return max([max(self.columns, default=-1) + 1, *(placed.factor.least_width for placed in self.amplitudes)])

    @property
    def columns(self) -> tuple[int, ...]:
        """The data columns that are read."""
        own = {column for placed in self.amplitudes for column in placed.factor.columns}
        own |= set(() if self.growth is None else self.growth.columns)
        return tuple(sorted(own | set(positions_read(self.phasors.columns))))

    @property
    def is_blockwise(self) -> bool:
        """Whether blocks of rows are as fast as all rows at once: nothing is prepared or read for all rows."""
        is_packed = isinstance(self.phasors.frequencies, np.ndarray | HadamardFrequencies)
        return is_packed and all(isinstance(column, int) for column in self.phasors.columns)

    def stays_bounded(self, form: Form) -> bool:
        """Whether `evaluate` allocates nothing of the size of the rows or features besides those."""
        is_turned = form == "phase" and any(placed.factor.is_complex for placed in self.amplitudes)
        return not is_turned and all(isinstance(column, int) for column in self.phasors.columns)

    @property
    def n_turning(self) -> int:
        """The complex samples, which come first."""
        return len(self.weight) - self.n_real

    def n_columns(self, form: Form) -> int:
        """The number of feature columns."""
        return width(form, self.n_turning) + self.n_real

    def owners(self, form: Form) -> NDArray[np.intp]:
        """The sample of each feature column."""
        turning = np.arange(self.n_turning)
        real = np.arange(self.n_turning, len(self.weight))
        return np.concatenate([turning, turning, real] if form == "paired" else [turning, real])

    def signs(self, form: Form) -> NDArray[np.float64]:
        """The sign of each feature column."""
        return self.sign[self.owners(form)]

    def sided(self, form: Form) -> NDArray[np.bool_]:
        """For every feature column, whether left and right differ in it."""
        own = self.phasors.left != self.phasors.right
        if self.growth is not None:
            own = own | (self.growth.rates != 0).any(axis=1)
        return np.asarray(own[self.owners(form)])

    def names(self, form: Form) -> list[str]:
        """Names of the feature columns."""
        n, turning = len(self.weight), range(self.n_turning)
        real = [f"real{j}" for j in range(self.n_turning, n)]
        if form == "paired":
            return [f"cos{j}" for j in turning] + [f"sin{j}" for j in turning] + real
        return [f"{'cos' if form == 'phase' else 'exp'}{j}" for j in turning] + real

    def evaluate(self, rows: Rows, side: Side, form: Form, dtype: np.dtype[Any], out: NDArray[Any]) -> bool:
        """Write the features of one side into `out` (n, n_columns); return whether all are known to be finite and
        accurate.

        Needs only a few blocks of rows of memory besides `out`.
        """
        if form == "phase" and any(placed.factor.is_complex for placed in self.amplitudes):
            self._evaluate_turned(rows, side, dtype, out)
            return False
        n, columns = self.n_turning, width(form, self.n_turning)
        part, finite = out[:, :columns] if self.n_real else out, True
        frequencies = self.phasors.frequencies
        if not n:
            pass
        elif isinstance(frequencies, HadamardFrequencies):
            finite = evaluate_stacked(len(rows), self._reader(rows), self._parts(side, form, dtype), part)
        elif not isinstance(frequencies, np.ndarray):
            phases = self.offsets + (self.phasors.left if side == "left" else self.phasors.right)
            size = np.sqrt(self.weight[:n]).astype(dtype)
            evaluate_sparse_phasors(len(rows), self._reader(rows), frequencies[:n], phases[:n], size, form, part)
            finite = False
        else:
            finite = evaluate_phasors(len(rows), self._reader(rows), self._packed(side, form, dtype), part)
        if self.n_real:
            out[:, columns:] = np.sqrt(self.weight[n:])
        if self.growth is not None:
            self._grow(self.growth, rows, side, form, dtype, out)
        if self.amplitudes:
            self._multiply(rows, side, form, out)
        return finite and self.growth is None and not self.amplitudes

    def losses(self, rows: Rows, side: Side, form: Form, dtype: np.dtype[Any]) -> NDArray[np.float64]:
        """The share of its products that every row loses because angles are rounded: (n,), 0 for accurate rows."""
        frequencies, read = self.phasors.frequencies, self._reader
        if not self.n_turning or not all(isinstance(column, int) for column in self.phasors.columns):
            return np.zeros(len(rows))  # no phasors, or only on unit vectors
        if isinstance(frequencies, HadamardFrequencies):
            return losses_of_stacked(read(rows)(0, len(rows)), self._parts(side, form, dtype))
        if isinstance(frequencies, np.ndarray):
            packed = self._packed(side, form, dtype)
            accurate = largest_size(rows.numbers) <= packed.largest_accurate
            return np.zeros(len(rows)) if accurate else packed.losses(read(rows)(0, len(rows)))
        accurate = largest_size(rows.numbers) <= self._sparse_sizes.accurate(_DOUBLE)
        return np.zeros(len(rows)) if accurate else self._sparse_sizes.losses(read(rows)(0, len(rows)), _DOUBLE)

    @cached_property
    def _sparse_sizes(self) -> AngleSizes:
        """Sizes for sparse frequencies, whose angles are summed in double precision."""
        frequencies = self.phasors.frequencies[: self.n_turning]
        assert not isinstance(frequencies, HadamardFrequencies)
        return AngleSizes(frequencies / (2 * np.pi))

    def shows_all_numbers(self, n_columns: int) -> bool:
        """Whether `evaluate` never reports features as finite if a number of the row is not."""
        if self.growth is not None or self.amplitudes or not self.n_turning:
            return False
        all_read = self._reads_all and len(self.phasors.columns) == n_columns
        return all_read and isinstance(self.phasors.frequencies, np.ndarray)

    def _reader(self, rows: Rows) -> Callable[[int, int], Any]:
        """The numbers that the frequencies act on, block by block."""
        columns = self.phasors.columns
        if self._reads_all and rows.n_columns == len(columns):
            numbers = rows.numbers
            if isinstance(numbers, np.ndarray):
                return lambda start, stop: numbers[start:stop]
            return lambda start, stop: rows.take(slice(start, stop)).numbers
        if len(self._read.own) == len(columns):
            return lambda start, stop: self._read(rows.take(slice(start, stop)))
        units = self._read(rows)
        return lambda start, stop: units[start:stop]

    @cached_property
    def _read(self) -> ColumnsReader:
        return ColumnsReader(self.phasors.columns)

    @cached_property
    def _reads_all(self) -> bool:
        """Whether the frequencies act on the first columns, in order."""
        return self.phasors.columns == tuple(range(len(self.phasors.columns)))

    def _packed(self, side: Side, form: Form, dtype: np.dtype[Any]) -> PackedPhasors:
        """The samples with phasors in the layout of the compiled loops, cached for every side, form and precision."""
        key = side, form, dtype.char
        if key not in self._all_packed:
            n = self.n_turning
            frequencies, phases = (
                self.phasors.frequencies[:n],
                self.phasors.left if side == "left" else self.phasors.right,
            )
            alike = [own.weights for own in self._all_packed.values() if own.dtype == dtype]
            weights = alike[0] if alike else pack_weights(np.asarray(frequencies) / (2 * np.pi), dtype)
            amplitudes = np.sqrt(self.weight[:n])
            self._all_packed[key] = pack_phasors(weights, (self.offsets + phases)[:n], amplitudes, form)
        return self._all_packed[key]

    def _parts(self, side: Side, form: Form, dtype: np.dtype[Any]) -> list[PlacedPhasors]:
        """The same for structured frequencies, part by part."""
        key = side, form, dtype.char
        if key not in self._all_parts:
            frequencies, n = self.phasors.frequencies, self.n_turning
            assert isinstance(frequencies, HadamardFrequencies)
            phases = (self.offsets + (self.phasors.left if side == "left" else self.phasors.right))[:n]
            amplitudes, start = np.sqrt(self.weight[:n]), 0
            found: list[PlacedPhasors] = []
            for part in frequencies.head(n).parts:
                own = slice(start, start := start + len(part))
                if isinstance(part, DenseBlock):
                    weights = pack_weights(part.toarray(frequencies.width) / (2 * np.pi), dtype)
                    found.append((None, pack_phasors(weights, phases[own], amplitudes[own], form)))
                    continue
                blocks = part.blocks if isinstance(part, MappedBlocks) else part
                signs, given = signs_of(blocks.words), (phases[own], amplitudes[own])
                packed = pack_hadamard(signs, blocks.lengths, blocks.scales, *given, form, dtype)
                found.append((_read_by(part, frequencies.width, dtype), packed))
            self._all_parts[key] = found
        return self._all_parts[key]

    @cached_property
    def _all_parts(self) -> dict[tuple[Side, Form, str], list[PlacedPhasors]]:
        return {}

    @cached_property
    def _all_packed(self) -> dict[tuple[Side, Form, str], PackedPhasors]:
        return {}

    def _evaluate_turned(self, rows: Rows, side: Side, dtype: np.dtype[Any], out: NDArray[Any]) -> None:
        """√2 Re(z e^{ib}) if z has complex factors, which mix cosine and sine: those come first."""
        n = self.n_turning
        both = np.empty((len(rows), self.n_columns("paired")), dtype=out.dtype)
        self.evaluate(rows, side, "paired", dtype, both)
        np.multiply(both[:, :n], np.sqrt(2.0).astype(dtype), out=out[:, :n])
        out[:, n:] = both[:, 2 * n :]

    def _multiply(self, rows: Rows, side: Side, form: Form, out: NDArray[Any]) -> None:
        n = self.n_turning
        shift = width(form, n) - n

        def work(first: int, last: int) -> None:
            block = rows.take(slice(first, last))
            for placed in self.amplitudes:
                start, stop, factor = placed.start, placed.stop, placed.factor
                values = factor.values(block, side)
                if start >= n:
                    out[first:last, shift + start : shift + stop] *= values
                elif form == "complex" or (form == "phase" and not factor.is_complex):
                    out[first:last, start:stop] *= values
                else:
                    cosine, sine = out[first:last, start:stop], out[first:last, n + start : n + stop]
                    turned = (cosine + 1j * sine) * values
                    cosine[...], sine[...] = turned.real, turned.imag

        run_blocks(len(rows), self._height, work)

    def _grow(
        self, growth: Growth, rows: Rows, side: Side, form: Form, dtype: np.dtype[Any], out: NDArray[Any]
    ) -> None:
        owners = self.owners(form)

        def work(first: int, last: int) -> None:
            factors, which = growth.factors(rows.take(slice(first, last)), side, dtype)
            out[first:last] *= factors[:, which[owners]]

        run_blocks(len(rows), self._height, work)

    @property
    def _height(self) -> int:
        """Rows whose features are multiplied at a time."""
        return max(1, min(_GROWN_ROWS, _GROWN // len(self.weight)))


def _read_by(
    part: HadamardBlocks | MappedBlocks, width: int, dtype: np.dtype[Any]
) -> NDArray[np.intp] | Projection | None:
    """What structured frequencies read of `width` columns: some, or a matrix times them; None for all unchanged."""
    if isinstance(part, MappedBlocks):
        matrix = np.zeros((width, len(part.blocks.places)), dtype=dtype)
        matrix[: part.least_width] = part.matrix[part.blocks.places].T
        return Projection(matrix)
    return None if np.array_equal(part.places, np.arange(width)) else part.places
