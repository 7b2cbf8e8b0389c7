"""Memory that a thread uses again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from kernelspec.numerics.arrays import Workspace


def test_the_same_memory_in_one_thread() -> None:
    workspace = Workspace(100)
    first, second = workspace.words(10, 10), workspace.words(4, 5)
    assert first.shape == (10, 10)
    assert second.shape == (4, 5)
    assert first.dtype == np.uint64
    assert np.shares_memory(first, second)


def test_other_memory_in_another_thread_or_workspace() -> None:
    workspace = Workspace(100)
    with ThreadPoolExecutor(1) as pool:
        assert not np.shares_memory(workspace.words(10, 10), pool.submit(workspace.words, 10, 10).result())
    assert not np.shares_memory(workspace.words(10, 10), Workspace(100).words(10, 10))
