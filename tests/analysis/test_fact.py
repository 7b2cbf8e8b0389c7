"""A fact has nothing to show but what it is given."""

from __future__ import annotations

import dataclasses

import pytest

from kernelspec.analysis.facts import Fact


def test_nothing_is_shown_that_is_not_given() -> None:
    fact = Fact(name="size", value=2)
    assert (fact.lines, fact.latex, fact.explains, fact.missing) == ((), (), False, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        fact.name = "other"  # type: ignore[misc]
