"""The time limit of a symbolic step: what it lets through, and what it stops."""

from __future__ import annotations

import threading

import pytest

from kernelspec.analysis.time_limit import TimeExceeded, within


def endless() -> str:
    n = 0
    while True:
        n += 1


def stubborn() -> str:
    """A step whose own cleaning up swallows the first interruption."""
    try:
        endless()
    except BaseException:
        endless()
    return "never"


def test_a_step_in_time_gives_its_result() -> None:
    assert within(60.0, lambda: "done", lambda: "late") == "done"


def test_a_result_may_be_none() -> None:
    assert within(60.0, lambda: None, lambda: "late") is None


@pytest.mark.parametrize("step", [endless, stubborn])
def test_an_endless_step_is_cut_off(step: object) -> None:
    threads = threading.active_count()
    assert within(0.02, step, lambda: "late") == "late"
    assert threading.active_count() == threads


def test_an_error_of_the_step_is_the_callers() -> None:
    with pytest.raises(ZeroDivisionError):
        within(60.0, lambda: 1 / 0, lambda: 0)


def test_no_ordinary_handler_swallows_the_interruption() -> None:
    assert not issubclass(TimeExceeded, Exception)


def test_many_interruptions_in_a_row() -> None:
    assert [within(0.005, endless, lambda: i) for i in range(20)] == list(range(20))  # noqa: B023
