"""Tests of `numerics/hadamard_kernels.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy.linalg import hadamard

from kernelspec.numerics.hadamard_kernels import BYTES, MOST_BITS, transform_in_registers, write_hadamard_rows
from kernelspec.numerics.turns import DOUBLE, SINGLE
from tests.numerics.registers import needs_wide_registers, needs_widest_registers


def written(rows: np.ndarray, factors: np.ndarray, lengths: np.ndarray, n: int, paired: bool) -> np.ndarray:
    p, out = int(factors.shape[2]), np.full((len(rows), n * (1 + paired)), np.nan, dtype=rows.dtype)
    own = [np.array(part, dtype=rows.dtype) for part in (factors, lengths)]
    offsets, sizes = (np.resize(values, lengths.shape).astype(rows.dtype) for values in (np.arange(7) / 7, [1.0, 2.0]))
    coefficients = SINGLE if rows.dtype == np.float32 else DOUBLE
    beyond = write_hadamard_rows(rows, *own, offsets, sizes, paired, coefficients, 1.0, np.empty(p, rows.dtype), out)
    assert beyond == (np.abs(rows) > 1).sum()
    return out


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
def vectors_alone(x: Any, first: int, step: int, bits: int, factors: Any, offsets: Any) -> None:
    transform_in_registers(x, first, step, bits, False, factors, offsets)


@njit
def places_within(x: Any, first: int, step: int, bits: int, factors: Any, offsets: Any) -> None:
    transform_in_registers(x, first, step, bits, True, factors, offsets)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("factored", "shifted"), [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("bits", range(1, MOST_BITS + 1))
def test_against_the_matrix(bits: int, factored: bool, shifted: bool, kind: Any) -> None:
    lanes, many = BYTES // np.dtype(kind).itemsize, 1 << bits
    size = 2 * many * lanes
    x, f, c = np.random.default_rng(0).integers(-9, 10, (3, size)).astype(kind)  # whole numbers: sums are exact
    matrices = np.kron(hadamard(many), np.eye(lanes)), hadamard(many * lanes)
    first, step = lanes, 2 * lanes
    places = np.concatenate([np.arange(first + k * step, first + k * step + lanes) for k in range(many)])
    for function, H in zip((vectors_alone, places_within), matrices, strict=True):
        found, expected = x.copy(), x.copy()
        function(found, first, step, bits, f if factored else None, c if shifted else None)
        expected[places] = H @ x[places]
        if factored:
            own = f[places] * expected[places]
            expected[places] = own + c[places] if shifted else H @ own
        assert np.array_equal(found, expected)


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
