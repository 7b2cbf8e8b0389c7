"""The compiled features: rows and samples of any number, panel by panel, in wide registers."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from scipy.sparse import csr_array

from kernelspec.numerics.distances import pack_weights
from kernelspec.numerics.packed import pack_phasors
from kernelspec.numerics.phasor_kernels import write_rows, write_sparse_rows
from kernelspec.numerics.turns import DOUBLE, SINGLE
from tests.numerics.registers import needs_wide_registers


def write(rows: np.ndarray, frequencies: np.ndarray, paired: bool) -> np.ndarray:
    kind, n = rows.dtype, len(frequencies)
    packed = pack_phasors(
        pack_weights(frequencies / (2 * np.pi), kind), np.arange(n) / 7.0, np.arange(n) + 1.0, "paired"
    )
    own = packed.weights, packed.offsets, packed.sizes, n, paired, SINGLE if kind == np.float32 else DOUBLE
    turns = np.empty((8, 2 * packed.weights.shape[2]), dtype=kind)
    out = np.full((len(rows), n * (1 + paired)), np.nan, dtype=kind)
    assert write_rows(rows, *own, 1.0, turns, out) == (~(np.abs(rows) <= 1)).sum()
    table, again = csr_array(rows), np.full_like(out, np.nan)
    pointers, columns = table.indptr.astype(np.int64), table.indices.astype(np.int64)
    assert write_sparse_rows(pointers, columns, table.data, *own, 1.0, turns[:1], again) == (np.abs(rows) > 1).sum()
    assert np.array_equal(out, again)
    return out


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(("rows", "n"), [(1, 1), (3, 17), (8, 512), (9, 513), (21, 1100)])
def test_features(rows: int, n: int, paired: bool) -> None:
    generator = np.random.default_rng(n)
    data, frequencies = generator.standard_normal((rows, 5)), generator.standard_normal((n, 5))
    data[:, 2] = 0
    angle, size = data @ frequencies.T + np.arange(n) / 7.0, np.arange(n) + 1.0
    expected = [size * np.cos(angle), size * np.sin(angle)][: 1 + paired]
    assert (
        np.abs((write(data, frequencies, paired) - np.hstack(expected)) / np.tile(size, 1 + paired)).max() < 2e-14 * n
    )


@pytest.mark.long
@needs_wide_registers
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_loops_use_wide_registers(kind: type) -> None:
    size = 256 // np.dtype(kind).itemsize
    table, line = np.ones((4, 4), dtype=kind), np.ones((1, size), dtype=kind)
    fresh = njit(nogil=True)(write_rows.py_func)  # what comes from a cache cannot be read
    coefficients = SINGLE if kind is np.float32 else DOUBLE
    turns = np.ones((4, size), dtype=kind)
    fresh(table, np.ones((1, 4, size), dtype=kind), line, line, 2, True, coefficients, 1.0, turns, table)
    (code,) = fresh.inspect_asm().values()
    ending = "ps" if kind is np.float32 else "pd"
    for name in (f"vfmadd231{ending}", f"vfmadd213{ending}", f"v{'rndscale' if 'zmm' in code else 'round'}{ending}"):
        wide = [line for line in code.splitlines() if name in line and ("zmm" in line or "ymm" in line)]
        assert wide, name
