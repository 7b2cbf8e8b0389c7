"""Numbers written past the cache: the same, wherever the memory starts, and by instructions that pass it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from kernelspec.numerics.past_the_cache import write_past_the_cache
from tests.numerics.registers import needs_wide_registers


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (1, 15), (3, 5), (2, 64), (7, 41)])
@pytest.mark.parametrize("start", [0, 1, 7, 15, 16])
def test_all_numbers_arrive_and_nothing_else_is_touched(start: int, shape: tuple[int, int], kind: Any) -> None:
    size = shape[0] * shape[1]
    numbers = np.random.default_rng(size).standard_normal(shape).astype(kind)
    memory = np.full(size + 64, 7, dtype=kind)
    write_past_the_cache(numbers, memory[start : start + size].reshape(shape))
    assert np.array_equal(memory[start : start + size].reshape(shape), numbers)
    assert (np.delete(memory, slice(start, start + size)) == 7).all()


@needs_wide_registers
@pytest.mark.parametrize("ending", ["ps", "pd"])
def test_instructions(ending: str) -> None:
    fresh = njit(write_past_the_cache.py_func)  # what comes from a cache cannot be read
    numbers = np.ones((1, 64), dtype=np.float32 if ending == "ps" else np.float64)
    fresh(numbers, numbers.copy())
    (code,) = fresh.inspect_asm().values()
    lines = code.splitlines()
    assert any(line.strip().startswith("vmovnt") and ("zmm" in line or "ymm" in line) for line in lines)
    assert any("mfence" in line or line.strip().startswith("lock") for line in lines)
