"""Samples with keys: sparse columns, a block of its own for every sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kernelspec.errors import PlanError
from kernelspec.features.dense import Side
from kernelspec.features.phasor import Form, phases_of
from kernelspec.features.samples import KeyFactor, Phasors
from kernelspec.hashing import Hashes, mix
from kernelspec.rows import Rows

__all__ = ["KeyedFeatures"]


@dataclass(frozen=True)
class KeyedFeatures:
    """n samples of one structure: key factors, perhaps a phasor; `identity` tells the samples apart."""

    factors: tuple[KeyFactor, ...]
    phasors: Phasors | None
    weight: NDArray[np.float64]
    sign: NDArray[np.float64]
    offsets: NDArray[np.float64]
    identity: Hashes

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def columns(self) -> tuple[int, ...]:
        """The data columns that are read."""
        own = {column for factor in self.factors for column in factor.columns}
        return tuple(sorted(own | set(self.phasors.columns if self.phasors is not None else ())))

    def entries(self, form: Form) -> int:
        """Stored entries per sample and row: 2 where cosine and sine are both needed."""
        return 2 if self.phasors is not None and form == "paired" else 1

    def keys(self, rows: Rows) -> Hashes:
        """64-bit keys (rows, samples); the sample's identity is part of the key."""
        key = np.zeros((len(rows), 1), dtype=np.uint64)
        for position, factor in enumerate(self.factors):
            key = mix(key, factor.keys(rows), salt=position)
        return mix(key, self.identity[None, :])

    def amplitudes(self, rows: Rows, side: Side, form: Form, dtype: np.dtype[Any]) -> list[NDArray[Any]]:
        """The stored values, one array (rows, samples) for each of the entries of a sample."""
        root = np.sqrt(self.weight).astype(dtype)
        if self.phasors is None:
            return [np.broadcast_to(root, (len(rows), len(root)))]
        data = rows.numbers[:, list(self.phasors.columns)].astype(dtype, copy=False)
        angle = phases_of(data, np.ascontiguousarray(self.phasors.frequencies.T, dtype=dtype))
        angle += (self.offsets + (self.phasors.left if side == "left" else self.phasors.right)).astype(dtype)
        if form == "phase":
            return [dtype.type(np.sqrt(2.0)) * root * np.cos(angle)]
        if form == "paired":
            return [root * np.cos(angle), root * np.sin(angle)]
        return [root * np.exp(1j * angle)]

    def bucketed(self, rows: Rows, side: Side, form: Form, dtype: np.dtype[Any], buckets: int) -> csr_array:
        """The features with keys hashed into `buckets` columns a sample, with a random sign for every key."""
        hashed = mix(self.keys(rows), np.uint64(0x5EED))
        bucket = ((hashed >> np.uint64(32)) * np.uint64(buckets) >> np.uint64(32)).astype(np.int64)
        flip = 1 - 2 * (hashed & np.uint64(1)).astype(dtype)
        values = self.amplitudes(rows, side, form, dtype)
        per_sample = len(values) * buckets
        start = np.arange(len(self), dtype=np.int64) * per_sample
        indices = np.stack([start + e * buckets + bucket for e in range(len(values))], axis=2)
        stored = np.stack([flip * value for value in values], axis=2)
        return _rows_of_equal_length(stored, indices, len(self) * per_sample)

    def inner_products(self, x: Rows, y: Rows, form: Form) -> NDArray[np.float64]:
        """Σ_j sign_j z_j(x) conj z_j(y) over the samples whose keys agree, (len(x), len(y))."""
        double = np.dtype(np.float64)
        left_key, right_key = self.keys(x), self.keys(y)
        left = np.stack(self.amplitudes(x, "left", form, double), axis=2) * self.sign[None, :, None]
        right = np.stack(self.amplitudes(y, "right", form, double), axis=2)
        entries = left.shape[2]
        n_keys, columns = np.unique(np.concatenate([left_key, right_key]), return_inverse=True)
        columns = columns.reshape(-1, len(self))
        spread = columns[:, :, None] * entries + np.arange(entries)
        width = len(n_keys) * entries
        a = _rows_of_equal_length(left, spread[: len(x)], width)
        b = _rows_of_equal_length(right, spread[len(x) :], width)
        return np.asarray((a @ b.conj().T).toarray().real)

    def signs_of(self, occupied: Hashes, per_sample: int) -> NDArray[np.float64]:
        """The sign of each learnt column; samples of one structure have one sign, or each key is asked for its own."""
        if (self.sign == self.sign[0]).all():
            return np.full(len(occupied) * per_sample, self.sign[0])
        raise PlanError("columns cannot be learnt for a mixture of signs: use buckets")

    def key_names(self, form: Form, n_keys: int) -> list[str]:
        """Names of learnt columns."""
        parts = ["cos", "sin"] if self.entries(form) == 2 else ["key"]
        return [f"{part}_{k}" for k in range(n_keys) for part in parts]

    def bucket_names(self, form: Form, buckets: int) -> list[str]:
        """Names of the hashed columns."""
        parts = ["cos", "sin"] if self.entries(form) == 2 else ["key"]
        return [f"{part}{j}_{b}" for j in range(len(self)) for part in parts for b in range(buckets)]


def _rows_of_equal_length(values: NDArray[Any], indices: NDArray[np.int64], n_columns: int) -> csr_array:
    n = len(values)
    per_row = int(np.prod(values.shape[1:]))
    small = n * per_row < 2**31 and n_columns < 2**31
    kind = np.int32 if small else np.int64
    pointers = (np.arange(n + 1) * per_row).astype(kind)
    return csr_array((values.ravel(), indices.ravel().astype(kind), pointers), shape=(n, n_columns))
