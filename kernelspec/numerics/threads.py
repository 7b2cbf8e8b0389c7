"""Blocks of rows on all processors, with the same bits for any number of them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

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
"""Whether the calling thread does all of its work itself: every thread has a value of its own."""


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
    """The same for work that is all compiled: there is no matrix product to hold, and no warning to suppress.

    What `work` itself spreads in this way is done in its own thread. The calling thread takes blocks, too: it need not
    wait for another to wake up on its processor. Every thread begins with a share of consecutive blocks, since two
    that write into the same page of new memory would both clear it; who is done takes what others have left, from the
    end. Of several blocks that fail, the first says why, and those after it are not begun any more.
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
            except BaseException as error:  # an interruption: no block is wanted any more
                failed[-1] = error

    others = [_pool(processors() - 1).submit(through, own) for own in range(1, workers)]
    try:
        with in_this_thread():
            through(0)
    finally:  # nothing is written any more when an error, or an interruption, reaches the caller
        for share in shares:
            share.clear()
        wait([other for other in others if not other.cancel()])
    if failed:
        try:
            raise failed[min(failed)]
        finally:
            failed.clear()  # its traceback holds this frame, and all that is known here


def one_ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The items, each taken in another thread while the one before it is used; what that raises is raised here."""
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
    """Within the body no other threads are started for blocks of rows: somebody else has spread them already."""
    before = _alone.set(True)
    try:
        yield
    finally:
        _alone.reset(before)


def stays_in_this_thread() -> bool:
    """Whether the caller is within such a body."""
    return _alone.get()


def single_threaded() -> AbstractContextManager[None]:
    """The BLAS held to one thread, until nobody asks for that any more: several threads may at a time."""
    return _hold().held()


class _Hold:
    """How many threads of this process want the BLAS held to one: the first holds it, the last lets it go."""

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
    """Threads that wait for the next call: starting them takes longer than many a transform."""
    return ThreadPoolExecutor(workers, "kernelspec", initializer=_alone.set, initargs=(True,))


@cache
def _hold() -> _Hold:
    from threadpoolctl import ThreadpoolController

    return _Hold(ThreadpoolController())


if hasattr(os, "register_at_fork"):
    # a lock that another thread had taken would never be released in the child, and no thread but one is there
    os.register_at_fork(after_in_child=_hold.cache_clear)
    os.register_at_fork(after_in_child=_pool.cache_clear)
