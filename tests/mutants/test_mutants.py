"""Every mutant dies within the examples of the property tests: one in four in every run, the others in the long run.

Four take longer, and die under `--thorough`.
"""

from __future__ import annotations

import pytest

from tests.mutants.catalogue import MUTANTS
from tests.mutants.mutant import EXAMPLES, hunt

SECONDS = (
    "degrees capped at two",
    "a variance for a deviation, of logarithms",
    "one degree of erf in fifty wrong",
    "a rate for a scale",
)
"""Those that take longest to find."""


def tier(number: int, name: str) -> pytest.MarkDecorator:
    """When a mutant is hunted: the mistakes are in the order of rooms, so that each room has some in every run."""
    return pytest.mark.thorough if name in SECONDS else pytest.mark.long if number % 4 else pytest.mark.slow


@pytest.mark.parametrize("name", [pytest.param(name, marks=tier(number, name)) for number, name in enumerate(MUTANTS)])
def test_mutants_die(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = MUTANTS[name]
    mutant.patch(monkeypatch)
    assert hunt(mutant.part, examples=EXAMPLES, samples=mutant.samples) is not None


@pytest.mark.slow
def test_right_features_are_not_caught() -> None:
    assert hunt("kernel gaussian", examples=EXAMPLES, samples=5000) is None


@pytest.mark.thorough
@pytest.mark.parametrize("part", sorted({mutant.part for mutant in MUTANTS.values()} - {"kernel gaussian"}))
def test_right_features_of_other_parts_are_not_caught(part: str) -> None:
    """The hunts above find the mistakes, and nothing that is there without them."""
    assert hunt(part, examples=EXAMPLES, samples=5000) is None
