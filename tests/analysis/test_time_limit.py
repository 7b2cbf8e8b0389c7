"""Tests of `analysis/time_limit.py`."""

from __future__ import annotations

import threading

import pytest
import sympy

import kernelspec as ks
from kernelspec.analysis import time_limit as module
from kernelspec.analysis.time_limit import TimeExceeded, derive, in_time, patience, within
from kernelspec.kernels.leaves.gaussian import Gaussian


def endless(*_: object) -> None:
    while True:
        pass


def test_a_step_in_time_gives_its_result() -> None:
    assert derive(lambda: sympy.Integer(2) + 3, lambda late: late) == 5


def test_a_step_that_is_late_is_made_of_one_symbol(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.05)
    late = sympy.Symbol("not_derived_in_time")
    assert derive(endless, lambda symbol: {"first": symbol, "second": symbol}) == {"first": late, "second": late}


def test_each_step_that_is_late_halves_the_time_of_those_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []
    monkeypatch.setattr(module, "within", lambda seconds, step, late: limits.append(seconds) or step(late))
    with patience(0.5):
        in_time(lambda late=None: "in time", lambda: "late")
        for _ in range(2):
            in_time(lambda late: late(), lambda: "late")  # type: ignore[call-arg, arg-type, misc]
        derive(lambda late=None: "in time", lambda _: "late", seconds=3.0)
    in_time(lambda late=None: "in time", lambda: "late")
    assert limits == [0.5, 0.5, 0.25, 0.375, 1.0]


def test_each_second_after_the_first_halves_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []
    clock = iter([0.0, 0.8, 1.0, 2.2, 2.3, 2.4])
    monkeypatch.setattr(module, "monotonic", lambda: next(clock))
    monkeypatch.setattr(module, "within", lambda seconds, step, late: limits.append(seconds) or step())
    with patience():
        for _ in range(3):
            in_time(lambda: "in time", lambda: "late")
    assert limits == pytest.approx([1.0, 1.0, 0.5])


def test_what_takes_too_long_is_said_and_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.05)
    monkeypatch.setattr(Gaussian, "expression", endless)
    facts = ks.analyze("gaussian()", dim=1)
    assert facts.to_dict()["variance"] == dict.fromkeys(("paired", "phase", "complex"), "not_derived_in_time")
    assert facts.to_dict()["kernel"] == "not_derived_in_time"
    assert "k(x, y) = not_derived_in_time" in facts.report()
    assert "not" in facts.latex()


def endless_of_time_limit() -> str:
    n = 0
    while True:
        n += 1


def stubborn() -> str:
    """A step whose own cleaning up swallows the first interruption."""
    try:
        endless_of_time_limit()
    except BaseException:
        endless_of_time_limit()
    return "never"


def test_a_step_in_time_gives_its_result_time_limit() -> None:
    assert within(60.0, lambda: "done", lambda: "late") == "done"


def test_a_result_may_be_none() -> None:
    assert within(60.0, lambda: None, lambda: "late") is None


@pytest.mark.parametrize("step", [endless_of_time_limit, stubborn])
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
    assert [within(0.005, endless_of_time_limit, lambda: i) for i in range(20)] == list(range(20))  # noqa: B023
