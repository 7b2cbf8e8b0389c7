"""Texts of numbers lie in their interval, with few digits; vectors have an entry for every column."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kernelspec.testing.strategies.ingredients import decimals, vectors
from tests.testing.strategies.examples import drawn


@pytest.mark.long
@pytest.mark.parametrize(("low", "high"), [(0.25, 4), (0, 3), (0.1, 0.5)])
def test_decimals_are_in_the_interval_and_reach_both_ends(low: float, high: float) -> None:
    found = drawn(decimals(low, high), 600)
    values = [Fraction(text) for text in found]
    assert all((100 * value).denominator == 1 and "e" not in text for value, text in zip(values, found, strict=True))
    assert (float(min(values)), float(max(values))) == (low, high)


@pytest.mark.long
@pytest.mark.parametrize("dim", [1, 3])
def test_vectors_have_one_number_or_one_for_every_column(dim: int) -> None:
    found = drawn(vectors(decimals, dim, 0.5, 3), 200)
    lists = [text[1:-1].split(", ") for text in found if text.startswith("[")]
    assert 0 < len(lists) < len(found)
    assert {len(entries) for entries in lists} == {dim}
    assert all(0.5 <= float(entry) <= 3 for entries in lists for entry in entries)


def test_on_any_number_of_columns_there_are_no_vectors() -> None:
    assert not any("[" in text for text in drawn(vectors(decimals, None, 0.5, 3), 200))
