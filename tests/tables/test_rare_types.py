"""Every type that a column of a library can have: features of what it means, or an error that names column and type."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from scipy import sparse

import kernelspec as ks
from kernelspec.cli import main
from kernelspec.errors import CellTypeError, DataError

LARGE = [2**100 + 1, 2**100 + 2, 2**100 + 1]
NUMBERS, FRACTIONS = [1, 2, 1], [Decimal("1.5"), Decimal("2.5"), Decimal("1.5")]
TEXT, BYTES, TRUTHS, EMPTY = ["a", "b", "a"], [b"a", b"b", b"a"], [True, False, True], [None, None, None]
DAYS = [dt.date(2020, 1, 1), dt.date(2020, 1, 2), dt.date(2020, 1, 1)]
TIMES = [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 1)]
HOURS, SPANS = [dt.time(1), dt.time(2), dt.time(1)], [dt.timedelta(1), dt.timedelta(2), dt.timedelta(1)]
LISTS, FIELDS, COMPLEX = [[1], [2], [1]], [{"a": 1}, {"a": 2}, {"a": 1}], [1j, 2j, 1j]

Said = list[object] | str
"""What three cells mean, or what is said of their type where they are refused."""

NO_TIMES, NO_VALUE, NO_COMPLEX = "dates or times", "NaN", "Complex data not supported"

DATES = "compare days(t)"
"""What match() answers for the dates of DAYS and TIMES: as numbers they are days since 1970."""


def objects(values: list[object]) -> np.ndarray:
    """One column of objects."""
    own = np.empty((len(values), 1), dtype=object)
    own[:, 0] = np.fromiter(values, dtype=object, count=len(values))
    return own


def check(table: object, said: Said) -> None:
    """Gaussian features and keys of the meaning, or errors of kernelspec that name the column and say its type."""
    gaussian = ks.compile("gaussian(scale=1e30)[c]", columns=["c"], n_features=8)
    match = ks.compile("match()[c]", columns=["c"], n_features=8)
    fitted = [lambda: ks.compile("match()", data=table, n_features=8).transform(table)]
    if said == DATES:
        np.testing.assert_array_equal(gaussian.transform(table), gaussian.transform([[18262.0], [18263.0], [18262.0]]))
        gaussian = ks.compile("linear()*match()[c]", columns=["c"], n_features=8)
    for features in (lambda: gaussian.transform(table), lambda: match.keys(table), *fitted):
        if isinstance(said, str):
            with pytest.raises(DataError) as refused:
                features()
            assert said in str(refused.value)
            assert said == NO_COMPLEX or "column 'c'" in str(refused.value) or "column 0" in str(refused.value)
    if isinstance(said, str):
        return
    meant = objects(said)
    assert (match.keys(table) == match.keys(meant)).all()
    assert [[a == b for b in said] for a in said] == np.equal.outer(*[match.keys(table)[:, 0]] * 2).tolist()
    if any(isinstance(cell, str) for cell in said):
        with pytest.raises(CellTypeError, match=r"column 'c' holds '.' in row .: the kernel needs numbers there"):
            gaussian.transform(table)
    else:
        floats = np.array([[float(cell)] for cell in said])
        np.testing.assert_allclose(gaussian.transform(table), gaussian.transform(floats), rtol=1e-6)


def of_polars() -> dict[str, tuple[pl.Series, Said]]:
    kinds: dict[str, tuple[list[object], object, Said]] = {
        "Decimal": (FRACTIONS, pl.Decimal(10, 1), FRACTIONS),
        "whole Decimal": ([Decimal(cell) for cell in LARGE], pl.Decimal(38, 0), LARGE),
        "String": (TEXT, pl.String, TEXT),
        "Categorical": (TEXT, pl.Categorical, TEXT),
        "Enum": (TEXT, pl.Enum(["b", "a"]), TEXT),
        "Boolean": (TRUTHS, pl.Boolean, TRUTHS),
        "Object of numbers": (NUMBERS, pl.Object, NUMBERS),
        "Object of text": (TEXT, pl.Object, TEXT),
        "Object": (LISTS, pl.Object, "[1]"),
        "Binary": (BYTES, pl.Binary, "bytes"),
        "Null": (EMPTY, pl.Null, NO_VALUE),
        "List": (LISTS, pl.List(pl.Int64), "[1]"),
        "Array": ([[1, 2], [2, 3], [1, 2]], pl.Array(pl.Int64, 2), "list"),
        "Array of one": (LISTS, pl.Array(pl.Int64, 1), "[1]"),
        "Struct": (FIELDS, pl.Struct({"a": pl.Int64}), "dict"),
        "Date": (DAYS, pl.Date, DATES),
        "Datetime": (TIMES, pl.Datetime, DATES),
        "Datetime with a zone": (TIMES, pl.Datetime("us", "UTC"), DATES),
        "Duration": (SPANS, pl.Duration, NO_TIMES),
        "Time": (HOURS, pl.Time, "time"),
    }
    for name in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64"):
        kinds[name] = NUMBERS, getattr(pl, name), NUMBERS
    for name in ("Float16", "Int128", "UInt128"):
        if hasattr(pl, name):  # of newer versions
            kinds[name] = NUMBERS, getattr(pl, name), NUMBERS
            if name != "Float16":
                kinds[f"large {name}"] = LARGE, getattr(pl, name), LARGE
    if hasattr(pl, "Map"):
        kinds["Map"] = FIELDS, pl.Map(pl.String, pl.Int64), "dict"
    return {name: (pl.Series("c", cells, dtype=kind), said) for name, (cells, kind, said) in kinds.items()}


POLARS = of_polars()


@pytest.mark.parametrize("name", POLARS)
def test_polars(name: str) -> None:
    column, said = POLARS[name]
    check(pl.DataFrame({"c": column}), said)


def of_arrow() -> dict[str, tuple[pa.Array, Said]]:
    found: dict[str, tuple[pa.Array, Said]] = {}
    for kind in (
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        *(pa.float32(), pa.float64()),
    ):
        found[str(kind)] = pa.array(NUMBERS, kind), NUMBERS
    found["float16"] = pa.array(np.array(NUMBERS, np.float16)), NUMBERS
    for kind in (pa.decimal32(4, 1), pa.decimal64(9, 1), pa.decimal128(9, 1), pa.decimal256(50, 1)):
        found[str(kind)] = pa.array(FRACTIONS, kind), FRACTIONS
    found["large decimals"] = pa.array(list(map(Decimal, LARGE)), pa.decimal256(60, 0)), LARGE
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        found[str(kind)] = pa.array(TEXT, kind), TEXT
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(1)):
        found[str(kind)] = pa.array(BYTES, kind), "bytes"
    for name, cells in {"text": TEXT, "numbers": NUMBERS, "fractions": FRACTIONS}.items():
        found[f"dictionary of {name}"] = pa.array(cells).dictionary_encode(), cells
        runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 2, 3], pa.int32()), pa.array(cells))
        found[f"runs of {name}"] = runs, cells
    found["dictionary of bytes"] = pa.array(BYTES).dictionary_encode(), "bytes"
    found["dictionary of dates"] = pa.array(DAYS).dictionary_encode(), DATES
    found["runs of lists"] = pa.RunEndEncodedArray.from_arrays([1, 2, 3], pa.array(LISTS)), "[1]"
    found["runs of bytes"] = pa.RunEndEncodedArray.from_arrays([1, 2, 3], pa.array(BYTES)), "bytes"
    for name, kind in {
        "list": pa.list_(pa.int64()),
        "large list": pa.large_list(pa.int64()),
        "list view": pa.list_view(pa.int64()),
        "list of one": pa.list_(pa.int64(), 1),
    }.items():
        found[name] = pa.array(LISTS, kind), "[1]"
    found["map"] = pa.array([[("a", 1)], [("b", 1)], [("a", 1)]], pa.map_(pa.string(), pa.int64())), "list"
    found["struct"] = pa.array(FIELDS), "dict"
    found["null"] = pa.nulls(3), NO_VALUE
    for kind in (pa.date32(), pa.date64()):
        found[str(kind)] = pa.array(DAYS, kind), DATES
    for kind in (pa.timestamp("s"), pa.timestamp("ns", "UTC")):
        found[str(kind)] = pa.array(TIMES, kind), DATES
    found["duration"] = pa.array(SPANS), NO_TIMES
    for kind in (pa.time32("s"), pa.time64("ns")):
        found[str(kind)] = pa.array(HOURS, kind), "time"
    months = [pa.MonthDayNano([m, 2, 3]) for m in NUMBERS]
    found["interval"] = pa.array(months), "a cell given as"
    which, parts = pa.array([0, 1, 0], pa.int8()), [pa.array([1, 5, 1]), pa.array(["x", "b", "y"])]
    found["union"] = pa.UnionArray.from_sparse(which, parts), [1, "b", 1]
    places = pa.array([0, 1, 2], pa.int32())
    found["dense union"] = pa.UnionArray.from_dense(which, places, parts), [1, "b", 1]
    found["uuid"] = pa.array([16 * cell for cell in BYTES], pa.uuid()), "a cell given as"
    found["json"] = pa.ExtensionArray.from_storage(pa.json_(), pa.array(["1", "2", "1"])), ["1", "2", "1"]
    found["bool8"] = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, 1], pa.int8())), TRUTHS
    opaque = pa.opaque(pa.int64(), "x", "y")
    found["opaque"] = pa.ExtensionArray.from_storage(opaque, pa.array(NUMBERS)), NUMBERS
    tensor = pa.fixed_shape_tensor(pa.int64(), [1])
    lists = pa.array(LISTS, pa.list_(pa.int64(), 1))
    found["tensor"] = pa.ExtensionArray.from_storage(tensor, lists), "[1]"
    found["bool"] = pa.array(TRUTHS), TRUTHS
    return found


ARROW = of_arrow()
NO_PARQUET = ("runs of", "list view", "interval", "union", "dense union")


@pytest.mark.parametrize("name", ARROW)
def test_arrow(name: str) -> None:
    column, said = ARROW[name]
    check(pa.table({"c": column}), said)
    check(pa.table({"c": pa.chunked_array([column[:1], column[1:1], column[1:]])}), said)


@pytest.mark.parametrize("name", [name for name in ARROW if not name.startswith(NO_PARQUET)])
def test_parquet_on_the_command_line(tmp_path: Path, name: str) -> None:
    column, said = ARROW[name]
    pq.write_table(pa.table({"c": column}), tmp_path / "t.parquet")
    for kernel in ("gaussian(scale=1e30)[c]", "match()[c]"):
        arguments = ["features", "-e", kernel, str(tmp_path / "t.parquet"), "-o", str(tmp_path / "f.npz"), "-q"]
        run = CliRunner().invoke(main, arguments)
        wrong = isinstance(said, str) or (kernel[0] == "g" and any(isinstance(cell, str) for cell in said))
        refused = wrong and (said != DATES or kernel[0] == "m")
        assert run.exit_code == (2 if refused else 0), run.output
        assert isinstance(run.exception, SystemExit | None)
        if refused:
            assert f"{tmp_path / 't.parquet'}: " in run.output
            assert "column 'c'" in run.output
        if refused and isinstance(said, str):
            assert said in run.output


def of_pandas() -> dict[str, tuple[pd.Series, Said]]:
    found: dict[str, tuple[pd.Series, Said]] = {}
    for kind in ("Int8", "UInt64", "Float32", "Float64", "int8", "uint64", "float16", "float32", "int64[pyarrow]"):
        found[kind] = pd.Series(NUMBERS, dtype=kind), NUMBERS
    for kind in ("boolean", "bool", "bool[pyarrow]"):
        found[kind] = pd.Series(TRUTHS, dtype=kind), TRUTHS
    for kind in ("string", "string[pyarrow]", "object", "category"):
        found[kind] = pd.Series(TEXT, dtype=kind), TEXT
    found["categories of numbers"] = pd.Series(NUMBERS, dtype="category"), NUMBERS
    found["categories of several types"] = pd.Series([1, "b", 1], dtype="category"), [1, "b", 1]
    found["categories of intervals"] = pd.cut(pd.Series(NUMBERS), 2), "Interval"
    found["period"] = pd.Series(pd.PeriodIndex(["2020-01", "2020-02", "2020-01"], freq="M")), "Period"
    found["interval"] = pd.Series(pd.arrays.IntervalArray.from_tuples([(0, 1), (1, 2), (0, 1)])), "Interval"
    found["sparse"] = pd.Series(pd.arrays.SparseArray([1, 0, 1])), [1, 0, 1]
    found["sparse floats"] = pd.Series(pd.arrays.SparseArray([1.5, 0, 1.5])), [1.5, 0, 1.5]
    found["sparse truth values"] = pd.Series(pd.arrays.SparseArray(TRUTHS)), TRUTHS
    found["sparse with gaps"] = pd.Series(pd.arrays.SparseArray([1.0, np.nan, 1.0])), NO_VALUE
    found["complex"] = pd.Series(COMPLEX), "complex"
    found["datetime"], found["timedelta"] = (pd.Series(TIMES), DATES), (pd.Series(SPANS), NO_TIMES)
    found["datetime with a zone"] = pd.Series(TIMES).dt.tz_localize("UTC"), DATES
    for cells in (DAYS, BYTES, LISTS, FIELDS, COMPLEX, HOURS):
        kind = type(cells[0]).__name__
        found[f"objects, {kind}"] = pd.Series(cells, dtype=object), DATES if cells is DAYS else kind
    found["objects, large"] = pd.Series(LARGE, dtype=object), LARGE
    found["objects, Decimal"] = pd.Series(FRACTIONS, dtype=object), FRACTIONS
    found["objects, None"] = pd.Series(EMPTY, dtype=object), NO_VALUE
    for name, (column, said) in ARROW.items():
        own = pd.Series(pd.array(column, dtype=pd.ArrowDtype(column.type)))
        found[f"Arrow, {name}"] = own, said
    return found


PANDAS = of_pandas()


@pytest.mark.parametrize("unit", "YMWDhms")
def test_dates_of_any_unit_in_a_dict(unit: str) -> None:
    dates = np.array(["2024-02-28T01", "2026-03-01T02"], dtype=f"datetime64[{unit}]")
    days = (dates.astype("datetime64[s]").astype(float) / 86400)[:, None]
    spec = ks.parse("gaussian(scale=500)")
    assert spec.gram({"t": dates})[0, 1] == spec.gram(days)[0, 1]


@pytest.mark.parametrize("gap", [None, float("nan"), pd.NA, pd.NaT], ids=repr)
@pytest.mark.parametrize("cells", [TEXT, TRUTHS, [2**60, 2**60 + 1], TIMES, FRACTIONS], ids=str)
def test_gaps_in_a_dict(cells: list[Any], gap: object) -> None:
    gaps = ks.parse("match()[is_missing(c)]") if cells in (TIMES, FRACTIONS) else None
    written = [*cells, gap]
    for column in (written, objects(written)[:, 0]):
        if gaps is not None:
            assert gaps.gram({"c": column})[-1].tolist() == [0.0] * len(cells) + [1.0]
        else:
            fmap = ks.compile("match()", data={"c": column}, n_features=8, missing="category")
            assert (fmap.keys({"c": column}) == fmap.keys(objects([*cells, None]))).all()


def test_large_numbers_beside_fractions_in_a_dict_are_refused() -> None:
    with pytest.raises(DataError, match="a dict must map names to columns"):
        ks.parse("match()").gram({"c": [2**60, 2**60 + 1, 0.5]})


def test_a_column_of_polars_without_a_type_has_none() -> None:
    fmap = ks.compile("match()[c]", data=pl.DataFrame({"c": [None, None]}), n_features=8, missing="category")
    assert fmap.plan.layout.type_at(0) == "unknown"
    assert fmap.transform(pl.DataFrame({"c": ["a", None]})).shape[0] == 2


@pytest.mark.parametrize("name", PANDAS)
def test_pandas(name: str) -> None:
    column, said = PANDAS[name]
    check(pd.DataFrame({"c": column}), said)


def of_numpy() -> dict[str, tuple[object, Said]]:
    found: dict[str, tuple[object, Said]] = {
        "bool": (np.array(TRUTHS)[:, None], TRUTHS),
        "bytes": (np.array(BYTES)[:, None], "bytes"),
        "text": (np.array(TEXT)[:, None], TEXT),
        "text of any length": (np.array(TEXT, dtype=np.dtypes.StringDType())[:, None], TEXT),
        "datetime64": (np.array(DAYS, dtype="datetime64[D]")[:, None], DATES),
        "datetime64, hours": (np.array(DAYS, dtype="datetime64[h]")[:, None], DATES),
        "timedelta64": (np.array(SPANS, dtype="timedelta64[s]")[:, None], NO_TIMES),
        "complex": (np.array(COMPLEX)[:, None], NO_COMPLEX),
        "records": (np.zeros((3, 1), dtype=[("a", "f8")]), "tuple"),
        "void": (np.zeros((3, 1), dtype="V3"), "bytes"),
        "masked": (np.ma.masked_array(objects(NUMBERS), mask=[[False], [False], [True]]), NO_VALUE),
        "sparse": (sparse.csr_array(np.array(NUMBERS)[:, None]), NUMBERS),
        "sparse, complex": (sparse.csr_array(np.array(COMPLEX)[:, None]), NO_COMPLEX),
    }
    for kind in ("int8", "uint64", "float16", "float32", "longdouble", ">f8", ">i4"):
        found[kind] = np.array(NUMBERS, dtype=kind)[:, None], NUMBERS
    for cells in (BYTES, DAYS, HOURS, FIELDS):
        kind = type(cells[0]).__name__
        found[f"lists, {kind}"] = [[cell] for cell in cells], DATES if cells is DAYS else kind
    for cells in (NUMBERS, LARGE, FRACTIONS, TEXT, TRUTHS):
        found[f"lists, {cells[0]!r}"] = [[cell] for cell in cells], cells
        found[f"objects, {cells[0]!r}"] = objects(cells), cells
    for empty in (None, float("nan"), Decimal("NaN"), Decimal("sNaN"), pd.NA, pd.NaT, np.float32("nan")):
        found[f"objects, {empty!r}"] = objects([empty, 1, 1]), NO_VALUE
    for endless in (float("inf"), Decimal("inf"), Decimal("1e400")):
        found[f"objects, {endless!r}"] = objects([endless, 1, 1]), "infinity"
    return found


NUMPY = of_numpy()


@pytest.mark.parametrize("name", NUMPY)
def test_numpy(name: str) -> None:
    table, said = NUMPY[name]
    check(table, said)


def check_with_gap(table: object, said: Said) -> None:
    """The same with a fourth cell that is missing, and is a category of its own."""
    fmap = ks.compile("match()", columns=["c"], n_features=8, missing="category")
    fitted = [lambda: ks.compile("match()", data=table, n_features=8, missing="category").keys(table)]
    if said == NO_VALUE:
        assert len(np.unique(fmap.keys(table)[:, 0])) == 1
    elif isinstance(said, str):
        for keys in (lambda: fmap.keys(table), *fitted):
            with pytest.raises(CellTypeError) as refused:
                keys()
            assert "column 'c'" in str(refused.value)
            assert said in str(refused.value) or "has the type" in str(refused.value)
    else:
        assert (fmap.keys(table) == fmap.keys(objects([*said, None]))).all()
        assert len(fitted[0]()) == 4


@pytest.mark.parametrize("name", POLARS)
def test_polars_with_a_gap(name: str) -> None:
    column, said = POLARS[name]
    check_with_gap(pl.DataFrame({"c": pl.concat([column, pl.Series("c", [None], dtype=column.dtype)])}), said)


@pytest.mark.parametrize("name", ARROW)
def test_arrow_with_a_gap(name: str) -> None:
    column, said = ARROW[name]
    chunks = pa.chunked_array([column, pa.nulls(1, column.type)])
    check_with_gap(pa.table({"c": chunks}), said)
    own = pd.DataFrame({"c": pd.Series(pd.array(chunks, dtype=pd.ArrowDtype(column.type)))})
    check_with_gap(own, said)


GAPS: list[object] = [2**60 + 1, None, 2**60 + 2, None, 2**60 + 1]
"""Numbers that a reader who made floats of them, for the sake of the gaps, could not tell apart."""


def with_gaps() -> dict[str, object]:
    numbers, runs = pa.array(GAPS), pa.array([1, 2, 3, 4, 5], pa.int32())
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1, 0]), pa.array([GAPS[0], None, GAPS[2]]))
    columns = {
        "int64": numbers,
        "decimal": numbers.cast(pa.decimal128(38, 0)),
        "dictionary": numbers.dictionary_encode(),
        "missing in the dictionary": dictionary,
        "runs": pa.RunEndEncodedArray.from_arrays(runs, numbers),
        "runs of a dictionary": pa.RunEndEncodedArray.from_arrays(runs, dictionary),
        "opaque": pa.ExtensionArray.from_storage(pa.opaque(pa.int64(), "x", "y"), numbers),
        "opaque dictionary": pa.ExtensionArray.from_storage(pa.opaque(dictionary.type, "x", "y"), dictionary),
        "union": pa.UnionArray.from_sparse(pa.array([0] * 5, pa.int8()), [numbers]),
    }
    found: dict[str, object] = {f"Arrow, {name}": pa.table({"c": column}) for name, column in columns.items()}
    for name, column in columns.items():
        own = pd.array(column, dtype=pd.ArrowDtype(column.type))
        found[f"pandas, Arrow, {name}"] = pd.DataFrame({"c": own})
    found["pandas"] = pd.DataFrame({"c": pd.array(GAPS, dtype="Int64")})
    found["pandas, objects"] = pd.DataFrame({"c": pd.Series(GAPS, dtype=object)})
    found["pandas, categories"] = pd.DataFrame({"c": pd.Categorical(GAPS, categories=[GAPS[0], GAPS[2]])})
    for kind in ("Int64", "UInt64", "Int128", "UInt128", "Object"):
        if hasattr(pl, kind):
            found[f"polars, {kind}"] = pl.DataFrame({"c": pl.Series(GAPS, dtype=getattr(pl, kind))})
    return found


WITH_GAPS = with_gaps()


@pytest.mark.parametrize("name", WITH_GAPS)
def test_gaps_between_large_numbers(name: str) -> None:
    table, expected = WITH_GAPS[name], objects(GAPS)
    fmap = ks.compile("match()", columns=["c"], n_features=8, missing="category")
    assert (fmap.keys(table) == fmap.keys(expected)).all()
    fitted = ks.compile("match()", data=table, n_features=8, missing="category")
    assert fitted.plan.layout.types.whole == (0,)
    refusing = ks.compile("match()", columns=["c"], n_features=8)
    with pytest.raises(DataError, match="column 'c' has no category in row 1"):
        refusing.transform(table)
    with pytest.raises(DataError, match="NaN in row 1, column 'c'"):
        ks.compile("gaussian()[c]", columns=["c"], n_features=8).transform(table)


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_a_bad_cell_after_missing_ones_is_named_by_its_row(made: Callable[[Any], Any]) -> None:
    table = made({"c": [None, None, "b", "a"]})
    fmap = ks.compile("gaussian()[fill(c, 0)]", data=made({"c": [1.0, 2.0]}), n_features=8)
    for read in (ks.parse("gaussian()[fill(c, 0)]").gram, ks.parse("gaussian()[c]").gram, fmap.transform):
        with pytest.raises(ks.DataError, match="holds 'b' in row 2"):
            read(table)
