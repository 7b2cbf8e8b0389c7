"""Tests of `numerics/projection_kernels.py`."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from numba import njit
from scipy.linalg import hadamard

from kernelspec.numerics.hadamard_kernels import transform_in_registers, write_hadamard_rows
from kernelspec.numerics.phasor_kernels import DOUBLE, SINGLE, write_turns
from kernelspec.numerics.projection_kernels import count_beyond, project_block, project_sparse_row
from tests.numerics.registers import needs_wide_registers, needs_widest_registers


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 7, 100])
def test_as_with_numpy(n: int, kind: Any) -> None:
    numbers = np.resize(np.array([0.5, -0.75, 0.7500001, -9, np.inf, -np.inf, np.nan, -0.0, 1e-320]), n).astype(kind)
    assert count_beyond(numbers, 0.75) == np.count_nonzero(~(np.abs(numbers) <= 0.75))
    assert count_beyond(numbers, np.inf) == np.count_nonzero(np.isnan(numbers))
    assert count_beyond(numbers, 0.0) == np.count_nonzero(numbers)


SUMS = """
import numpy as np
from kernelspec.numerics.arrays import Projection
for kind in (np.float32, np.float64):
    generator = np.random.default_rng(5)
    rows, frequencies = generator.standard_normal((7, 70)), generator.standard_normal((70, 90))
    print(Projection(frequencies.astype(kind))(rows.astype(kind)).tobytes().hex())
from kernelspec.numerics.column_kernels import bin_keys
from kernelspec.numerics.arrays import pack_weights
keys = np.zeros((7, 90), dtype=np.uint64)
bin_keys(rows, *(pack_weights(own.T, rows.dtype) for own in (frequencies, frequencies % 1)), np.full(70, 1e9), keys)
print(keys.tobytes().hex())
"""


@pytest.mark.long
@needs_wide_registers
@pytest.mark.skipif(platform.machine() != "x86_64", reason="names of other processors")
@pytest.mark.parametrize(("processor", "features"), [("haswell", "+sse2,+avx,+avx2,+fma"), ("nehalem", "+sse2")])
def test_narrower_registers_give_the_same_bits(processor: str, features: str) -> None:
    narrow = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": features}
    found = [
        subprocess.run(
            [sys.executable, "-c", SUMS], env=os.environ | own, capture_output=True, text=True, check=True
        ).stdout
        for own in ({}, narrow)
    ]
    assert len(found[0]) > 2 * 7 * 90 * (4 + 8 + 8)
    assert found[0] == found[1]


def weights_of(p: int, kind: type) -> np.ndarray:
    """Two panels."""
    return np.random.default_rng(p).standard_normal((2, max(p, 1), 256 // np.dtype(kind).itemsize)).astype(kind)


def chain(row: np.ndarray, weights: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The same sums in exact numbers, rounded after every column."""
    kind, found = row.dtype.type, start.copy()
    for x, own in zip(row.tolist(), weights.tolist(), strict=False):
        exact = [Fraction(x) * Fraction(w) + Fraction(float(t)) for w, t in zip(own, found, strict=True)]
        found = np.array([nearest(value, kind) for value in exact])
    return found


def nearest(value: Fraction, kind: type) -> np.floating:
    """A fraction rounded once: by way of double precision it would be rounded twice."""
    if kind is np.float64:
        return np.float64(float(value))
    first = np.float32(float(value))
    around = (first, np.nextafter(first, np.float32(np.inf)), np.nextafter(first, np.float32(-np.inf)))
    return min(around, key=lambda own: abs(Fraction(float(own)) - value))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("p", [0, 1, 3, 9])
@pytest.mark.parametrize("m", [1, 2, 5, 8])
def test_every_sum_is_the_chain(m: int, p: int, kind: type) -> None:
    generator, weights = np.random.default_rng(m), weights_of(p, kind)
    rows = generator.standard_normal((m, p)).astype(kind)
    start = generator.standard_normal(weights.shape[::2]).astype(kind)
    sums = np.full((8, start.size), np.nan, kind)
    project_block(rows, weights, start, sums)
    flat = weights.transpose(1, 0, 2).reshape(len(weights[0]), -1)
    for i in range(m):
        assert np.array_equal(sums[i], chain(rows[i], flat, start.ravel())), i
    assert np.isnan(sums[-(-m // 4) * 4 :]).all()


@pytest.mark.parametrize("m", [1, 6])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_many_columns_are_one_chain(kind: type, m: int) -> None:
    rows, weights = np.random.default_rng(1).standard_normal((m, 900)).astype(kind), weights_of(900, kind)
    start, sums = np.zeros(weights.shape[::2], kind), np.empty((8, weights[:, 0].size), kind)
    project_block(rows, weights, start, sums)
    assert np.array_equal(sums[m - 1, 7:9], chain(rows[m - 1], weights[0, :, 7:9], start[0, 7:9]))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_zeros_that_are_not_stored_change_no_bit(kind: type) -> None:
    generator, weights = np.random.default_rng(3), weights_of(130, kind)
    row = (generator.standard_normal(130) * (generator.random(130) < 0.4)).astype(kind)
    start = generator.standard_normal(weights.shape[::2]).astype(kind)
    dense, sparse = np.empty((4, start.size), dtype=kind), np.empty(start.size, dtype=kind)
    project_block(row[None], weights, start, dense)
    columns = np.flatnonzero(row)
    project_sparse_row(columns, row[columns], weights, start, sparse)
    assert np.array_equal(dense[0], sparse)
    project_sparse_row(columns[:0], row[:0], weights, start, sparse)
    assert np.array_equal(sparse, start.ravel())


def written(rows: np.ndarray, factors: np.ndarray, lengths: np.ndarray, n: int, paired: bool) -> np.ndarray:
    p, out = int(factors.shape[2]), np.full((len(rows), n * (1 + paired)), np.nan, dtype=rows.dtype)
    own = [np.array(part, dtype=rows.dtype) for part in (factors, lengths)]
    offsets, sizes = (np.resize(values, lengths.shape).astype(rows.dtype) for values in (np.arange(7) / 7, [1.0, 2.0]))
    coefficients = SINGLE if rows.dtype == np.float32 else DOUBLE
    beyond = write_hadamard_rows(rows, *own, offsets, sizes, paired, coefficients, 1.0, np.empty(p, rows.dtype), out)
    assert beyond == (np.abs(rows) > 1).sum()
    return out


@pytest.mark.slow
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(
    ("p", "columns", "n"),
    [
        (64, 64, 64),
        (64, 3, 1),
        (128, 100, 200),
        (256, 130, 256),
        (512, 512, 515),
        (1024, 784, 9),
        (2048, 1500, 5),
        (4096, 4000, 4096),
    ],
)
def test_features(p: int, columns: int, n: int, paired: bool) -> None:
    generator, blocks = np.random.default_rng(p + n), -(-n // p)
    factors, lengths = generator.standard_normal((blocks, 3, p)), generator.standard_normal((blocks, p)) / p
    rows, H = generator.standard_normal((4, columns)), hadamard(p).astype(float)
    turned = np.zeros((4, p))
    turned[:, :columns] = rows
    whole = []
    for b in range(blocks):
        found = turned
        for factor in factors[b]:
            found = (found * factor) @ H
        whole.append(found * lengths[b] + np.resize(np.arange(7) / 7, lengths.shape)[b])
    angle = 2 * np.pi * np.hstack(whole)[:, :n]
    size = np.resize([1.0, 2.0], n)
    expected = np.hstack([size * np.cos(angle), size * np.sin(angle)][: 1 + paired])
    found = written(rows, factors, lengths, n, paired)
    assert np.abs(found - expected).max() < 1e-10  # of angles up to 1e4


@pytest.mark.long
@needs_wide_registers
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_loops_use_wide_registers(kind: type) -> None:
    fresh = njit(nogil=True)(write_hadamard_rows.py_func)  # what comes from a cache cannot be read
    line, table = np.ones((1, 64), dtype=kind), np.ones((1, 128), dtype=kind)
    factors, coefficients = np.ones((1, 3, 64), dtype=kind), SINGLE if kind is np.float32 else DOUBLE
    fresh(line, factors, line, line, line, True, coefficients, 1.0, line[0], table)
    (code,) = fresh.inspect_asm().values()
    ending = "ps" if kind is np.float32 else "pd"
    for name in (f"vadd{ending}", f"vsub{ending}", f"vmul{ending}", f"vfmadd213{ending}"):
        assert any(name in line and ("zmm" in line or "ymm" in line) for line in code.splitlines()), name


@njit
def places_within(x: Any, first: int, step: int, bits: int, factors: Any, offsets: Any) -> None:
    transform_in_registers(x, first, step, bits, True, factors, offsets)


@needs_widest_registers
@pytest.mark.parametrize("ending", ["ps", "pd"])
def test_numbers_stay_in_the_widest_registers(ending: str) -> None:
    fresh = njit(places_within.py_func)  # what comes from a cache cannot be read
    x = np.ones(64, dtype=np.float32 if ending == "ps" else np.float64)
    fresh(x, 0, 16, 2, x.copy(), None)
    (code,) = fresh.inspect_asm().values()
    lines = [line for line in code.splitlines() if "zmm" in line]
    for name in (f"vadd{ending}", f"vsub{ending}", "vfmadd"):
        assert any(name in line for line in lines), name


KINDS: list[tuple[Any, float, float]] = [(np.float32, 2e-7, 2.0**23), (np.float64, 3e-16, 2.0**52)]


def pairs(turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    ones, coefficients = np.ones_like(turns), SINGLE if turns.dtype == np.float32 else DOUBLE
    alone, n = np.empty_like(turns), len(turns)
    write_turns(turns[None], ones, coefficients, False, 0, alone[None])
    near, apart = np.empty(2 * n, dtype=turns.dtype), np.empty(2 * max(n, 4096), dtype=turns.dtype)
    write_turns(turns[None], ones, coefficients, True, 0, near[None])
    write_turns(turns[None], ones, coefficients, True, 0, apart[None])
    half = len(apart) // 2
    for cosines, sines in ((near[:n], near[n:]), (apart[:n], apart[half : half + n])):
        assert np.array_equal(cosines, alone, equal_nan=True)
        assert np.array_equal(sines, near[n:], equal_nan=True)
    return near[:n], near[n:]


def assert_near(turns: np.ndarray, bound: float) -> None:
    cosines, sines = pairs(turns)
    with mp.workdps(40):
        for t, c, s in zip(turns.tolist(), cosines.tolist(), sines.tolist(), strict=True):
            angle = 2 * mp.pi * mp.frac(mp.mpf(t))
            assert abs(c - mp.cos(angle)) <= bound, t
            assert abs(s - mp.sin(angle)) <= bound, t


def over_decades(count: int, kind: Any) -> np.ndarray:
    """Numbers of both signs over twelve decades, to 10⁶ radians."""
    generator = np.random.default_rng(5)
    size = 10 ** generator.uniform(-6, 6, count) / (2 * np.pi)
    return (size * generator.choice([-1.0, 1.0], count)).astype(kind)


@pytest.mark.parametrize(("kind", "bound", "largest"), KINDS)
def test_errors_over_twelve_decades(kind: Any, bound: float, largest: float) -> None:
    assert_near(over_decades(1000, kind), bound)
    eighths = np.arange(-17, 18, dtype=kind) / 8
    assert_near(np.concatenate([eighths, np.nextafter(eighths, np.inf), np.nextafter(eighths, -np.inf)]), bound)


@pytest.mark.parametrize(("kind", "bound", "largest"), KINDS)
def test_every_number_beyond_the_last_fraction_is_whole(kind: Any, bound: float, largest: float) -> None:
    whole = np.array([largest, largest + 1, 3e20, np.finfo(kind).max, -largest, -np.finfo(kind).max], dtype=kind)
    cosines, sines = pairs(whole)
    assert (cosines == 1).all()
    assert (sines == 0).all()
    halves = np.array([largest / 2 + 0.5, -largest / 2 - 0.5], dtype=kind)
    assert (pairs(halves)[0] == -1).all()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_what_is_no_number_stays_none(kind: type) -> None:
    assert np.isnan(pairs(np.array([np.nan, np.inf, -np.inf], dtype=kind))).all()


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 5, 32, 3000])  # few, some together, and more than are near at a time
def test_rows_together_are_those_alone(n: int, kind: Any, paired: bool) -> None:
    coefficients = SINGLE if kind is np.float32 else DOUBLE
    generator = np.random.default_rng(n)
    turns, sizes = generator.normal(size=(70, n + 2)).astype(kind), generator.normal(size=n).astype(kind)
    lines, alone = np.full((2, 67, 2 * n + 8), np.nan, dtype=kind)
    write_turns(turns, sizes, coefficients, paired, 3, lines)
    for i in range(67):
        write_turns(turns[i : i + 1], sizes, coefficients, paired, 3, alone[i : i + 1])
    assert np.array_equal(lines, alone, equal_nan=True)
    assert np.isnan(lines).sum() == 67 * (2 * n + 8 - (2 if paired else 1) * n)
