"""Tests of `tables/libsvm.py`."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from kernelspec.errors import DataError, FileError
from kernelspec.limits import MAX_COLUMNS
from kernelspec.tables.formats import open_table
from tests.tables.conftest import sparse_numbers


def read(path: Path, columns: int | None = None, rows: int = 16384) -> NDArray[np.float64]:
    with open_table(path, rows_per_block=rows, columns=columns) as table:
        blocks = list(table.blocks())
        return sparse.vstack(blocks).toarray() if blocks else np.empty((0, table.n_columns or 0))


def write(folder: Path, text: str) -> Path:
    path = folder / "a.svm"
    path.write_text(text)
    return path


@pytest.mark.parametrize("rows", [1, 7, 1000])
@pytest.mark.parametrize("columns", [None, 20])
def test_agrees_with_scikit_learn(tmp_path: Path, rows: int, columns: int | None) -> None:
    matrix = sparse_numbers(200, 20)
    dump_svmlight_file(matrix, np.arange(200), str(tmp_path / "a.svm"), zero_based=False, query_id=np.arange(200))
    with open_table(tmp_path / "a.svm", columns=columns) as table:
        assert table.n_rows == (200 if columns is None else None)
        assert (table.n_columns, table.names) == (20, None)
    theirs, _ = load_svmlight_file(str(tmp_path / "a.svm"), n_features=20, zero_based=False)
    assert np.array_equal(read(tmp_path / "a.svm", columns, rows), theirs.toarray())


def test_everything_a_line_may_have(tmp_path: Path) -> None:
    text = (
        "# comment\n\n+1 qid:3 2:1.5 1:-2e3 # more: 9:9\n-1\n3:nan\r\n1,5 1:0\n a 3:+.5\t1:1\nqid:7 2:4\n  \n0 +1:inf"
    )
    nan, inf = np.nan, np.inf
    expected = [[-2000, 1.5, 0], [0, 0, 0], [0, 0, nan], [0, 0, 0], [1, 0, 0.5], [0, 4, 0], [inf, 0, 0]]
    assert np.array_equal(read(write(tmp_path, text)), expected, equal_nan=True)
    with open_table(write(tmp_path, f"1 {MAX_COLUMNS}:1")) as table:
        assert table.n_columns == MAX_COLUMNS


MALFORMED = [
    *(
        "1 1:2 3:",
        "1 :2 3:4",
        "1 2 3:4",
        "1 1:2:3 4:5",
        "1 1:2:3 4",
        "1 1:x",
        "1 1: 2",
        "1 é:3",
        "1 1:2 3",
        "1 1:2+3 :5",
    ),
    *("1 a:2", "1 1:1x", "1 1:1_0", "1 1:0x10", "1 1:1.5.2", "1 1:1e5_", "1 1:1d5"),
]
"""Lines with an entry that is not a pair; in the last ones a number is read before it ends."""

SAID = {
    "1 1:2 3:": "'3:' should",
    "1 :2 3:4": "':2' should",
    "1 1:2:3 4": "'1:2:3' should",
    "1 é:3": "'é:3' should",
    "1 0:5": "'0:5' has an index below 1; LIBSVM files count columns from 1",
    "1 -2:5": "'-2:5' has an index below 1",
    "1 1:2 6:5": "'6:5' has an index beyond the 5 columns",
    "1 1.5:5": r"'1\.5:5' has an index that is not a whole number",
    "1 nan:5": "'nan:5' has an index that is not a whole number",
    "1 9007199254740992:2": "'9007199254740992:2' has an index that is not a whole number",
    "1 2:1 1:5 2:3": "has the same index twice",
}


@pytest.mark.filterwarnings("default::DeprecationWarning")  # as users have it: old NumPy warns, and stops reading
@pytest.mark.parametrize("line", [*SAID, *MALFORMED])
def test_malformed_line(tmp_path: Path, line: str) -> None:
    said = SAID.get(line, ".* should be `index:value`")
    for rows, after in ((2, "\n1 1:1\n"), (1000, "\n1 1:1\n"), (1000, "")):
        path = write(tmp_path, "# head\n" + "1 1:1 5:2\n\n" * 20 + line + after)
        with pytest.raises(DataError, match=rf"a\.svm:42: ?{said}"):
            read(path, 5, rows)


@pytest.mark.parametrize("head", ["", "1 ", "1 qid:3 "])
def test_entries_of_a_line_are_bounded(tmp_path: Path, head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernelspec.tables.libsvm.MAX_COLUMNS", 3)
    assert read(write(tmp_path, f"{head}1:1 2:1 3:1")).tolist() == [[1, 1, 1]]
    for more in (4, 5, 6, 7, 100):
        with pytest.raises(DataError, match=r"a\.svm:1: has more than 3 entries, the limit"):
            read(write(tmp_path, head + " ".join(f"{j}:1" for j in range(1, more + 1))))


def test_gzip(tmp_path: Path) -> None:
    path = tmp_path / "a.libsvm.gz"
    path.write_bytes(gzip.compress(b"1 1:2\n" * 100))
    assert np.array_equal(read(path), np.full((100, 1), 2))
    path.write_bytes(gzip.compress(b"1 1:2\n" * 100)[:-9])
    with pytest.raises(FileError, match="damaged, or not LIBSVM text"):
        read(path)


def test_first_pass_finds_errors_at_opening(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a\.svm:2: '0:1' has an index below 1"):
        open_table(write(tmp_path, "1 1:1\n1 0:1\n"))


def test_only_labels_and_only_comments(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no columns"):
        open_table(write(tmp_path, "1\n-1\n"))
    with open_table(write(tmp_path, "# nothing\n"), columns=3) as table:
        assert list(table.blocks()) == []


def test_long_lines_make_smaller_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernelspec.tables.libsvm._BYTES_PER_PART", 100)
    with open_table(write(tmp_path, "1 1:2\n" * 100), columns=1) as table:
        assert max(block.shape[0] for block in table.blocks()) == 17


@pytest.mark.parametrize("suffix", [".svm", ".svm.gz"])
def test_lines_are_bounded(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernelspec.tables.libsvm.MAX_LINES_BYTES", 40)
    pack = gzip.compress if suffix.endswith("gz") else bytes
    path = tmp_path / f"t{suffix}"
    for line in (b"1 1:2".ljust(39) + b"\n", b"1 1:2".ljust(40)):
        path.write_bytes(pack(b"1 1:1\n" + line))
        with open_table(path) as table:
            assert table.n_rows == 2
    for line in (b"1 1:2".ljust(40) + b"\n", b"1 1:2".ljust(41), b"1 " * 2**22):
        path.write_bytes(pack(b"1 1:1\n" + line))
        with pytest.raises(FileError, match=r":2: is longer than 40 bytes, the limit for a line"):
            open_table(path)
