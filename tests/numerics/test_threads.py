"""Blocks of rows: each exactly once, whatever the number of processors."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from kernelspec.numerics import threads
from kernelspec.numerics.threads import in_this_thread, one_ahead, run_blocks, run_compiled, single_threaded


@pytest.mark.parametrize("run", [run_blocks, run_compiled])
@pytest.mark.parametrize("processors", [1, 2, 8])
@pytest.mark.parametrize("n", [0, 1, 4, 5, 23])
def test_every_row_once(run: Callable[..., None], n: int, processors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: processors)
    seen: list[tuple[int, int]] = []
    run(n, 5, lambda start, stop: seen.append((start, stop)))
    assert sorted(seen) == [(i, min(i + 5, n)) for i in range(0, n, 5)]


@pytest.mark.parametrize("processors", [1, 4])
def test_errors_reach_the_caller(processors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: processors)

    def work(start: int, stop: int) -> None:
        if start == 10:
            raise ZeroDivisionError("in block 10")

    with pytest.raises(ZeroDivisionError, match="in block 10"):
        run_blocks(50, 5, work)


def test_blas_is_held_to_one_thread_and_let_go() -> None:
    from threadpoolctl import threadpool_info, threadpool_limits

    def blas() -> list[int]:
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before, inside = blas(), []
        run_blocks(1, 5, lambda start, stop: inside.append(blas()))
        assert set(before) == {2}
        assert inside == [[1] * len(before)]
        assert blas() == before


def test_whoever_leaves_last_lets_the_blas_go() -> None:
    from threadpoolctl import threadpool_info, threadpool_limits

    def blas() -> set[int]:
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        first, second = single_threaded(), single_threaded()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert blas() == {1}
        second.__exit__(None, None, None)
        assert blas() == {2}


def test_work_may_be_kept_in_the_calling_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: 4)
    used: set[threading.Thread] = set()
    with in_this_thread():
        run_compiled(50, 5, lambda start, stop: used.add(threading.current_thread()))
    assert used == {threading.current_thread()}
    together = threading.Barrier(4)

    def work(start: int, stop: int) -> None:
        together.wait(10)
        used.add(threading.current_thread())

    run_compiled(20, 5, work)
    assert threading.current_thread() in used
    assert len(used) == 4


def test_threads_are_kept_and_no_more_than_there_are_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: 3)
    before = threading.active_count()
    for _ in range(5):
        run_compiled(100, 5, lambda start, stop: None)
    assert threading.active_count() <= before + 2


def test_nobody_waits_for_threads_that_others_keep_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: 2)
    started, done = threading.Event(), threading.Event()
    seen: list[int] = []

    def slow(start: int, stop: int) -> None:
        started.set()
        assert done.wait(10)

    with ThreadPoolExecutor(1) as other:
        busy = other.submit(run_compiled, 10, 5, slow)  # its own thread, and the one that all share
        assert started.wait(10)
        run_compiled(20, 5, lambda start, stop: seen.append(start))
        assert not busy.done()
        done.set()
    assert seen == [0, 5, 15, 10]  # its own share, then that of the thread which does not come


def test_what_work_spreads_stays_in_its_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else all threads would wait for blocks that nobody is left to do."""
    monkeypatch.setattr(threads, "processors", lambda: 2)
    inside: set[bool] = set()

    def work(start: int, stop: int) -> None:
        own = threading.current_thread()
        run_blocks(20, 5, lambda start, stop: inside.add(threading.current_thread() is own))

    run_compiled(40, 5, work)
    assert inside == {True}


def test_an_error_comes_when_no_block_is_worked_on_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: 2)
    began, ended = threading.Event(), threading.Event()

    def work(start: int, stop: int) -> None:
        if start == 0:
            assert began.wait(10)
            raise ZeroDivisionError
        began.set()
        time.sleep(0.05)
        ended.set()

    with pytest.raises(ZeroDivisionError):
        run_compiled(10, 5, work)
    assert ended.is_set()


def test_threads_begin_with_consecutive_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: 3)
    together, taken = threading.Barrier(3), {}
    first = threading.local()

    def work(start: int, stop: int) -> None:
        if not hasattr(first, "met"):
            first.met = together.wait(10)
            taken[start] = threading.current_thread()

    run_compiled(50, 5, work)
    assert set(taken) == {0, 15, 30}
    assert len(set(taken.values())) == 3


@pytest.mark.parametrize("processors", [1, 2, 5])
def test_blocks_before_one_that_fails_are_done(processors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the block that is named would be a matter of chance."""
    monkeypatch.setattr(threads, "processors", lambda: processors)
    done: list[int] = []

    def work(start: int, stop: int) -> None:
        if start in {40, 60, 80}:
            raise ZeroDivisionError(f"in block {start}")
        time.sleep(0.001 if start < 40 else 0)
        done.append(start)

    with pytest.raises(ZeroDivisionError, match="in block 40"):
        run_compiled(100, 5, work)
    assert {*range(0, 40, 5)} <= set(done)


@pytest.mark.parametrize("place", [0, 90])
def test_an_interruption_ends_all(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: 2)
    done: list[int] = []

    def work(start: int, stop: int) -> None:
        if start == place:
            raise KeyboardInterrupt
        time.sleep(0.01)
        done.append(start)

    with pytest.raises(KeyboardInterrupt):
        run_compiled(1000, 10, work)
    assert len(done) < 30


def test_of_several_errors_the_first_block_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: 2)
    failed = threading.Event()

    def work(start: int, stop: int) -> None:
        if start == 0:
            assert failed.wait(10)
        else:
            failed.set()
        raise ZeroDivisionError(f"in block {start}")

    with pytest.raises(ZeroDivisionError, match="in block 0"):
        run_compiled(50, 5, work)


FORK = """
import os
from kernelspec.numerics import threads
threads.processors = lambda: 2
seen = []
threads.run_blocks(50, 5, lambda start, stop: seen.append(start))
child = os.fork()
if child == 0:
    threads.run_blocks(50, 5, lambda start, stop: seen.append(start))
    os._exit(0 if len(seen) == 20 else 1)
assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without forks")
def test_a_forked_child_has_threads_of_its_own() -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], check=True, timeout=60)


@pytest.mark.parametrize("processors", [1, 3])
@pytest.mark.parametrize("n", [0, 1, 5, 40])
def test_one_is_taken_ahead(n: int, processors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: processors)
    taken: list[int] = []
    for i, item in enumerate(one_ahead(taken.append(i) or (i, i) for i in range(n))):
        assert item == (i, i)
        assert len(taken) <= i + 2
    assert taken == list(range(n))


def test_an_error_comes_in_its_place_and_no_thread_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: 3)
    before, found = threading.active_count(), one_ahead(6 // (4 - i) for i in range(9))
    assert [next(found) for _ in range(4)] == [1, 2, 3, 6]
    with pytest.raises(ZeroDivisionError):
        next(found)
    assert threading.active_count() == before
    with in_this_thread():
        assert set(one_ahead(threading.current_thread() for _ in range(9))) == {threading.current_thread()}
