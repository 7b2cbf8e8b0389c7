"""docs/internals/mistakes.md: `python -m tests.mutants.table` hunts every mutant and prints how it was caught."""

from __future__ import annotations

import re

import pytest

from tests.mutants.catalogue import LIVING, MUTANTS
from tests.mutants.mutant import EXAMPLES, hunt

__all__ = ["rows"]

_KINDS = ((r"^mean of ", "mean"), (r"^variance of ", "variance"), (r"the sum of the terms", "sum of terms"))


def rows() -> list[str]:
    """A line for every mutant: what it is, where it was looked for, after how many examples, by which test."""
    lines = []
    for name, mutant in {**MUTANTS, **LIVING}.items():
        with pytest.MonkeyPatch.context() as patch:
            mutant.patch(patch)
            catch = hunt(mutant.part, examples=EXAMPLES, samples=mutant.samples)
        found = "**lives** | " if catch is None else f"{catch.examples} | {_kind(catch.message)}"
        lines.append(f"| {name} | {mutant.part} | {found} |")
        print(lines[-1], flush=True)
    return lines


def _kind(message: str) -> str:
    return next((kind for pattern, kind in _KINDS if re.search(pattern, message)), "features against samples")


if __name__ == "__main__":
    rows()
