"""Lines of LIBSVM text as the arrays of a CSR matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.errors import DataError
from kernelspec.limits import MAX_COLUMNS
from kernelspec.tables.libsvm import parse_rows


def parsed(*lines: bytes, limit: int | None = None) -> list[dict[int, float]]:
    """One dictionary for each row, column → value, columns counted from 0."""
    found = parse_rows(lines, 1, "t", limit)
    assert (found.starts.dtype, found.columns.dtype, found.values.dtype) == (np.int64, np.int64, np.float64)
    assert found.starts[0] == 0
    assert found.starts[-1] == len(found.columns) == len(found.values)
    parts = [slice(a, b) for a, b in zip(found.starts[:-1], found.starts[1:], strict=True)]
    assert all((np.diff(found.columns[part]) > 0).all() for part in parts)
    return [dict(zip(found.columns[p].tolist(), found.values[p].tolist(), strict=True)) for p in parts]


@pytest.mark.parametrize(
    ("line", "row"),
    [
        (b"1 1:0.5 3:-2e3\n", {0: 0.5, 2: -2000}),
        (b"-1 3:1 1:2\r\n", {0: 2, 2: 1}),
        (b"3,7 2:4", {1: 4}),
        (b"2:4", {1: 4}),
        (b"1 qid:7 2:4", {1: 4}),
        (b"qid:7 2:4", {1: 4}),
        (b"1\t2:4  # 3:5", {1: 4}),
        (b"1", {}),
        (b"1 1:0", {0: 0}),
        (b"1 +1:+.5 2:inf", {0: 0.5, 1: np.inf}),
        (b"1 2000000:1", {MAX_COLUMNS - 1: 1}),
    ],
)
def test_a_line(line: bytes, row: dict[int, float]) -> None:
    assert parsed(line) == [row]


def test_lines_without_rows() -> None:
    assert parsed() == []
    assert parsed(b"\n", b"# 1:2\n", b"1 1:1\n", b"  \n", b"0\n") == [{0: 1}, {}]


@pytest.mark.slow
@settings(derandomize=True, database=None)
@given(st.lists(st.dictionaries(st.integers(0, 50), st.floats(allow_nan=False), max_size=6), max_size=8))
def test_whatever_is_written_is_read(table: list[dict[int, float]]) -> None:
    lines = [" ".join(["0", *(f"{column + 1}:{value!r}" for column, value in row.items())]) for row in table]
    assert parsed(*(line.encode() for line in lines)) == table


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"1 1:2 3", "'3' should be `index:value`"),
        (b"1 1:2 3:", "'3:' should be `index:value`"),
        (b"1 1:2+3 :5", "'1:2+3' should be `index:value`"),
        (b"1 1:2:3", "'1:2:3' should be `index:value`"),
        (b"1 a:2", "'a:2' should be `index:value`"),
        (b"1 1:1_0", "'1:1_0' should be `index:value`"),
        (b"1 1:\xff", r"'1:\\xff' should be `index:value`"),
        (b"1 1:1x", "'1:1x' should be `index:value`"),
        (b"1 1.5:2", "'1.5:2' has an index that is no whole number"),
        (b"1 nan:2", "'nan:2' has an index that is no whole number"),
        (b"1 9007199254740992:2", "has an index that is no whole number"),
        (b"1 1:1 0:2", "'0:2' has an index below 1; LIBSVM files count columns from 1"),
        (b"1 -3:2", "'-3:2' has an index below 1"),
        (b"1 4:1 6:2", "'6:2' has an index beyond the 5 columns"),
        (b"1 2:1 1:1 2:1", "has the same index twice"),
    ],
)
def test_what_is_refused_and_where(line: bytes, said: str) -> None:
    with pytest.raises(DataError) as refused:
        parse_rows([b"1 5:1", b"", line, b"1 5:1"], 40, "t.svm", 5 if b"6:2" in line else None)
    assert str(refused.value).startswith("t.svm:42: ")
    assert said in str(refused.value)


@pytest.mark.filterwarnings("default::DeprecationWarning")  # as users have it: old NumPy warns, and stops reading
@pytest.mark.parametrize("entry", [b"1:1_0", b"1:1x", b"1:0x10", b"1:1.5.2", b"1:1e5_", b"1:1d5"])
def test_the_last_value_is_read_whole(entry: bytes) -> None:
    with pytest.raises(DataError, match="should be `index:value`"):
        parse_rows([b"1 1:1", b"1 " + entry], 1, "t.svm")


@pytest.mark.parametrize("head", ["", "1 ", "1 qid:3 "])
def test_entries_of_a_line_are_bounded(head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernelspec.tables.libsvm.MAX_COLUMNS", 3)
    assert parse_rows([f"{head}1:1 2:1 3:1".encode()], 1, "t").columns.tolist() == [0, 1, 2]
    for more in (4, 5, 6, 7, 100):
        line = head + " ".join(f"{j}:1" for j in range(1, more + 1))
        with pytest.raises(DataError, match="t:7: has more than 3 entries, the most that are read"):
            parse_rows([line.encode()], 7, "t")
