"""Compiled places and entries against what they say they are."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.numerics.column_kernels import MISSING, compact, place_bits, place_buckets, write_buckets, write_entries
from kernelspec.random.streams import WEYL, mix

GENERATOR = np.random.default_rng(0)
KEYS = GENERATOR.integers(0, 2**64, (40, 6), dtype=np.uint64)


@pytest.mark.parametrize("buckets", [2, 3, 256, 2**31])
def test_places_of_buckets(buckets: int) -> None:
    places = KEYS.copy()
    place_buckets(places, np.uint64(buckets))
    for place, key in zip(places.ravel().tolist(), KEYS.ravel().tolist(), strict=True):
        assert place >> 1 == (key >> 32) * buckets >> 32 < buckets
        assert place & 1 == key & 1


def test_places_of_bits() -> None:
    places = KEYS.copy()
    place_bits(places, np.uint64(31))
    assert np.array_equal(places, 2 * (KEYS % np.uint64(32)))


@pytest.mark.long
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize(("entries", "stride", "step"), [(1, 1, 0), (1, 2, 0), (2, 1, 100), (2, 2, 1)])
@pytest.mark.parametrize("shared", [False, True])
def test_entries(kind: type, width: type, entries: int, stride: int, step: int, shared: bool) -> None:
    places = GENERATOR.integers(0, 20, (4, 3)).astype(np.uint64)
    places[1, 2] = places[3, 0] = MISSING
    values = GENERATOR.standard_normal((entries, 1 if shared else 4, 3)).astype(kind)
    if np.iscomplexobj(values):
        values = values + values.dtype.type(0.5j)
    starts = np.array([1000, 2000, 3000])
    data, indices = np.full((6, 2 + 3 * entries), 7, dtype=kind), np.full((6, 2 + 3 * entries), 8, dtype=width)
    write_entries(places, values, starts, stride, step, 2, data[1:5], indices[1:5])
    assert (data[[0, 5]] == 7).all()
    assert (data[:, :2] == 7).all()
    assert (indices[:, :2] == 8).all()
    for r in range(4):
        for j in range(3):
            for e in range(entries):
                found = data[1 + r, 2 + j * entries + e], indices[1 + r, 2 + j * entries + e]
                value = values[e, 0 if shared else r, j]
                if places[r, j] == MISSING:
                    assert found[1] == -1
                    continue
                place = int(places[r, j])
                assert found[0] == (-value if place % 2 else value)
                assert found[1] == starts[j] + place // 2 * stride + e * step


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("buckets", [2, 3, 256, 2**31 - 1])
@pytest.mark.parametrize("n_rows", [0, 1, 5])
def test_buckets_in_one_pass(kind: type, width: type, buckets: int, n_rows: int) -> None:
    identity, own = KEYS[-1], KEYS[:n_rows]
    values, starts = GENERATOR.standard_normal(6).astype(kind), np.arange(6)
    data, indices = np.full((n_rows, 9), 7, dtype=kind), np.full((n_rows, 9), 8, dtype=width)
    write_buckets(identity, own, np.uint64(WEYL), np.uint64(buckets), values, starts, 2, data, indices)
    keys = mix(identity, own)  # of the first factor
    assert np.array_equal(data[:, 2:8], np.where(keys % np.uint64(2), -values, values))
    places = (keys >> np.uint64(32)).astype(object) * buckets // 2**32
    assert np.array_equal(indices[:, 2:8], (starts + places).astype(width))
    assert (data[:, [0, 1, 8]] == 7).all()
    assert (indices[:, [0, 1, 8]] == 8).all()


@pytest.mark.long
def test_entries_without_a_column_are_dropped() -> None:
    indices = np.array([[0, -1, 2], [-1, -1, -1], [3, 4, 5], [-1, 6, -1]])
    data = np.arange(12.0)
    flat, pointers = indices.ravel().copy(), np.zeros(5, dtype=np.int64)
    compact(data, flat, pointers)
    assert pointers.tolist() == [0, 2, 2, 5, 6]
    assert flat[:6].tolist() == [0, 2, 3, 4, 5, 6]
    assert data[:6].tolist() == [0, 2, 6, 7, 8, 10]
