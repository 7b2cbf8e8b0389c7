"""What cells of text look like, and what they make of their column."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelspec.tables.text_streams import Look, WrittenColumn, first_looks

CELLS: list[tuple[str, Look]] = [
    ("", "empty"),
    ("NA", "no value"),
    (" nan ", "no value"),
    ("01", "leading zero"),
    ("-007", "leading zero"),
    ("00.5", "leading zero"),
    ("0", "whole"),
    ("-0", "whole"),
    (" 12 ", "whole"),
    ("9" * 15, "whole"),
    ("9" * 16, "large"),
    ("-" + "9" * 76, "large"),
    ("9" * 77, "text"),
    ("+1", "fraction"),
    ("0.5", "fraction"),
    ("1.", "fraction"),
    (".5", "fraction"),
    ("1e5", "fraction"),
    ("1e400", "fraction"),
    ("inf", "fraction"),
    ("-Infinity", "fraction"),
    ("true", "true or false"),
    ("False", "true or false"),
    ("tRUE", "text"),
    ("1_0", "text"),
    ("0x10", "text"),
    ("2024-01-01", "text"),
    ("  ", "text"),
    ("１", "text"),
]


@pytest.mark.parametrize(("cell", "look"), CELLS)
def test_looks(cell: str, look: Look) -> None:
    assert first_looks(pa.array([cell])) == {look: (1, cell)}
    assert first_looks(pa.array(["x", "x", cell])).get(look) == ((3, cell) if look != "text" else (1, "x"))


@pytest.mark.parametrize(
    ("cells", "kind", "ambiguous"),
    [
        (["", None], "unknown", False),
        (["NA"], "unknown", False),
        (["1", "2"], "whole number", False),
        (["1", "NA", ""], "whole number", False),
        (["1", "2.0"], "number", False),
        ([str(2**70), "1"], "whole number", False),
        (["true", "FALSE", "NA"], "boolean", False),
        (["NA", "x"], "text", False),
        (["01", "02"], "text", False),
        (["1", "01"], "text", True),
        (["1", "X"], "text", True),
        (["true", "X"], "text", True),
        (["true", "1"], "text", True),
    ],
)
def test_the_type_of_a_column(cells: list[str], kind: str, ambiguous: bool) -> None:
    for order in (cells, cells[::-1]):
        column = WrittenColumn(first_looks(pa.array(order, pa.string())))
        assert (column.type, column.is_ambiguous) == (kind, ambiguous)


def test_what_makes_a_column_ambiguous_is_told() -> None:
    column = WrittenColumn(first_looks(pa.array(["1", "2", "X", "01"])))
    assert column.told_apart() == ((1, "1"), (3, "X"))
    column = WrittenColumn(first_looks(pa.array(["true", "7"])))
    assert column.told_apart() == ((1, "true"), (2, "7"))


@pytest.mark.slow
@given(
    st.lists(st.sampled_from([cell for cell, _ in CELLS]), min_size=1, max_size=12), st.randoms(), st.integers(0, 12)
)
def test_neither_order_nor_blocks_matter(cells: list[str], random: object, cut: int) -> None:
    whole = WrittenColumn(first_looks(pa.array(cells)))
    parts = WrittenColumn().joined(first_looks(pa.array(cells[:cut], pa.string())), 0)
    parts = parts.joined(first_looks(pa.array(cells[cut:], pa.string())), len(cells[:cut]))
    assert parts.first == whole.first
    random.shuffle(cells)  # type: ignore[attr-defined]
    moved = WrittenColumn(first_looks(pa.array(cells)))
    assert (moved.type, moved.looks, moved.is_ambiguous) == (whole.type, whole.looks, whole.is_ambiguous)
