"""What is written past the cache: large features, into memory that is in use."""

from __future__ import annotations

import mmap
import sys

import numpy as np
import pytest

from kernelspec.numerics import lines_past_the_cache as subject
from kernelspec.numerics.lines_past_the_cache import lines_past_the_cache

this_processor = subject._gathered
needs_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a system that does not tell")


def new(pages: int) -> np.ndarray:
    """Memory that the system has not given yet."""
    return np.frombuffer(mmap.mmap(-1, pages * mmap.PAGESIZE), dtype=np.float32).reshape(pages, -1)


@pytest.fixture(autouse=True)
def small_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "_CACHE", 2**20)
    monkeypatch.setattr(subject, "_gathered", lambda: subject._ELSEWHERE)


@needs_linux
def test_memory_in_use() -> None:
    out = new(1024)
    assert lines_past_the_cache(out) == 0
    out[:512] = 1
    assert lines_past_the_cache(out) == 0
    out[512:] = 1
    assert lines_past_the_cache(out) == 2**15 // mmap.PAGESIZE
    assert lines_past_the_cache(out.reshape(2, -1)) == 1


def test_what_a_cache_may_hold() -> None:
    assert lines_past_the_cache(np.ones((256, 1024), dtype=np.float32)) == 0
    assert lines_past_the_cache(np.ones((0, 1024))) == 0


def test_what_does_not_stand_in_order() -> None:
    out = np.ones((1024, 1024))
    assert lines_past_the_cache(out.T) == 0
    assert lines_past_the_cache(out[:, ::2]) == 0


def test_systems_that_do_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "_mincore", lambda: None)
    assert lines_past_the_cache(np.ones((1024, 1024))) == 0


def test_a_system_that_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "_mincore", lambda: lambda *asked: -1)
    assert lines_past_the_cache(np.ones((1024, 1024))) == 0


@pytest.mark.parametrize(("name", "is_zen"), [("znver4", True), ("sapphirerapids", False), ("generic", False)])
def test_processors(monkeypatch: pytest.MonkeyPatch, name: str, is_zen: bool) -> None:
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_name", lambda: name)
    assert this_processor.__wrapped__() is (subject._ON_ZEN if is_zen else subject._ELSEWHERE)


@pytest.mark.parametrize(("columns", "lines"), [(1023, 0), (1024, 64), (4096, 16), (4097, 0)])
def test_rows_with_which_a_processor_gains(monkeypatch: pytest.MonkeyPatch, columns: int, lines: int) -> None:
    monkeypatch.setattr(subject, "_gathered", lambda: subject._ON_ZEN)
    assert lines_past_the_cache(np.ones((1024, columns), dtype=np.float32)) == lines
