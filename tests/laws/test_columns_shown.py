"""Columns and laws as a plan writes them."""

from __future__ import annotations

from kernelspec.laws.law import columns_shown, indented, reads_shown
from kernelspec.samples.frequencies import UnitColumn


def test_lines_are_indented() -> None:
    assert indented(["a", "  b"]) == ["  a", "    b"]


def test_positions_are_slices_where_they_are_many() -> None:
    assert columns_shown((2, 3, 4, 5, 6), None) == "2:7"
    assert columns_shown((2, 3, 4), None) == "2, 3, 4"
    assert columns_shown((0, 1, 2, 7), None) == "0, 1, 2, 7"
    assert columns_shown((3, 2, 1, 0), None) == "3, 2, 1, 0"


def test_names_are_shown_as_far_as_a_line_goes() -> None:
    names = [f"c{i}" for i in range(20)]
    assert columns_shown((3, 1), names) == "c3, c1"
    assert columns_shown(tuple(range(12)), names) == ", ".join(names[:12])
    assert columns_shown(tuple(range(13)), names) == ", ".join(names[:12]) + ", … (13)"


def test_reads_are_shown_as_the_columns_they_come_from() -> None:
    assert reads_shown((3, 0), (3, 0), None) == "3, 0"
    unit = (UnitColumn(3, (0, 3)), UnitColumn(0, (0, 3)))
    assert reads_shown(unit, (3, 0), ["a", "b", "c", "d"]) == "d, a, divided by the norm of the row"
