"""How much a run tests: examples of Hypothesis, ten times as many under `--thorough`; the cases of a long table."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from typing import Any

import pytest

__all__ = ["THOROUGH", "examples", "first_of_each", "half", "sweep"]

THOROUGH = "KERNELSPEC_THOROUGH"
"""The variable of the environment that tests/conftest.py sets for a thorough run, before test modules are read."""


def examples(few: int) -> int:
    """How many where so few are enough to see a mistake that is not rare."""
    return few * (10 if os.environ.get(THOROUGH) else 1)


def sweep(cases: Iterable[Any], *, every: int = 1, costly: Collection[Any] = ()) -> list[Any]:
    """The cases for `parametrize`: of `every` so many one in each run, the others with the mark `long`.

    A case is one value or a tuple of several. It is long, too, if its first value is one of the `costly` ones.
    """
    found = []
    for number, case in enumerate(cases):
        values = case if isinstance(case, tuple) else (case,)
        is_long = number % every != 0 or any(values[0] == value for value in costly)
        found.append(pytest.param(*values, marks=[pytest.mark.long] if is_long else []))
    return found


def first_of_each(cases: Iterable[tuple[Any, Any]]) -> list[Any]:
    """The cases for `parametrize`: the first of every class in each run, the others with the mark `long`."""
    met: set[type] = set()
    found = []
    for case in cases:
        found.append(pytest.param(*case, marks=[pytest.mark.long] if type(case[0]) in met else []))
        met.add(type(case[0]))
    return found


def half(cases: Iterable[Any]) -> list[Any]:
    """The cases for `parametrize`, every second one for `--thorough` alone: where all are random cases of one kind."""
    marks = [pytest.mark.thorough]
    return [pytest.param(case, marks=marks if number % 2 else []) for number, case in enumerate(cases)]
