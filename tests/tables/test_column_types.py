"""Tests of `tables/column_types.py`."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import kernelspec as ks
from kernelspec.cli.data import checked_blocks
from kernelspec.errors import CellTypeError, DataError, PlanError
from kernelspec.tables.column_types import (
    ColumnTypes,
    Look,
    WrittenColumn,
    first_looks,
    type_of,
)
from kernelspec.tables.formats import open_table
from kernelspec.tables.table_kinds import as_table


def cells(*values: object) -> np.ndarray:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (np.array([1.0, 2.0]), "number"),
        (np.array([1], np.uint8), "whole number"),
        (np.array([True]), "boolean"),
        (np.array(["a"]), "text"),
        (cells("a", "b", None), "text"),
        (cells(1, np.int64(2), None), "whole number"),
        (cells(1, 2.5), "number"),
        (cells(1, float("nan")), "whole number"),
        (cells(Decimal("1"), Decimal("1E+2")), "whole number"),
        (cells(Decimal("1"), Decimal("1.00")), "number"),
        (cells(Fraction(1, 3)), "number"),
        (cells(True, np.True_), "boolean"),
        (cells(True, 1), "category"),
        (cells("1", 1), "category"),
        (cells(None, float("nan")), "unknown"),
        (cells(), "unknown"),
        (cells([1]), "unknown"),
    ],
)
def test_the_type_of_a_column(column: np.ndarray, kind: str) -> None:
    assert type_of(column) == type_of(column[::-1]) == kind


@pytest.mark.parametrize(
    "fields",
    [
        {"whole": (1, 0)},
        {"whole": (0, 0)},
        {"whole": [0]},
        {"whole": (-1,)},
        {"whole": (True,)},
        {"whole": (0.0,)},
        {"whole": (0,), "text": (0,)},
        {"missing": "ignore"},
        {"missing": None},
    ],
)
def test_what_is_no_record(fields: dict) -> None:
    with pytest.raises(PlanError):
        ColumnTypes(**fields)


BOUNDS: dict[type[np.floating], int] = {np.float16: 2**11, np.float32: 2**24, np.float64: 2**53}
"""The first whole numbers that another one, one larger, is rounded to: 1 more than the bits of the fraction."""

Container = Callable[[list[int], type[np.floating]], object]


def cells_of_whole_numbers(values: list[object]) -> np.ndarray:
    """One column of objects."""
    own = np.empty((len(values), 1), dtype=object)
    own[:, 0] = values
    return own


FLOATS: dict[str, Container] = {
    "array": lambda values, kind: np.array(values, dtype=kind)[:, None],
    "big-endian array": lambda values, kind: np.array(values, dtype=np.dtype(kind).newbyteorder(">"))[:, None],
    "objects": lambda values, kind: cells_of_whole_numbers([kind(value) for value in values]),
    "lists": lambda values, kind: [[kind(value)] for value in values],
    "pandas": lambda values, kind: pd.DataFrame({"c": np.array(values, dtype=kind)}),
    "pandas, objects": lambda values, kind: pd.DataFrame(
        {"c": cells_of_whole_numbers([kind(v) for v in values])[:, 0]}, dtype=object
    ),
    "pandas, Arrow": lambda values, kind: pd.DataFrame(
        {"c": pd.array(pa.array(np.array(values, dtype=kind)), dtype=pd.ArrowDtype(pa.from_numpy_dtype(kind)))}
    ),
    "Arrow": lambda values, kind: pa.table({"c": np.array(values, dtype=kind)}),
    "Arrow, gaps": lambda values, kind: pa.table({"c": pa.array([*np.array(values, kind), None])}),
}
WIDE_FLOATS: dict[str, Container] = {  # libraries that do not have all of the types
    "polars": lambda values, kind: pl.DataFrame({"c": np.array(values, dtype=kind)}),
    "pandas, gaps": lambda values, kind: pd.DataFrame({"c": pd.array([*values, None], f"Float{8 * kind().itemsize}")}),
    "pandas, categories": lambda values, kind: pd.DataFrame({"c": pd.Categorical(np.array(values, dtype=kind))}),
    "Arrow, dictionary": lambda values, kind: pa.table({"c": pa.array(np.array(values, kind)).dictionary_encode()}),
    "sparse": lambda values, kind: sparse.csr_array(np.array(values, dtype=kind)[:, None]),
}
EXACT: dict[str, Callable[[list[int]], object]] = {
    "array": lambda values: np.array(values)[:, None],
    "objects": lambda values: cells_of_whole_numbers(list(values)),
    "objects of NumPy": lambda values: cells_of_whole_numbers([np.int64(value) for value in values]),
    "decimals": lambda values: cells_of_whole_numbers([Decimal(value) for value in values]),
    "fractions": lambda values: cells_of_whole_numbers([Fraction(value) for value in values]),
    "lists": lambda values: [[value] for value in values],
    "pandas": lambda values: pd.DataFrame({"c": values}),
    "pandas, gaps": lambda values: pd.DataFrame({"c": pd.array([*values, None], dtype="Int64")}),
    "pandas, objects": lambda values: pd.DataFrame({"c": values}, dtype=object),
    "pandas, Arrow": lambda values: pd.DataFrame({"c": values}, dtype="int64[pyarrow]"),
    "pandas, categories": lambda values: pd.DataFrame({"c": pd.Categorical(values)}),
    "polars": lambda values: pl.DataFrame({"c": values}),
    "polars, gaps": lambda values: pl.DataFrame({"c": [*values, None]}),
    "polars, decimals": lambda values: pl.DataFrame({"c": list(map(Decimal, values))}),
    "Arrow": lambda values: pa.table({"c": values}),
    "Arrow, gaps": lambda values: pa.table({"c": [*values, None]}),
    "Arrow, decimals": lambda values: pa.table({"c": list(map(Decimal, values))}),
    "Arrow, dictionary": lambda values: pa.table({"c": pa.array(values).dictionary_encode()}),
    "sparse": lambda values: sparse.csr_array(np.array(values)[:, None]),
}


def made_for_whole_numbers() -> ks.FeatureMap:
    return ks.compile("match()", data=pd.DataFrame({"c": [1, 2]}), n_features=8, missing="category")


def keys(fmap: ks.FeatureMap, table: object) -> list[bytes]:
    return [row.tobytes() for row in fmap.keys(table)]


def check_floats(fmap: ks.FeatureMap, table: Callable[[list[int]], object], bound: int) -> None:
    """One below the bound is what it says; the bound may have been one more, and so may all that follow."""
    for sign in (1, -1):
        own, whole = keys(fmap, table([sign * (bound - 1)])), keys(fmap, [[sign * (bound - 1)]])
        assert own[:1] == whole
        for beyond in (bound, bound + 1, 2 * bound):
            with pytest.raises(CellTypeError, match=r"in row 1.*a float of this size may be rounded"):
                fmap.transform(table([1, sign * beyond]))


@pytest.mark.parametrize("kind", BOUNDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("form", FLOATS)
def test_floats_that_may_be_rounded_are_no_whole_numbers(form: str, kind: type[np.floating]) -> None:
    check_floats(made_for_whole_numbers(), lambda values: FLOATS[form](values, kind), BOUNDS[kind])


@pytest.mark.parametrize("kind", [np.float32, np.float64], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("form", WIDE_FLOATS)
def test_floats_of_libraries_with_two_types(form: str, kind: type[np.floating]) -> None:
    check_floats(made_for_whole_numbers(), lambda values: WIDE_FLOATS[form](values, kind), BOUNDS[kind])


@pytest.mark.parametrize("form", EXACT)
def test_what_is_no_float_has_no_bound(form: str) -> None:
    fmap = made_for_whole_numbers()
    for signs in ((1,), (-1,), (1, -1)):
        values = [sign * (bound + step) for bound in BOUNDS.values() for step in (-1, 0, 1) for sign in signs]
        found = keys(fmap, EXACT[form](values))[: len(values)]
        assert len(set(found)) == len(values)
        assert found == keys(fmap, np.array(values, dtype=object)[:, None])


def read(fmap: ks.FeatureMap, path: Path) -> list[bytes]:
    with open_table(path) as reader:
        return [key for _, rows in checked_blocks(fmap.plan.layout, reader) for key in keys(fmap, rows)]


def write(path: Path, column: np.ndarray) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.table({"c": column}), path)
    elif path.suffix == ".npy":
        np.save(path, column[:, None])
    elif path.name == "sparse.npz":
        sparse.save_npz(path, sparse.csr_array(column[:, None]))
    elif path.suffix == ".npz":
        np.savez(path, X=column[:, None])
    else:
        lines = [str(cell) if column.dtype.kind == "i" else f"{cell:.1f}" for cell in column.tolist()]
        path.write_text("".join(f"{line}\n" for line in ["c", *lines]))
    return path


@pytest.mark.parametrize("kind", BOUNDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", ["t.parquet", "t.npy", "t.npz"])
def test_floats_in_files(tmp_path: Path, name: str, kind: type[np.floating]) -> None:
    fmap, bound = made_for_whole_numbers(), BOUNDS[kind]
    assert read(fmap, write(tmp_path / name, np.array([bound - 1], kind))) == keys(fmap, [[bound - 1]])
    for beyond in (bound, bound + 1):
        with pytest.raises(DataError, match="a float of this size may be"):
            read(fmap, write(tmp_path / name, np.array([beyond], kind)))


@pytest.mark.parametrize("name", ["t.parquet", "t.npy", "t.npz", "sparse.npz", "t.csv"])
def test_integers_in_files(tmp_path: Path, name: str) -> None:
    fmap = made_for_whole_numbers()
    values = np.array([bound + step for bound in BOUNDS.values() for step in (-1, 0, 1)])
    assert read(fmap, write(tmp_path / name, values)) == keys(fmap, values[:, None])


@pytest.mark.parametrize("name", ["sparse.npz", "t.csv"])
def test_floats_in_files_of_float64(tmp_path: Path, name: str) -> None:
    fmap, path = made_for_whole_numbers(), tmp_path / name
    assert read(fmap, write(path, np.array([2.0**53 - 1]))) == keys(fmap, [[2**53 - 1]])
    for beyond in (2**53, 2**53 + 2):
        with pytest.raises(DataError, match="a float of this size may be"):
            read(fmap, write(path, np.array([float(beyond)])))


def test_digits_that_no_float_has(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"c\n{2**53 + 1}.0\n")  # rounded to 2**53 by every reader of floats
    with pytest.raises(DataError, match=r"9007199254740992.0 in row 1.*a float of this size may be rounded"):
        read(made_for_whole_numbers(), tmp_path / "t.csv")


def test_integers_beside_fractions_in_lists() -> None:
    large = [[2**53, 0.5], [2**53 + 1, 0.5], [2**53 + 2, 1e300]]
    assert as_table(large).tolist() == large
    assert [type(cell) for cell in as_table(large)[2]] == [int, float]
    fmap = ks.compile("match()[c]", columns=["c", "x"], n_features=8)
    assert len(set(keys(fmap, large))) == 3
    for plain in ([[1, 0.5]], [[2**53 - 1, 0.5]], [[2.0**60, 0.5]], [[1e300, 1]], [[float("inf"), 1]]):
        assert as_table(plain).dtype == np.float64


CELLS: list[tuple[str, Look]] = [
    ("", "empty"),
    ("NA", "no value"),
    ("nan", "no value"),
    (" nan ", "other no value"),
    ("NAN", "other no value"),
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
    ("1\u00a0", "text"),
    ("1\n", "text"),
    ("\t1", "whole"),
    (" NA", "text"),
    (" true", "text"),
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
def test_the_type_that_cells_suggest(cells: list[str], kind: str, ambiguous: bool) -> None:
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
