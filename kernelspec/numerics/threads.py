"""Blocks of rows on all processors, with the same bits for any number of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

__all__ = ["run_blocks", "run_compiled", "single_threaded"]


def run_blocks(n_rows: int, block: int, work: Callable[[int, int], None]) -> None:
    """Call `work(start, stop)` for consecutive blocks of rows, spread over the processors this process may use.

    The BLAS is held to one thread meanwhile: the threads are busy with blocks of their own, and a matrix
    product then has the same bits however many there are. NumPy does not warn of overflow meanwhile: features are
    checked as a whole when they are done, and what overflowed is refused with its row (`check_finite`).
    """

    def run(start: int, stop: int) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # every thread has a state of its own
            work(start, stop)

    with single_threaded():
        run_compiled(n_rows, block, run)


def run_compiled(n_rows: int, block: int, work: Callable[[int, int], None]) -> None:
    """The same for work that is all compiled: there is no matrix product to hold, and no warning to suppress."""
    starts = range(0, n_rows, block)
    workers = min(len(starts), _processors())
    if workers <= 1:
        for start in starts:
            work(start, min(start + block, n_rows))
        return
    # a pool of this call's own: threads kept for later calls would not survive a fork
    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(work, starts, [min(start + block, n_rows) for start in starts]):
            pass


def single_threaded() -> AbstractContextManager[Any]:
    """The BLAS held to one thread."""
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limit


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _controller() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
