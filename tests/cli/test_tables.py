"""Which columns of a file a spec is applied to, and which are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from kernelspec.cli.data import check_width, columns_of, columns_read, columns_shown
from kernelspec.elaboration.data_columns import layout_of
from kernelspec.errors import DataError, DimensionError
from kernelspec.tables.formats import open_table
from kernelspec.tables.layout import Layout


@pytest.fixture
def named(tmp_path: Path) -> Path:
    path = tmp_path / "named.csv"
    pd.DataFrame(np.ones((2, 3)), columns=["a", "b", "c"]).to_csv(path, index=False)
    return path


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain.npy"
    np.save(path, np.ones((2, 3)))
    return path


def columns(text: str, path: Path, dim: int | None = None, names: Sequence[str] | None = None) -> object:
    with open_table(path) as reader:
        found = columns_of(ks.parse(text), reader, dim, names)
    return found.names or found.count


@pytest.mark.parametrize(
    ("text", "names", "found"),
    [
        ("gaussian()", None, ("a", "b", "c")),  # applied to all
        ("gaussian()[c] * match()[a]", None, ("c", "a")),  # only to what it names
        ("gaussian()[c] + laplace()", None, ("a", "b", "c")),  # a part applies to all
        ("gaussian()[c]", ("b", "c"), ("b", "c")),  # as asked for
        ("gaussian()", ("c",), ("c",)),
    ],
)
def test_columns_of_a_file_with_names(
    named: Path, text: str, names: Sequence[str] | None, found: tuple[str, ...]
) -> None:
    assert columns(text, named, names=names) == found


def test_columns_of_a_file_without_names(plain: Path) -> None:
    assert columns("gaussian()", plain) == 3
    assert columns("gaussian()[x]", plain, names=("x", "y", "z")) == ("x", "y", "z")
    with pytest.raises(DataError, match=r"plain\.npy: has 3 columns, and --columns names 2"):
        columns("gaussian()", plain, names=("x", "y"))
    with pytest.raises(DataError, match=r"plain\.npy: its columns have no names, and the spec selects x, y by name"):
        columns("gaussian()[x] * laplace()[y]", plain)


def test_dim_must_agree_with_the_names(named: Path) -> None:
    assert columns("gaussian()", named, dim=3) == ("a", "b", "c")
    with pytest.raises(DimensionError):
        columns("gaussian()", named, dim=2)


def test_only_columns_in_use_are_read(named: Path, plain: Path) -> None:
    names = ("a", "b", "c")
    with open_table(named) as reader:
        assert columns_read(Layout(3, names, (2,), (0,)), reader) == ["a", "c"]
        assert columns_read(Layout(3, ("c", "b", "a"), (2, 1), (1,)), reader) == ["b", "a"]
        assert columns_read(Layout(3, names, (), ()), reader) is None
        assert columns_read(Layout(3, None, (2,), ()), reader) is None
    with open_table(plain) as reader:
        assert columns_read(Layout(3, names, (2,), ()), reader) is None


def test_width_counts_where_columns_go_by_position(named: Path, plain: Path) -> None:
    with open_table(plain) as reader:
        check_width(Layout(3, ("a", "b", "c"), (0,), ()), reader)
        for names in (None, ("a", "b")):
            with pytest.raises(DataError, match=r"plain\.npy: has 3 columns, and the kernel is applied to 2"):
                check_width(Layout(2, names, (0,), ()), reader)
    with open_table(named) as reader:
        check_width(Layout(1, ("b",), (0,), ()), reader)
        with pytest.raises(DataError, match="has 3 columns"):
            check_width(Layout(1, None, (0,), ()), reader)


def dropping(text: str, path: Path, *dropped: str) -> object:
    with open_table(path) as reader:
        return columns_of(ks.parse(text), reader, None, None, dropped).names


def test_dropped_columns_are_not_what_a_kernel_of_all_columns_is_applied_to(named: Path, plain: Path) -> None:
    assert dropping("gaussian()", named, "b") == ("a", "c")
    assert dropping("gaussian()", named, "c", "a") == ("b",)
    assert dropping("gaussian()[c]", named, "a") == ("c",)
    assert dropping("gaussian()[c] + laplace()", named, "a") == ("b", "c")
    for text, dropped, said in (
        ("gaussian()", ["d"], r"named\.csv: there is no column 'd' to drop"),
        ("gaussian()[c]", ["c"], r"named\.csv: column 'c' is to be dropped, and the spec selects it"),
        ("gaussian()", ["a", "b", "c"], r"named\.csv: all of its columns are to be dropped"),
    ):
        with pytest.raises(DataError, match=said):
            dropping(text, named, *dropped)
    with pytest.raises(DataError, match=r"plain\.npy: its columns have no names: none can be dropped"):
        dropping("gaussian()", plain, "a")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("gaussian()", "a, b, c (3 of 3)"),
        ("gaussian()[c] * match()[a]", "c, a (2 of 3)"),
    ],
)
def test_columns_in_words(named: Path, text: str, shown: str) -> None:
    with open_table(named) as reader:
        spec = ks.parse(text)
        table = columns_of(spec, reader, None, None)
        assert columns_shown(layout_of(spec.kernel(table), table), reader) == shown


def test_many_columns_in_words(tmp_path: Path, plain: Path) -> None:
    wide = tmp_path / "wide.csv"
    pd.DataFrame(np.ones((2, 1500)), columns=[f"c{i}" for i in range(1500)]).to_csv(wide, index=False)
    with open_table(wide) as reader:
        table = columns_of(ks.parse("gaussian()"), reader, None, None)
        shown = columns_shown(layout_of(ks.parse("gaussian()").kernel(table), table), reader)
    assert shown == "c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11 and 1,488 more (1,500 of 1,500)"
    with open_table(plain) as reader:
        assert columns_shown(Layout(3, None, (0,), (2,)), reader) == "2 of 3"
