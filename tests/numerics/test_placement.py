"""Where threads run while they share work: on processors of their own, and only until it is done."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest

from kernelspec.numerics import placement
from kernelspec.numerics.placement import Placement
from kernelspec.numerics.threads import run_compiled

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2, reason="there is no processor to choose"
)


def test_the_caller_stays_and_helpers_go_elsewhere() -> None:
    allowed, seen = os.sched_getaffinity(0), {}
    together = threading.Barrier(2)

    def work(start: int, stop: int) -> None:
        together.wait(10)
        seen[threading.get_ident()] = os.sched_getaffinity(0)

    for _ in range(3):
        seen.clear()
        run_compiled(2, 1, work)
        own = seen.pop(threading.get_ident())
        (helper,) = seen.values()
        assert len(own) == 1
        assert helper == allowed - own
        assert os.sched_getaffinity(0) == allowed


def test_helpers_follow_the_caller_of_the_day() -> None:
    first, second, *_ = (frozenset({processor}) for processor in sorted(os.sched_getaffinity(0)))

    def helped(placement: Placement) -> set[int]:
        placement.help()
        return os.sched_getaffinity(0)

    with ThreadPoolExecutor(1) as pool:
        for here, elsewhere in ((first, second), (first, second), (second, first)):
            assert pool.submit(helped, Placement(here, elsewhere)).result() == elsewhere
        assert pool.submit(helped, Placement()).result() == first


def test_errors_leave_nothing_behind() -> None:
    allowed = os.sched_getaffinity(0)

    def work(start: int, stop: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_compiled(50, 5, work)
    assert os.sched_getaffinity(0) == allowed


def test_one_processor_leaves_nothing_to_choose() -> None:
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert Placement.of_caller() == Placement()
    finally:
        os.sched_setaffinity(0, allowed)


@pytest.mark.parametrize("answer", [None, lambda: -1])
def test_systems_that_do_not_say(answer: Callable[[], int] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement, "_own_processor", lambda: answer)
    allowed = os.sched_getaffinity(0)
    assert Placement.of_caller() == Placement()
    with Placement.of_caller().caller():
        assert os.sched_getaffinity(0) == allowed


def test_systems_that_do_not_let(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(process: int, processors: Iterable[int]) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setaffinity", refused)
    done: list[int] = []
    run_compiled(50, 5, lambda start, stop: done.append(start))
    assert sorted(done) == list(range(0, 50, 5))


def test_an_interrupt_at_the_end_of_a_call_leaves_the_caller_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may come where the processors are about to be given back."""
    allowed, right, calls = os.sched_getaffinity(0), placement._stay, []

    def interrupted_once(processors: frozenset[int]) -> None:
        calls.append(processors)
        if len(calls) == 2:
            raise KeyboardInterrupt
        right(processors)

    monkeypatch.setattr(placement, "_stay", interrupted_once)
    with pytest.raises(KeyboardInterrupt), Placement.of_caller().caller():
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == allowed
