"""Tests of `mutants/mutant.py`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from kernelspec.testing.samples import assert_samples
from tests.strategies.cases import Case, cases

__all__ = ["EXAMPLES", "Catch", "Mutant", "Patch", "given_another", "hunt", "result_changed"]

Patch = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Mutant:
    """A mistake, and specs among which it is looked for: those with this part of the language.

    `samples` judge each spec: more than the usual number for what is small.
    """

    part: str
    patch: Patch
    samples: int = 5000


def result_changed(owner: Any, method: str, change: Callable[[Any, Any], Any]) -> Patch:
    """The method gives `change(self, result)` instead of its result."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        right = getattr(owner, method)
        monkeypatch.setattr(owner, method, lambda self, *arguments: change(self, right(self, *arguments)))

    return patch


def given_another(owner: Any, method: str, another: Callable[[Any], Any]) -> Patch:
    """The method is that of `another(self)`: of the same thing with other numbers."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        right = getattr(owner, method)
        monkeypatch.setattr(owner, method, lambda self, *arguments: right(another(self), *arguments))

    return patch


EXAMPLES = 12
"""Random specs that a mutant must not survive: those of the default run."""


@dataclass(frozen=True)
class Catch:
    """How a mutant was caught: after so many examples, by what, and the spec that the failure shrank to."""

    examples: int
    message: str
    text: str


def hunt(part: str, *, examples: int, samples: int, shrink: bool = False) -> Catch | None:
    """The catch, or None if so many random specs, each judged by so many samples, find nothing."""
    first: list[tuple[int, str, str]] = []
    last: list[Case] = []
    seen = 0
    phases = [Phase.generate, Phase.shrink] if shrink else [Phase.generate]
    checks = list(HealthCheck)

    @settings(
        max_examples=examples, deadline=None, derandomize=True, database=None, phases=phases,
        suppress_health_check=checks, report_multiple_bugs=False,
    )  # fmt: skip
    @given(cases(part))
    def run(case: Case) -> None:
        nonlocal seen
        seen += 1
        if first and not shrink and case != last[0]:
            return
        try:
            assert_samples(case.text, case.rows, n=samples)
        except AssertionError as error:
            if not first:
                first.append((seen, str(error).replace("\n", " "), case.text))
            last[:] = [case]
            raise

    try:
        run()
    except AssertionError:
        examples_needed, message, _ = first[0]
        return Catch(examples_needed, message, last[0].text)
    return None
