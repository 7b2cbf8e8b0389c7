"""Hadamard's transform in registers, against SciPy's matrix: of vectors and of the numbers within them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy.linalg import hadamard

from kernelspec.numerics.sums_in_registers import BYTES, transform_in_registers
from tests.numerics.registers import needs_widest_registers


@njit
def two_bits_of_vectors(x: Any, first: int, step: int, factors: Any, offsets: Any) -> None:
    transform_in_registers(x, first, step, 2, False, factors, offsets)


@njit
def two_bits_and_those_within(x: Any, first: int, step: int, factors: Any, offsets: Any) -> None:
    transform_in_registers(x, first, step, 2, True, factors, offsets)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("factored", "shifted"), [(False, False), (True, False), (True, True)])
def test_against_the_matrix(factored: bool, shifted: bool, kind: Any) -> None:
    lanes = BYTES // np.dtype(kind).itemsize
    x, f, c = np.random.default_rng(0).integers(-9, 10, (3, 8 * lanes)).astype(kind)  # whole numbers: sums are exact
    matrices = np.kron(hadamard(4), np.eye(lanes)), hadamard(4 * lanes)
    first, step = lanes, 2 * lanes
    places = np.concatenate([np.arange(first + k * step, first + k * step + lanes) for k in range(4)])
    for function, H in zip((two_bits_of_vectors, two_bits_and_those_within), matrices, strict=True):
        found, expected = x.copy(), x.copy()
        function(found, first, step, f if factored else None, c if shifted else None)
        expected[places] = H @ x[places]
        if factored:
            own = f[places] * expected[places]
            expected[places] = own + c[places] if shifted else H @ own
        assert np.array_equal(found, expected)


@needs_widest_registers
@pytest.mark.parametrize("ending", ["ps", "pd"])
def test_numbers_stay_in_the_widest_registers(ending: str) -> None:
    fresh = njit(two_bits_and_those_within.py_func)  # what comes from a cache cannot be read
    x = np.ones(64, dtype=np.float32 if ending == "ps" else np.float64)
    fresh(x, 0, 16, x.copy(), None)
    (code,) = fresh.inspect_asm().values()
    lines = [line for line in code.splitlines() if "zmm" in line]
    for name in (f"vadd{ending}", f"vsub{ending}", "vfmadd"):
        assert any(name in line for line in lines), name
