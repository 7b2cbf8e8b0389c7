"""Everything in turns: how often each is run, and what is made of the times."""

from __future__ import annotations

import time

import numpy as np
import pytest

from kernelspec.comparison import interleaved
from kernelspec.comparison.interleaved import Spread, interleaved_seconds, spread_of


def test_every_work_in_every_round_and_short_ones_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(interleaved, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(interleaved, "sleep", lambda seconds: None)
    calls: list[str] = []

    def work(name: str, seconds: float) -> None:
        calls.append(name)
        clock[0] += seconds

    found = interleaved_seconds({"long": lambda: work("long", 0.5), "short": lambda: work("short", 0.004)}, 4)
    assert {name: len(seconds) for name, seconds in found.items()} == {"long": 4, "short": 4}
    np.testing.assert_allclose(found["long"], 0.5)
    np.testing.assert_allclose(found["short"], 0.004)
    assert calls.count("long") == 2 + 4
    assert calls.count("short") == 2 + 4 * 5
    first = [calls[i] for i in range(4, len(calls)) if i == 4 or calls[i] != calls[i - 1]]
    assert first != ["long", "short"] * 4, "the order is random"


def test_what_is_done_before_every_work_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, calls = [0.0], []
    monkeypatch.setattr(interleaved, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(interleaved, "sleep", lambda seconds: None)

    def work(name: str, seconds: float) -> None:
        calls.append(name)
        clock[0] += seconds

    found = interleaved_seconds(
        {"one": lambda: work("one", 0.5), "two": lambda: work("two", 0.25)}, 3, before=lambda: work("before", 9.0)
    )
    np.testing.assert_allclose([found["one"], found["two"]], [[0.5] * 3, [0.25] * 3])
    in_rounds = calls[4:]
    assert in_rounds[::2] == ["before"] * 6
    assert sorted(in_rounds[1::2]) == ["one"] * 3 + ["two"] * 3


def test_real_time_passes() -> None:
    assert interleaved_seconds({"sleep": lambda: time.sleep(0.02)}, 1)["sleep"][0] >= 0.02


def test_median_and_quartiles() -> None:
    assert spread_of(np.array([5.0, 1.0, 2.0, 4.0, 3.0])) == Spread(3.0, 2.0, 4.0)


def test_no_round() -> None:
    with pytest.raises(ValueError, match="at least one round"):
        interleaved_seconds({}, 0)
