"""How a mutant is hunted: by random specs that have its part, until one fails, which is then made small."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, given, settings

from kernelspec.testing.samples import assert_samples
from tests.strategies.cases import Case, cases

__all__ = ["EXAMPLES", "Catch", "hunt"]

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
