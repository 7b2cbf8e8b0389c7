"""Hadamard's transform in registers, against SciPy's matrix: of vectors and of the numbers within them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy.linalg import hadamard

from kernelspec.numerics.hadamard_kernels import BYTES, MOST_BITS, transform_in_registers
from tests.numerics.registers import needs_widest_registers


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
