"""What all readers share: columns, progress, restarting."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kernelspec.errors import DataError
from kernelspec.files import open_table


@pytest.fixture
def table_path(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text("age,balance,country\n" + "".join(f"{i},{i / 2},x{i}\n" for i in range(50)))
    return path


def test_unknown_column_names_the_nearest(table_path: Path) -> None:
    with open_table(table_path) as table:
        with pytest.raises(DataError, match=r"no column 'balanec'; did you mean 'balance'\?"):
            table.blocks(["age", "balanec"])
        with pytest.raises(DataError, match=r"no column 'q'; it has 'age', 'balance', 'country'$"):
            table.blocks(["q"])


def test_no_and_repeated_columns(table_path: Path) -> None:
    with open_table(table_path) as table:
        with pytest.raises(DataError, match="no columns are selected"):
            table.blocks([])
        with pytest.raises(DataError, match="selected twice"):
            table.blocks(["age", "age"])


def test_names_for_a_format_without(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.eye(3))
    with open_table(tmp_path / "a.npy") as table, pytest.raises(DataError, match="columns have no names"):
        table.blocks(["age"])


def test_many_names_are_not_all_shown(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(",".join(f"c{j}" for j in range(100)) + "\n" + ",".join(["1"] * 100) + "\n")
    with open_table(tmp_path / "a.csv") as table, pytest.raises(DataError, match=r"'c11', …$"):
        table.blocks(["nothing"])


def test_each_call_starts_again_and_ends_the_last(table_path: Path) -> None:
    with open_table(table_path, rows_per_block=20) as table:
        first = table.blocks()
        assert next(first).shape[0] == 20
        assert sum(block.shape[0] for block in table.blocks()) == 50
        assert table.rows_read == 50
        with pytest.raises(StopIteration):
            next(first)


def test_closing_ends_the_stream(table_path: Path) -> None:
    with open_table(table_path, rows_per_block=20) as table:
        blocks = table.blocks()
        next(blocks)
    with pytest.raises(StopIteration):
        next(blocks)


def test_progress_grows_to_the_size(table_path: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((50, 3)))
    for path in (table_path, tmp_path / "a.npy"):
        with open_table(path, rows_per_block=20) as table:
            assert table.size == path.stat().st_size
            assert table.bytes_read == 0
            seen = [table.bytes_read for _ in table.blocks()]
            assert seen == sorted(seen)
            assert table.bytes_read == table.size
