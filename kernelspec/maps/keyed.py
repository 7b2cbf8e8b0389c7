"""Samples with keys: the source of a map's sparse columns, and inner products that compare keys."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.maps.dense import DenseFeatures, Placed
from kernelspec.numerics.arrays import Projection
from kernelspec.numerics.packed import AngleSizes, largest_size
from kernelspec.numerics.phasor import Form, sparse_phases
from kernelspec.numerics.threads import run_blocks
from kernelspec.random.streams import WEYL, Hashes
from kernelspec.samples.declared_arrays import KeptFields, array, check_signs
from kernelspec.samples.factor import AmplitudeFactor, check_inner
from kernelspec.samples.frequencies import Growth, numbers_on, positions_read
from kernelspec.samples.hadamard_frequencies import HadamardFrequencies
from kernelspec.samples.samples import KeyFactor, Phasors, Side
from kernelspec.tables.rows import Rows

__all__ = ["KeyedFeatures"]

_WORDS = 1 << 18
"""Keys per block: two megabytes, so that overhead between blocks is small."""

_FEWEST, _MOST = 16, 4096
"""Rows of a block."""


@dataclass(frozen=True)
class KeyedFeatures(KeptFields):
    """n samples of one structure: key factors, perhaps a phasor, a growth and amplitude factors.

    `identity` distinguishes the samples; `offsets` are the b of the phase form (else zero).
    """

    factors: tuple[KeyFactor, ...]
    phasors: Phasors | None
    weight: NDArray[np.float64] = array("float64", "samples", at_least=0)
    sign: NDArray[np.float64] = array("float64", "samples", at_least=-1, at_most=1)
    offsets: NDArray[np.float64] = array("float64", "samples")
    identity: Hashes = array("uint64", "samples")
    growth: Growth | None = None
    own_amplitudes: tuple[AmplitudeFactor, ...] = ()

    def validate(self) -> None:
        """Raise ValueError unless there is a key, and all parts have the same samples."""
        n = len(self.weight)
        parts = {
            n if self.phasors is None else len(self.phasors.left),
            n if self.growth is None else len(self.growth.rates),
        }
        if parts != {n} or not n or not self.factors:
            raise ValueError(f"there are {len(self.factors)} keys of {n} samples, with parts of {parts}")
        check_signs(self.sign)
        for factor in (*self.factors, *self.own_amplitudes):
            check_inner(factor, n)
        if self.phasors is not None and isinstance(self.phasors.frequencies, HadamardFrequencies):
            raise ValueError("samples with keys cannot have structured frequencies")

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def least_width(self) -> int:
        """The fewest columns of a table."""
        factors = (*self.factors, *self.own_amplitudes)
        return max([max(self.columns, default=-1) + 1, *(factor.least_width for factor in factors)])

    @property
    def columns(self) -> tuple[int, ...]:
        """The data columns that are read."""
        own = {column for factor in self.factors for column in factor.columns}
        own |= {column for factor in self.own_amplitudes for column in factor.columns}
        own |= set(positions_read(self.phasors.columns) if self.phasors is not None else ())
        return tuple(sorted(own | set(self.growth.columns if self.growth is not None else ())))

    @property
    def has_amplitudes(self) -> bool:
        """Whether the stored values depend on the row."""
        return self.phasors is not None or self.growth is not None or bool(self.own_amplitudes)

    @property
    def is_complex(self) -> bool:
        """Whether the amplitudes are complex."""
        return self.phasors is not None or any(factor.is_complex for factor in self.own_amplitudes)

    @property
    def has_sides(self) -> bool:
        """Whether the features of a row as y in k(x, y) differ from those as x."""
        turned = self.phasors is not None and not np.array_equal(self.phasors.left, self.phasors.right)
        return turned or self.growth is not None or any(factor.has_sides for factor in self.factors)

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides with their own keys: only left if right has the same."""
        return ("left", "right") if any(factor.has_sides for factor in self.factors) else ("left",)

    @cached_property
    def without_keys(self) -> DenseFeatures:
        """The samples as if all keys agreed."""
        n, none = len(self), Phasors.symmetric((), np.zeros((len(self), 0)))
        return DenseFeatures(
            none if self.phasors is None else self.phasors,
            self.weight,
            self.sign,
            self.offsets,
            self.growth,
            tuple(Placed(0, n, factor) for factor in self.own_amplitudes),
            0 if self.is_complex else n,
        )

    def entries(self, form: Form) -> int:
        """Nonzeros per sample and row: 2 for cosine and sine."""
        return 2 if self.is_complex and form == "paired" else 1

    def kinds(self, form: Form) -> tuple[str, ...]:
        """How column names call the entries of a sample."""
        return ("cos", "sin") if self.entries(form) == 2 else ("key",)

    def rows_per_block(self) -> int:
        """Rows whose keys are computed at a time, to stay in the CPU cache."""
        return int(np.clip(_WORDS // max(1, len(self), len(self.columns)), _FEWEST, _MOST))

    def keys(self, rows: Rows, side: Side = "left") -> Hashes:
        """64-bit keys (rows, samples); the sample's identity is part of the key."""
        keys = np.empty((len(rows), len(self)), dtype=np.uint64)

        def work(first: int, last: int) -> None:
            own = keys[first:last]
            found = self.block_keys(rows.take(slice(first, last)), side, own)
            if not np.may_share_memory(found, own):
                own[...] = found

        run_blocks(len(rows), self.rows_per_block(), work)
        return keys

    def block_keys(self, rows: Rows, side: Side, out: Hashes | None = None) -> Hashes:
        """The keys of few rows: the factors mixed into `identity`, salted by position; perhaps in `out`."""
        from kernelspec.numerics.key_kernels import mix_keys

        keys = self.identity[None, :].copy()
        for position, factor in enumerate(self.factors):
            salt = np.uint64((position + 1) * WEYL & 0xFFFFFFFFFFFFFFFF)
            # the other factors still need what the first one left in `out`
            own = factor.keys(rows, side) if out is None or position else factor.keys_into(rows, side, out)
            keys = np.asarray(mix_keys(keys, own, salt))
        return keys

    def amplitudes(self, rows: Rows, side: Side, form: Form, dtype: np.dtype[Any]) -> NDArray[Any]:
        """The stored values, (entries, rows, samples)."""
        if not self.has_amplitudes:
            one = self.block_amplitudes(rows, side, form, dtype)
            return np.broadcast_to(one, (1, len(rows), len(self)))
        kind = np.result_type(dtype, np.complex64) if form == "complex" else dtype
        values = np.empty((self.entries(form), len(rows), len(self)), dtype=kind)

        def work(first: int, last: int) -> None:
            values[:, first:last] = self.block_amplitudes(rows.take(slice(first, last)), side, form, dtype)

        run_blocks(len(rows), self.rows_per_block(), work)
        return values

    def block_amplitudes(self, rows: Rows, side: Side, form: Form, dtype: np.dtype[Any]) -> NDArray[Any]:
        """The stored values of few rows, in the calling thread; (1, 1, samples) if all rows have the same."""
        root = np.sqrt(self.weight).astype(dtype)
        if self.growth is not None:
            factors, which = self.growth.factors(rows, side, dtype)
            root = root * factors[:, which]
        turn = None
        for factor in self.own_amplitudes:
            values = factor.values(rows, side)
            if factor.is_complex:
                turn = values if turn is None else turn * values
            else:
                root = root * values.astype(dtype, copy=False)
        if self.phasors is None and turn is None:
            return root.reshape(1, -1, len(self))
        angle = np.broadcast_to(self.offsets.astype(dtype), (len(rows), len(self)))
        if self.phasors is not None:
            angle = self._angles(numbers_on(rows, self.phasors.columns).astype(dtype, copy=False), self.phasors)
            angle += (self.offsets + (self.phasors.left if side == "left" else self.phasors.right)).astype(dtype)
        if turn is not None:
            return _as_entries(root * np.exp(1j * angle) * turn, form, dtype)
        if form == "phase":
            return np.asarray((dtype.type(np.sqrt(2.0)) * root * np.cos(angle))[None])
        if form == "paired":
            return np.stack([root * np.cos(angle), root * np.sin(angle)])
        return np.asarray((root * np.exp(1j * angle))[None])

    def _angles(self, data: Any, phasors: Phasors) -> NDArray[Any]:
        """x·ω_j (rows, samples), of the type of the data; NaN in rows whose angles lose all digits."""
        frequencies, kind = phasors.frequencies, data.dtype
        assert not isinstance(frequencies, HadamardFrequencies)
        if not isinstance(frequencies, np.ndarray):
            angles = sparse_phases(data, frequencies)
        else:
            if kind.char not in self._projections:
                self._projections[kind.char] = Projection(frequencies.T.astype(kind))
            angles = np.ascontiguousarray(self._projections[kind.char](data))
        if not largest_size(data) <= self._sizes.kept(kind):
            angles[self._sizes.lost(data, kind)] = np.nan
        return angles

    @cached_property
    def _projections(self) -> dict[str, Projection]:
        return {}

    @cached_property
    def _sizes(self) -> AngleSizes:
        assert self.phasors is not None
        assert not isinstance(self.phasors.frequencies, HadamardFrequencies)
        return AngleSizes(self.phasors.frequencies / (2 * np.pi), more_roundings=1)  # angles, and then offsets

    def losses(self, rows: Rows, largest: float, dtype: np.dtype[Any]) -> NDArray[np.float64]:
        """The share of its products that every row loses to rounded angles, (n,); `largest` is their largest number."""
        columns = () if self.phasors is None else self.phasors.columns
        is_read = bool(columns) and all(isinstance(column, int) for column in columns)  # unit vectors are never large
        if not is_read or largest <= self._sizes.accurate(dtype):
            return np.zeros(len(rows))
        return self._sizes.losses(numbers_on(rows, columns), dtype)

    def inner_products(self, x: Rows, y: Rows, form: Form) -> NDArray[np.float64]:
        """Σ_j sign_j z_j(x) conj z_j(y) over the samples whose keys agree, (len(x), len(y)).

        Compares keys sample by sample, not through columns. Cosine and sine also serve the complex form: the real part
        of z conj z' is the sum of their products.
        """
        from kernelspec.numerics.key_kernels import add_agreements, add_products

        others, alike = self.keys(y, "right"), y is x and not self.has_sides
        keys = np.array(others.T, order="C")
        total = np.zeros((len(x), len(y)))
        real: Form = "paired" if form == "complex" else form
        double = np.dtype(np.float64)
        values = right = None
        if self.has_amplitudes:
            values = self.amplitudes(y, "right", real, double)
            right = np.array(values.transpose(0, 2, 1), order="C")

        def work(first: int, last: int) -> None:
            block = x.take(slice(first, last))
            own = others[first:last] if alike else self.block_keys(block, "left")
            if values is None or right is None:
                add_agreements(own, keys, self.weight * self.sign, total[first:last])
            else:
                left = values[:, first:last] if alike else self.block_amplitudes(block, "left", real, double)
                add_products(own, keys, left * self.sign, right, total[first:last])

        run_blocks(len(x), self.rows_per_block(), work)
        return total


def _as_entries(values: NDArray[Any], form: Form, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Complex amplitudes (rows, samples) as they are stored, (entries, rows, samples)."""
    if form == "phase":
        return np.asarray((np.sqrt(2.0) * values.real).astype(dtype)[None])
    if form == "paired":
        return np.stack([values.real, values.imag]).astype(dtype)
    return np.asarray(values[None])
