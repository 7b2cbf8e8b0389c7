"""The widest registers for the loops of one function: other instructions, the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from kernelspec.numerics import turns
from kernelspec.numerics.compiled import in_widest_registers
from kernelspec.numerics.sparse_phasor import write_features
from kernelspec.numerics.turns import DOUBLE, SINGLE
from tests.numerics.registers import needs_widest_registers


@njit
def as_preferred(a: np.ndarray, b: np.ndarray) -> None:
    for j in range(a.shape[0]):
        a[j] = a[j] * b[j] + 1


@njit
def as_wide_as_possible(a: np.ndarray, b: np.ndarray) -> None:
    in_widest_registers()
    for j in range(a.shape[0]):
        a[j] = a[j] * b[j] + 1


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 7, 64, 1001])
def test_the_bits_are_the_same(n: int, kind: type) -> None:
    a, b = np.random.default_rng(n).standard_normal((2, n)).astype(kind)
    other = a.copy()
    as_preferred(a, b)
    as_wide_as_possible(other, b)
    assert np.array_equal(a, other)


def takes_the_widest(operation: str, function: Any, *values: Any) -> bool:
    """Whether some of the function's code for these values does such an operation in whole registers.

    Beside it there may be narrower ones, for what is left at the end of a loop.
    """
    fresh = njit(function.py_func)  # what comes from a cache cannot be read
    fresh(*values)
    (code,) = fresh.inspect_asm().values()
    return any(line.strip().startswith(operation) and "zmm" in line for line in code.splitlines())


@needs_widest_registers
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_loop_takes_the_widest_registers(kind: type) -> None:
    a = np.ones(4, dtype=kind)
    assert takes_the_widest("vmul", as_wide_as_possible, a, a)


@needs_widest_registers
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["_write_cosines", "_write_sines"])
def test_cosines_and_sines_take_them(name: str, kind: type) -> None:
    a, coefficients = np.ones((1, 64), dtype=kind), SINGLE if kind is np.float32 else DOUBLE
    assert takes_the_widest("vrndscale", getattr(turns, name), a, a[0], coefficients, 0, a.copy())


@needs_widest_registers
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_cosines_and_sines_at_a_time_take_them(kind: type) -> None:
    a, coefficients = np.ones((1, 64), dtype=kind), SINGLE if kind is np.float32 else DOUBLE
    assert takes_the_widest("vrndscale", turns._write_both, a, a[0], coefficients, 0, 64, np.ones((1, 128), dtype=kind))


@needs_widest_registers
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_skeletons_take_them(kind: type) -> None:
    a, coefficients = np.ones((1, 1), dtype=kind), SINGLE if kind is np.float32 else DOUBLE
    ends, places, rates, out = np.array([0, 1]), np.array([0]), np.ones(1), np.ones((1, 2), dtype=kind)
    values = a, ends, places, rates, rates, a[0], coefficients, True, out
    assert takes_the_widest("vrndscale", write_features, *values)
