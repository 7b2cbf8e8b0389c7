"""The name that was meant."""

from __future__ import annotations

import pytest

from kernelspec.loading import suggest

NAMES = ["scale", "shape", "width", "Age"]


@pytest.mark.parametrize(
    ("word", "nearest"),
    [("sclae", "scale"), ("SCALE", "scale"), ("widht", "width"), ("age", "Age"), ("shap", "shape")],
)
def test_the_nearest_of_those_there_are(word: str, nearest: str) -> None:
    assert suggest(word, NAMES) == f"; did you mean '{nearest}'?"


def test_nothing_is_near() -> None:
    assert suggest("bandwidth_of_frequencies", NAMES) == ""
    assert suggest("scale", []) == ""


def test_equally_near_ones_are_taken_in_alphabetical_order() -> None:
    for names in (["scale2", "scale1"], ["scale1", "scale2"], iter(["scale2", "scale1", "scale1"])):
        assert suggest("scale3", names) == "; did you mean 'scale1'?"


def test_the_name_is_told_as_it_is_written() -> None:
    assert suggest("income", ["Income", "INCOME"]) == "; did you mean 'INCOME'?"
