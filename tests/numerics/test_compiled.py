"""Compiled functions: the interpreter's results, with or without a cache, imported on use."""

from __future__ import annotations

import subprocess
import sys

import numba
import numpy as np
import pytest

from kernelspec.numerics.compiled import compiled


def multiply_and_add(x: np.ndarray, a: float, b: float) -> np.ndarray:
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = x[i] * a + b
    return out


@pytest.mark.long
def test_products_and_sums_are_rounded_one_by_one() -> None:
    x = np.random.default_rng(0).standard_normal(1000)
    assert np.array_equal(compiled(multiply_and_add)(x, 1 / 3, 0.1), x * (1 / 3) + 0.1)


@pytest.mark.long
def test_without_a_folder_for_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    right = numba.njit

    def refuse(**options: bool):  # type: ignore[no-untyped-def]
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return right(**options)

    monkeypatch.setattr("kernelspec.numerics.compiled.njit", refuse)
    fast = compiled(multiply_and_add)
    assert asked == [{"nogil": True, "cache": True}, {"nogil": True}]
    assert fast(np.ones(1), 2.0, 3.0)[0] == 5


@pytest.mark.long
def test_numba_comes_on_use() -> None:
    below = "laws.stretch, maps.columns.bits, maps.columns.buckets, maps.draw, maps.feature_map, maps.saved.map_file"
    names = ", ".join(f"kernelspec.{module}" for module in f"{below}, samples.keys.match".split(", "))
    script = f"import sys, {names}; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
