"""The widest registers for the loops of one function: other instructions, the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from llvmlite.binding import get_host_cpu_features
from numba import njit

from kernelspec.numerics.sparse_phasor_kernels import write_features
from kernelspec.numerics.turns import DOUBLE, SINGLE, write_turns
from kernelspec.numerics.widest import in_widest_registers

needs_widest = pytest.mark.skipif(
    not get_host_cpu_features().get("avx512f"), reason="a processor without registers of 512 bits"
)


def as_preferred(a: np.ndarray, b: np.ndarray) -> None:
    for j in range(a.shape[0]):
        a[j] = a[j] * b[j] + 1


def as_wide_as_possible(a: np.ndarray, b: np.ndarray) -> None:
    in_widest_registers()
    for j in range(a.shape[0]):
        a[j] = a[j] * b[j] + 1


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 7, 64, 1001])
def test_the_bits_are_the_same(n: int, kind: type) -> None:
    a, b = np.random.default_rng(n).standard_normal((2, n)).astype(kind)
    other = a.copy()
    njit(as_preferred)(a, b)
    njit(as_wide_as_possible)(other, b)
    assert np.array_equal(a, other)


@needs_widest
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_loop_takes_the_widest_registers(kind: type) -> None:
    fresh = njit(as_wide_as_possible)  # what comes from a cache cannot be read
    fresh(np.ones(4, dtype=kind), np.ones(4, dtype=kind))
    (code,) = fresh.inspect_asm().values()
    assert any("vmul" in line and "zmm" in line for line in code.splitlines())


@needs_widest
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_so_do_the_loops_that_call_for_them(kind: type) -> None:
    coefficients = SINGLE if kind is np.float32 else DOUBLE
    numbers, line = np.ones(64, dtype=kind), np.ones(128, dtype=kind)
    near = njit(write_turns.py_func)
    near(numbers, numbers, coefficients, True, 0, line)
    sparse = njit(write_features.py_func)
    ends, places, rates = np.array([0, 1]), np.array([0]), np.ones(1)
    table, out = np.ones((1, 1), dtype=kind), np.ones((1, 2), dtype=kind)
    sparse(table, ends, places, rates, rates, numbers[:1], coefficients, True, out)
    for found in (near, sparse):
        (code,) = found.inspect_asm().values()
        assert any("vrndscale" in line and "zmm" in line for line in code.splitlines())
