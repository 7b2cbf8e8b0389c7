"""Every mutant dies within the examples of the default run of the property tests."""

from __future__ import annotations

import pytest

from tests.mutants.catalogue import MUTANTS
from tests.mutants.hunt import hunt

EXAMPLES = 12

SAMPLES = {"a variance 5 % off": 100_000}
"""More than 5,000 for what is small."""


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_die(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = MUTANTS[name]
    mutant.patch(monkeypatch)
    assert hunt(mutant.part, examples=EXAMPLES, samples=SAMPLES.get(name, 5000)) is not None


def test_right_features_are_not_caught() -> None:
    assert hunt("kernel gaussian", examples=EXAMPLES, samples=5000) is None
