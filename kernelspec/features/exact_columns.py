"""Columns for the keys met in some data, instead of hashed buckets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kernelspec.features.dense import Side
from kernelspec.features.keyed import KeyedFeatures
from kernelspec.features.phasor import Form
from kernelspec.hashing import Hashes
from kernelspec.rows import Rows

__all__ = ["count_unmet", "exact_features", "occupied_keys"]


def occupied_keys(features: KeyedFeatures, blocks: Iterable[Rows]) -> Hashes:
    """All keys of the rows, sorted: each is a column. The sample is part of its key, so samples never share one."""
    found = np.empty(0, dtype=np.uint64)
    for rows in blocks:
        found = np.union1d(found, features.keys(rows))
    return found


def exact_features(
    features: KeyedFeatures, occupied: Hashes, rows: Rows, side: Side, form: Form, dtype: np.dtype[Any]
) -> csr_array:
    """The features with one column (two, if cosine and sine) for every occupied key; other keys have no column."""
    keys = features.keys(rows)
    column, known = _look_up(occupied, keys)
    values = features.amplitudes(rows, side, form, dtype)
    per_key = len(values)
    row = np.repeat(np.arange(len(rows)), known.sum(axis=1) * per_key)
    stored = np.stack(values, axis=2)[known].ravel()
    columns = (column[known][:, None] * per_key + np.arange(per_key)).ravel()
    return csr_array((stored, (row, columns)), shape=(len(rows), len(occupied) * per_key))


def count_unmet(features: KeyedFeatures, occupied: Hashes, rows: Rows) -> int:
    """How many entries (row, sample) have a key without a column."""
    return int((~_look_up(occupied, features.keys(rows))[1]).sum())


def _look_up(occupied: Hashes, keys: Hashes) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    column = np.searchsorted(occupied, keys)
    clipped = np.minimum(column, max(0, len(occupied) - 1))
    known = occupied[clipped] == keys if len(occupied) else np.zeros(keys.shape, dtype=bool)
    return clipped, known
