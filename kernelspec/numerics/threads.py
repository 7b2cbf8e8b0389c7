"""Blocks of rows on all processors, with the same bits for any number of threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import cache
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from kernelspec.loading import has_package

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

__all__ = [
    "in_this_thread",
    "one_ahead",
    "processors",
    "run_blocks",
    "run_compiled",
    "single_threaded",
    "stays_in_this_thread",
]

Item = TypeVar("Item")

_alone: ContextVar[bool] = ContextVar("_alone", default=False)
"""Whether the calling thread does all of its work itself; a context variable, so set per thread."""


def run_blocks(n_rows: int, block: int, work: Callable[[int, int], None]) -> None:
    """Call `work(start, stop)` for consecutive blocks of rows, spread over the processors this process may use.

    The BLAS is limited to one thread meanwhile, since the threads are busy with their own blocks; matrix products then
    have the same bits for any number of threads. NumPy's overflow warnings are off: `check_finite` checks the finished
    features as a whole and rejects overflow with its row.
    """

    def run(start: int, stop: int) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # the state is per thread
            work(start, stop)

    with single_threaded():
        run_compiled(n_rows, block, run)


def run_compiled(n_rows: int, block: int, work: Callable[[int, int], None]) -> None:
    """`run_blocks` for fully compiled work, which needs no BLAS limit and raises no NumPy warnings.

    Nested calls run in the thread of `work`. The calling thread takes blocks too, rather than wait for another thread
    to wake up. Every thread starts with a share of consecutive blocks, since two threads writing to the same page of
    new memory would both clear it; a thread that is done takes blocks of others, from the end. If several blocks fail,
    the first error is raised, and later blocks are not started.
    """
    starts = range(0, n_rows, block)
    workers = 1 if len(starts) <= 1 or _alone.get() else min(len(starts), processors())
    if workers <= 1:
        for start in starts:
            work(start, min(start + block, n_rows))
        return
    edges = [len(starts) * own // workers for own in range(workers + 1)]
    shares = [deque(starts[first:last]) for first, last in pairwise(edges)]
    failed: dict[int, BaseException] = {}

    def left_for(own: int) -> Iterator[int]:
        for share in shares[own:] + shares[:own]:
            take = share.popleft if share is shares[own] else share.pop
            with suppress(IndexError):  # the share is done, or another thread was faster
                while True:
                    yield take()

    def through(own: int) -> None:
        for start in left_for(own):
            if start > min(tuple(failed), default=start):
                continue
            try:
                work(start, min(start + block, n_rows))
            except Exception as error:
                failed[start] = error
            except BaseException as error:  # an interruption: no more blocks are wanted
                failed[-1] = error

    others = [_pool(processors() - 1).submit(through, own) for own in range(1, workers)]
    try:
        with in_this_thread():
            through(0)
    finally:  # no thread may still be writing when an error or interruption reaches the caller
        for share in shares:
            share.clear()
        wait([other for other in others if not other.cancel()])
    if failed:
        try:
            raise failed[min(failed)]
        finally:
            failed.clear()  # its traceback refers to this frame and all its variables


def one_ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The items, each computed in another thread while the previous one is used; its exceptions are raised here."""
    if _alone.get() or processors() == 1:
        yield from items
        return
    with ThreadPoolExecutor(1) as pool:
        upcoming = pool.submit(next, items, None)
        while (item := upcoming.result()) is not None:
            upcoming = pool.submit(next, items, None)
            yield item


@contextmanager
def in_this_thread() -> Iterator[None]:
    """In the body, blocks of rows start no other threads, since the caller has already spread the work."""
    before = _alone.set(True)
    try:
        yield
    finally:
        _alone.reset(before)


def stays_in_this_thread() -> bool:
    """Whether the caller is inside `in_this_thread`."""
    return _alone.get()


def single_threaded() -> AbstractContextManager[None]:
    """Limit the BLAS to one thread until all nested and concurrent users are done.

    Without threadpoolctl, which only `pip install --no-deps` omits, the BLAS is not limited.
    """
    return _hold().held() if has_package("threadpoolctl") else nullcontext()


class _Hold:
    """Counts the threads that need a single-threaded BLAS: the first limits it, the last restores it."""

    def __init__(self, controller: ThreadpoolController) -> None:
        self._controller, self._lock = controller, Lock()
        self._holders = 0
        self._limit: Any = None

    @contextmanager
    def held(self) -> Iterator[None]:
        with self._lock:
            if not self._holders:
                self._limit = self._controller.limit(limits=1, user_api="blas")
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                limit, self._limit = (self._limit, None) if not self._holders else (None, self._limit)
                if limit is not None:
                    limit.restore_original_limits()


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """Threads that wait for the next call: starting them takes longer than many transforms."""
    return ThreadPoolExecutor(workers, "kernelspec", initializer=_alone.set, initargs=(True,))


@cache
def _hold() -> _Hold:
    from threadpoolctl import ThreadpoolController

    return _Hold(ThreadpoolController())


if hasattr(os, "register_at_fork"):
    # a lock held by another thread would never be released in the child, which has only one thread
    os.register_at_fork(after_in_child=_hold.cache_clear)
    os.register_at_fork(after_in_child=_pool.cache_clear)
