"""Arrays that are used again."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from kernelspec.features.workspace import words


def test_memory_is_used_again_when_nobody_looks_at_it() -> None:
    with ThreadPoolExecutor(1) as pool:  # a thread that has no buffers yet
        pool.submit(_use_again).result()


def _use_again() -> None:
    first = words((50, 40))
    place = first.__array_interface__["data"][0]
    assert first.shape == (50, 40)
    assert first.dtype == np.uint64
    other = words((50, 40))  # while the first is alive
    assert not np.shares_memory(first, other)
    part = first[3:5]
    del first
    assert not np.shares_memory(part, words((50, 40)))
    del part
    assert words((10, 10)).__array_interface__["data"][0] == place


def test_results_that_are_kept_do_not_change() -> None:
    kept = []
    for value in range(12):
        array = words((64,))
        array[:] = value
        kept.append(array)
    assert [int(array[0]) for array in kept] == list(range(12))
    assert all((array == array[0]).all() for array in kept)


def test_threads_do_not_share() -> None:
    mine, theirs = words((100,)), []
    thread = threading.Thread(target=lambda: theirs.append(words((100,))))
    thread.start()
    thread.join()
    assert not np.shares_memory(mine, theirs[0])
