"""One table in many forms has the same features, and a table of another type has none."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import kernelspec as ks
from kernelspec.cli.data import checked_blocks, recorded_from
from kernelspec.errors import CellTypeError, DataError, PlanError
from kernelspec.tables.column_types import NO_VALUES, ColumnTypes
from kernelspec.tables.formats import open_table
from tests.thoroughness import examples

CODES = "match()[c]"
SPEC = "gaussian(scale=2)[x] * match()[c] + 0.5 * match()[d]"

LARGE = [2**53 + 1, 2**60 + 1, 2**60 + 2, 2**63 - 1, -(2**60) - 1]
WORDS = st.text(string.ascii_letters + "01 -", min_size=1, max_size=3).filter(
    lambda word: word.strip() and word not in NO_VALUES  # a column of nothing but "NaN" has no values
)
COLUMNS = {
    "text": WORDS,
    "zeros": st.sampled_from(["01", "1", "001", "10"]),
    "whole": st.integers(-3, 3) | st.sampled_from(LARGE),
    "boolean": st.booleans(),
    "float": st.sampled_from([0.5, -1.25, 3.0, 1e300, 5e-324]),
}


def fit(table: object, n_features: int = 8, **options: object) -> ks.compile:
    return ks.compile(CODES, data=table, n_features=n_features, **options)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    ("train", "test", "said"),
    [
        ([1, 2], [1, 2, "X"], "'X' in row 2, but the map was made for whole numbers"),
        ([1, 2], ["1", "2"], "'1' in row 0, but the map was made for whole numbers"),
        ([1, 2], [True], "True in row 0, but the map was made for whole numbers"),
        ([1, 2], [1, 2.5], "2.5 in row 1, but the map was made for whole numbers"),
        ([1, 2], [1.0, 2.0**60], "in row 1, but the map was made for whole numbers"),
        ([1.5], ["1.5"], "'1.5' in row 0, but the map was made for numbers"),
        ([1.5], [True], "True in row 0, but the map was made for numbers"),
        ([True], [1], "1 in row 0, but the map was made for true and false"),
        ([True], ["true"], "'true' in row 0, but the map was made for true and false"),
        (["a"], ["a", 1], "1 in row 1, but the map was made for text"),
        (["1"], [1], "1 in row 0, but the map was made for text"),
    ],
)
@pytest.mark.parametrize("form", ["object", "frame", "list"])
def test_categories_of_another_type_are_refused(train: list, test: list, said: str, form: str) -> None:
    def table(cells: list) -> object:
        own = np.empty((len(cells), 1), dtype=object)
        own[:, 0] = cells
        return {"object": own, "frame": pd.DataFrame({"c": own[:, 0]}), "list": [[cell] for cell in cells]}[form]

    columns = {} if form == "frame" else {"columns": ["c"]}
    mixed = form == "list" and len({type(cell) for cell in test} & {int, float, bool}) > 1
    with pytest.raises(CellTypeError, match=said if not mixed else "the map was made for"):
        fit(table(train), **columns).transform(table(test))


def test_what_means_the_same_is_the_same() -> None:
    whole, floats = np.array([[1], [2], [3]]), np.array([[1.0], [2.0], [3.0]])
    for train in (whole, floats):
        fmap = fit(train, columns=["c"])
        assert (fmap.keys(whole) == fmap.keys(floats)).all()
        decimals = np.array([[Decimal(1)], [Decimal("2.00")], [Decimal("3E0")]], dtype=object)
        assert (fmap.keys(whole) == fmap.keys(decimals)).all()
    mixed = fit([["a"], [1]], columns=["c"])
    assert mixed.plan.layout.types == ColumnTypes(category=(0,))
    assert (mixed.keys([[1], ["a"]]) == fmap.keys(whole)[:1]).all(axis=1).tolist() == [True, False]


def test_missing_numbers_are_refused_all_the_same() -> None:
    with pytest.raises(PlanError, match="missing must be 'refuse' or 'category'"):
        ks.compile(CODES, columns=["c"], n_features=8, missing="drop")  # type: ignore[arg-type]
    fmap = ks.compile("gaussian()[x] * match()[c]", columns=["x", "c"], n_features=8, missing="category")
    fmap.transform(np.array([[1.0, np.nan]]))
    for table in (np.array([[1.0, 2], [np.nan, 2]]), pd.DataFrame({"x": [1, None], "c": ["a", "b"]})):
        with pytest.raises(DataError, match="NaN in row 1, column 'x'"):
            fmap.transform(table)
    with pytest.raises(DataError, match="infinity in row 0, column 'c'"):
        fmap.transform(np.array([[1.0, np.inf]]))
    both = ks.compile("gaussian()[c] * match()[c]", columns=["c"], n_features=8, missing="category")
    with pytest.raises(DataError, match="NaN in row 0, column 'c'"):
        both.transform(np.array([[np.nan]]))


def test_the_transformer_records_types() -> None:
    frame = pd.DataFrame({"x": [0.5, 1, 2], "c": [1, 2, 3], "d": ["a", "b", None]})
    features = clone(ks.KernelFeatures(SPEC, missing="category", n_features=16)).fit(frame)
    assert features.feature_map_.plan.layout.types == ColumnTypes(whole=(1,), text=(2,), missing="category")
    features.transform(frame)
    with pytest.raises(CellTypeError, match="column 'c' holds 'X' in row 2"):
        features.transform(frame.assign(c=[1, 2, "X"]))
    text = ks.KernelFeatures(SPEC, missing="category", text=["c"], n_features=16)
    with pytest.raises(CellTypeError, match="column 'c' holds 1 in row 0, but the map was made for text"):
        text.fit(frame)
    with pytest.warns(ks.UnmetKeysWarning):
        text.fit(frame.astype({"c": str})).transform(frame.assign(c=["1", "2", "X"]))


@pytest.mark.parametrize("kind", [pd.Index, np.array, tuple])
def test_columns_of_text_in_any_list(kind: Callable[[list[str]], Any]) -> None:
    frame = pd.DataFrame({"x": np.linspace(0, 1, 40), "zip": ["1", "2"] * 20})
    spec = "gaussian()[x]*match()[zip]"
    features = ks.KernelFeatures(spec, text=kind(["zip"]), n_features=8).fit(frame)
    assert features.feature_map_.plan.layout.types.text == (1,)
    model = ks.KernelRegressor(spec, text=kind(["zip"]), solver="features", n_features=8)
    model.fit(frame, np.sin(9 * frame["x"]))
    assert model.fmap_ is not None
    assert model.fmap_.plan.layout.types.text == (1,)


@pytest.mark.parametrize("text", ["zip", 0, 1])
def test_text_is_a_list_of_columns(text: Any) -> None:
    frame = pd.DataFrame({"x": np.linspace(0, 1, 40), "zip": ["1", "2"] * 20})
    said = re.escape(f"text must be a list of columns, such as [{text!r}], not {text!r}")
    with pytest.raises(DataError, match=said):
        ks.KernelFeatures("match()[zip]", text=text).fit(frame)
    with pytest.raises(DataError, match=said):
        ks.KernelRegressor("match()[zip]", text=text).fit(frame, frame["x"])
    with pytest.raises(DataError, match=said):
        ks.compile("match()[zip]", data=frame, text=text)


def test_a_saved_map_keeps_its_types(tmp_path: Path) -> None:
    fmap = fit(pd.DataFrame({"c": [1, 2]}), missing="category")
    fmap.save(tmp_path / "map.npz")
    again = ks.load_map(tmp_path / "map.npz")
    assert again.plan.layout == fmap.plan.layout
    other = ks.compile(CODES, columns=["c"], n_features=4, types=again.plan.layout.types)
    assert other.plan.layout.types == fmap.plan.layout.types


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    """A table of numbers and of categories of two types."""
    n = draw(st.integers(1, 12))
    columns = {"x": draw(st.lists(st.floats(-3, 3), min_size=n, max_size=n))}
    for name in ("c", "d"):
        cells = COLUMNS[draw(st.sampled_from(sorted(COLUMNS)))]
        columns[name] = draw(st.lists(cells, min_size=n, max_size=n))
    return pl.DataFrame(columns)


def features_of(fmap: object, path: Path, rows: int) -> np.ndarray:
    with open_table(path, rows_per_block=rows, columns=3) as reader:
        blocks = [fmap.transform(part).toarray() for _, part in checked_blocks(fmap.plan.layout, reader)]  # type: ignore[attr-defined]
    return np.concatenate(blocks)


@pytest.mark.slow
@settings(max_examples=examples(15))
@given(frames(), st.integers(1, 14))
def test_every_format_gives_the_same_bits(frame: pl.DataFrame, rows: int) -> None:
    fmap = ks.compile(SPEC, columns=["x", "c", "d"], data=frame, n_features=12, method="paired")
    expected = fmap.transform(frame).toarray()
    with TemporaryDirectory() as folder:
        for name in ("t.csv", "t.tsv", "t.parquet"):
            path = Path(folder) / name
            if name == "t.parquet":
                frame.write_parquet(path)
            else:
                frame.write_csv(path, separator="\t" if name == "t.tsv" else ",")
            assert (features_of(fmap, path, rows) == expected).all()
    for table in (frame.to_pandas(), frame.to_arrow(), np.array(frame.rows(), dtype=object)):
        assert (fmap.transform(table).toarray() == expected).all()


@pytest.mark.slow
@settings(max_examples=examples(15))
@given(frames(), st.integers(1, 14))
def test_numbers_have_the_same_bits_in_arrays(frame: pl.DataFrame, rows: int) -> None:
    numbers = frame.with_columns(c=pl.arange(frame.height) % 3, d=pl.arange(frame.height) % 2).to_numpy().astype(float)
    fmap = ks.compile(SPEC, data=numbers, columns=["x", "c", "d"], n_features=12, method="paired")
    expected = fmap.transform(numbers).toarray()
    with TemporaryDirectory() as folder:
        np.save(Path(folder) / "t.npy", numbers)
        np.savez(Path(folder) / "t.npz", X=numbers)
        pd.DataFrame(numbers, columns=["x", "c", "d"]).to_csv(Path(folder) / "t.csv", index=False)
        lines = [f"0 1:{x!r} 2:{c!r} 3:{d!r}\n" for x, c, d in numbers.tolist()]
        (Path(folder) / "t.svm").write_text("".join(lines))
        sparse.save_npz(Path(folder) / "sparse.npz", sparse.csr_array(numbers))
        for name in ("t.npy", "t.npz", "t.csv", "t.svm", "sparse.npz"):
            assert (features_of(fmap, Path(folder) / name, rows) == expected).all()


@pytest.mark.slow
@settings(max_examples=examples(15), derandomize=True, database=None)
@given(frames(), st.randoms(), st.integers(1, 14), st.integers(1, 14))
def test_neither_the_order_of_rows_nor_blocks_matter(frame: pl.DataFrame, random: object, one: int, two: int) -> None:
    order = list(range(frame.height))
    random.shuffle(order)  # type: ignore[attr-defined]
    fmap = ks.compile(SPEC, columns=["x", "c", "d"], n_features=12, method="paired")
    found, types = [], []
    with TemporaryDirectory() as folder:
        for rows, table in ((one, frame), (two, frame[order])):
            path = Path(folder) / "t.csv"
            table.write_csv(path)
            with open_table(path, rows_per_block=rows) as reader:
                layout = recorded_from(fmap.plan.layout, reader)
                types.append(layout.types)
                read = [part for _, part in checked_blocks(layout, reader)]
            found.append(np.concatenate([fmap.transform(part).toarray() for part in read]))
    assert types[0] == types[1]
    assert (found[0][order] == found[1]).all()
