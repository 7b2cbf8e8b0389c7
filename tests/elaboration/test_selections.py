"""Which columns `k[…]` means: names refer to the data, positions to the enclosing selection."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import ColumnError

NAMES = ["a", "b", "c", "e"]
X = np.random.default_rng(0).normal(size=(5, 4))


def matrix(columns: list[int]) -> np.ndarray:
    """exp(−Σ|Δ|) on some of the columns."""
    return np.exp(-sum(np.abs(np.subtract.outer(X[:, i], X[:, i])) for i in columns))


@pytest.mark.parametrize(
    ("selection", "columns"),
    [
        ("[b]", [1]),
        ("[a, e]", [0, 3]),
        ("[1]", [1]),
        ("[-1]", [3]),
        ("[0:2]", [0, 1]),
        ("[1:]", [1, 2, 3]),
        ("[:-1]", [0, 1, 2]),
        ("[-2:]", [2, 3]),
        ("[:]", [0, 1, 2, 3]),
        ("[a, 2:4]", [0, 2, 3]),
        ("[1][b, e]", [3]),
        ("[e][1:]", [3]),
        ("[1:][0:3][-3:]", [2, 3]),
        ('["c"]', [2]),
    ],
)
def test_positions_and_names(selection: str, columns: list[int]) -> None:
    spec = ks.parse(f"laplace(){selection}")
    np.testing.assert_allclose(spec.gram(X, columns=NAMES), matrix(columns), rtol=1e-12)
    assert set(ks.analyze(spec, columns=NAMES).kernel.free_symbols) == {
        s for i in columns for s in ks.analyze(f"laplace()[{NAMES[i]}]", columns=NAMES).kernel.free_symbols
    }


def test_d_is_the_number_selected() -> None:
    expected = np.exp(
        -np.abs(np.subtract.outer(X[:, 0], X[:, 0])) / 3 - np.abs(np.subtract.outer(X[:, 1], X[:, 1])) / 3
    )
    np.testing.assert_allclose(ks.parse("laplace(d + 1)[0:2]").gram(X), expected)


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ("[f]", "there is no column 'f'; there are a, b, c, e"),
        ("[E]", "there is no column 'E'; did you mean 'e'?"),
        ("[4]", "there is no column 4: there are 4 columns, 0 to 3"),
        ("[-5]", "there is no column -5: there are 4 columns, 0 to 3"),
        ("[2][a]", "there is no column 2: there is one column, 0"),
        ("[0:5]", "the slice leaves the table: there are 4 columns, 0 to 3"),
        ("[2:2]", "this slice selects no column"),
        ("[a, 0]", "column 'a' is selected twice: name each column once"),
        ("[0:3, -2]", "column 'c' is selected twice: name each column once"),
    ],
)
def test_refused(selection: str, message: str) -> None:
    with pytest.raises(ColumnError) as caught:
        ks.parse(f"laplace(){selection}").gram(X, columns=NAMES)
    assert caught.value.message == message


def test_names_need_names() -> None:
    with pytest.raises(ColumnError, match="this table has no column names"):
        ks.parse("laplace()[a]").gram(X)


def test_two_columns_of_one_name() -> None:
    with pytest.raises(ColumnError, match="several columns are called 'a': select by position"):
        ks.parse("laplace()[a]").gram(X[:, :2], columns=["a", "a"])


@pytest.mark.parametrize("selection", ["[-1]", "[1:]", "[:-1]"])
def test_counting_from_the_end_needs_the_end(selection: str) -> None:
    with pytest.raises(ColumnError, match="needs the number of columns"):
        ks.analyze(f"laplace(){selection}")


def test_twice_the_same_name_is_seen_at_once() -> None:
    with pytest.raises(ColumnError, match="column 'a' is selected twice"):
        ks.parse("laplace()[a, b, a]")


def test_twice_the_same_position_is_seen_without_names() -> None:
    for selection, column in (("[0:3, 2]", 2), ("[1, 0:2]", 1), ("[0:2, 1:4]", 1), ("[3, 3]", 3)):
        with pytest.raises(ColumnError, match=f"column {column} is selected twice"):
            ks.parse(f"laplace(){selection}").gram(X)


def test_a_column_of_a_name_that_another_has_is_selected_by_position() -> None:
    chosen = ks.parse("laplace()[0:2]").gram(X[:, :3], columns=["a", "a", "b"])
    np.testing.assert_allclose(chosen, matrix([0, 1]), rtol=1e-12)
