"""Tests of `numerics/compiled.py`."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from numba.core import config
from numba.core.caching import IndexDataCacheFile

from kernelspec.numerics.compiled import compiled, logarithm, multiply_add


def multiply_and_add(x: np.ndarray, a: float, b: float) -> np.ndarray:
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = x[i] * a + b
    return out


@pytest.mark.long
def test_products_and_sums_are_rounded_one_by_one() -> None:
    x = np.random.default_rng(0).standard_normal(1000)
    assert np.array_equal(compiled(multiply_and_add)(x, 1 / 3, 0.1), x * (1 / 3) + 0.1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where machine code is kept."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def kept_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.mark.long
def test_machine_code_is_kept_and_used_again(folder: Path) -> None:
    assert compiled(multiply_and_add)(np.ones(1), 2.0, 3.0)[0] == 5
    assert {path.suffix for path in kept_in(folder)} == {".nbi", ".nbc"}
    again = compiled(multiply_and_add)
    assert again(np.ones(1), 2.0, 3.0)[0] == 5
    assert sum(again.stats.cache_hits.values()) == 1


@pytest.mark.long
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("left", [0, 0.5])
def test_damaged_code_is_compiled_again_and_replaced(folder: Path, suffix: str, left: float) -> None:
    compiled(multiply_and_add)(np.ones(1), 2.0, 3.0)
    (damaged,) = (path for path in kept_in(folder) if path.suffix == suffix)
    damaged.write_bytes(damaged.read_bytes()[: int(left * damaged.stat().st_size)])
    for hits in (0, 1):
        fast = compiled(multiply_and_add)
        assert fast(np.ones(1), 2.0, 3.0)[0] == 5
        assert sum(fast.stats.cache_hits.values()) == hits


@pytest.mark.long
def test_on_a_full_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object, *_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "_save_data", refuse)
    assert compiled(multiply_and_add)(np.ones(1), 2.0, 3.0)[0] == 5
    monkeypatch.undo()
    monkeypatch.setattr(config, "CACHE_DIR", str(folder))
    assert compiled(multiply_and_add)(np.ones(1), 2.0, 3.0)[0] == 5, "the index names a file that is not there"


@pytest.mark.long
def test_without_a_folder_for_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(function: object) -> None:
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr("kernelspec.numerics.compiled._KeptCode", refuse)
    assert compiled(multiply_and_add)(np.ones(1), 2.0, 3.0)[0] == 5


@pytest.mark.long
def test_without_a_home_nothing_is_kept_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that may not be written beside, of a user whom the system does not know: Numba would make a folder "~"."""
    monkeypatch.setattr("numba.core.config.CACHE_DIR", "")  # whatever the environment names
    assert compiled(multiply_and_add).stats.cache_path is not None
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    monkeypatch.setattr("os.access", lambda *_: False)
    assert compiled(multiply_and_add).stats.cache_path is None


LOOPS = """
from kernelspec.numerics.compiled import compiled

@compiled
def doubled(x):
    return 2.0 * x

@compiled
def quadrupled(x):
    return doubled(doubled(x))

print(quadrupled(1.5), doubled(2))
"""


@pytest.mark.slow
def test_the_first_run_says_once_that_it_compiles(tmp_path: Path) -> None:
    (tmp_path / "loops.py").write_text(LOOPS, encoding="utf-8")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept"), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(tmp_path / "loops.py")]
    first, second = (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(2)
    )
    assert first.stdout == second.stdout == "6.0 4.0\n"
    assert first.stderr == "kernelspec: compiling for this machine, once: about 5 s\n"
    assert second.stderr == ""


@pytest.mark.long
def test_numba_comes_on_use() -> None:
    below = "laws.columns_and_lags, maps.hashed_columns, maps.draw, maps.feature_map, maps.map_file"
    names = ", ".join(f"kernelspec.{module}" for module in f"{below}, samples.keys".split(", "))
    script = f"import sys, {names}; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@compiled
def over(a: np.ndarray, b: np.ndarray, c: np.ndarray, out: np.ndarray) -> None:
    for j in range(out.shape[0]):
        out[j] = multiply_add(a[j], b[j], c[j])


@pytest.mark.long
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_is_rounded_once(kind: type) -> None:
    generator = np.random.default_rng(0)
    a, b = generator.standard_normal((2, 200)).astype(kind)
    c = (-(a * b)).astype(kind)  # what is left is the rounding of the product: lost, were it rounded on its own
    out = np.empty(200, dtype=kind)
    over(a, b, c, out)
    exact = [
        float(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))) for x, y, z in zip(a, b, c, strict=True)
    ]
    assert np.array_equal(out, np.array(exact, dtype=kind))
    assert (out != 0).mean() > 0.5


RNG = np.random.default_rng(4)
NUMBERS = [*np.exp(RNG.uniform(-700, 700, 300)), *RNG.uniform(0.6, 1.6, 300), 5e-324, 1e-310, 2.0**-1022, 1e308]


def test_is_right_to_one_unit_in_the_last_place():
    with mp.workdps(40):
        for x in NUMBERS:
            exact = mp.log(mp.mpf(float(x)))
            assert abs(mp.mpf(logarithm(x)) - exact) <= math.ulp(float(exact)), x


@pytest.mark.parametrize("gap", [2.0**-53, 2.0**-40, 2.0**-20])
def test_keeps_the_relative_accuracy_near_one(gap):
    assert logarithm(1 - gap) == pytest.approx(math.log1p(-gap), rel=1e-15)
