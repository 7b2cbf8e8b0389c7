"""Sums in registers: the same bits whatever registers a processor has."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from kernelspec.numerics.distances import PANEL, ROWS
from kernelspec.numerics.projection_kernels import multiply_panel, multiply_sparse_panel
from tests.numerics.registers import needs_wide_registers

SUMS = """
import numpy as np
from kernelspec.numerics.distances import Projection
for kind in (np.float32, np.float64):
    generator = np.random.default_rng(5)
    rows, frequencies = generator.standard_normal((7, 70)), generator.standard_normal((70, 90))
    print(Projection(frequencies.astype(kind))(rows.astype(kind)).tobytes().hex())
from kernelspec.numerics.bin_kernels import bin_keys
from kernelspec.numerics.distances import pack_weights
keys = np.zeros((7, 90), dtype=np.uint64)
bin_keys(rows, *(pack_weights(own.T, rows.dtype) for own in (frequencies, frequencies % 1)), np.full(70, 1e9), keys)
print(keys.tobytes().hex())
"""


@njit
def multiplied(rows, i, first, last, panel, start, sums):
    multiply_panel(rows, i, rows.shape[0], rows.shape[1], first, last, panel, start, 0, sums, sums.shape[1])


@njit
def multiplied_sparsely(columns, numbers, panel, start, sums):
    multiply_sparse_panel(columns, numbers, 0, len(numbers), panel, start, sums)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_some_rows_and_columns_in_whole_numbers(kind: type) -> None:
    generator, size = np.random.default_rng(0), PANEL // np.dtype(kind).itemsize
    rows, panel = (generator.integers(-9, 9, shape).astype(kind) for shape in ((6, 5), (5, size)))
    start, sums = np.arange(size, dtype=kind), np.full((ROWS, size + 1), np.nan, dtype=kind)
    multiplied(rows, 3, 1, 4, panel, start, sums)
    expected = start + rows[:, 1:4] @ panel[1:4]
    assert np.array_equal(sums[:, :size], expected[[3, 4, 5, 5]])  # the last row stands in for one beyond it
    assert np.isnan(sums[:, size]).all()
    columns = np.array([0, 2, 3])
    multiplied_sparsely(columns, rows[4, columns], panel, start, sums[0])
    assert np.array_equal(sums[0, :size], start + rows[4, columns] @ panel[columns])


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
