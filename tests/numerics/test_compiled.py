"""Compiled functions: the interpreter's results, with or without a cache, imported on use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core import config
from numba.core.caching import IndexDataCacheFile

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


@pytest.mark.long
def test_numba_comes_on_use() -> None:
    below = "laws.stretch, maps.columns.bits, maps.columns.buckets, maps.draw, maps.feature_map, maps.saved.map_file"
    names = ", ".join(f"kernelspec.{module}" for module in f"{below}, samples.keys.match".split(", "))
    script = f"import sys, {names}; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
