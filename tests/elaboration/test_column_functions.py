"""Functions of columns, k[log(income), age], from the text to features, saved maps and the command line."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import dask.dataframe
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_array, load_npz, random_array
from scipy.stats import rankdata

import kernelspec as ks
from kernelspec.cli import main
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import format_text, print_node
from kernelspec.maps.feature_map import draw_map
from tests.messy_table import SPEC, messy_table, written
from tests.processor import seconds_since
from tests.thoroughness import sweep

_N, _MAPS = 24, 30


def _table() -> pd.DataFrame:
    generator = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "income": np.exp(generator.normal(size=_N)),
            "age": generator.uniform(20, 60, _N) / 20,
            "sepal length": generator.uniform(1, 3, _N),
            "lat": generator.uniform(-90, 90, _N),
            "lon": generator.uniform(-180, 180, _N),
            "hour": generator.uniform(0, 24, _N),
            "city": generator.choice(["Oslo", "Rome", "Lima"], _N),
        }
    )


TABLE = _table()


def _squares(*columns: np.ndarray) -> np.ndarray:
    """‖Δ‖² of all pairs of rows with these columns."""
    return np.sum([np.square(np.subtract.outer(column, column)) for column in columns], axis=0)


def _sphere(radius: float) -> tuple[np.ndarray, ...]:
    lat, lon = np.radians(TABLE["lat"].to_numpy()), np.radians(TABLE["lon"].to_numpy())
    return radius * np.cos(lat) * np.cos(lon), radius * np.cos(lat) * np.sin(lon), radius * np.sin(lat)


def _clock(period: float) -> tuple[np.ndarray, ...]:
    angle = 2 * np.pi * TABLE["hour"].to_numpy() / period
    return np.cos(angle), np.sin(angle)


def _own(name: str) -> np.ndarray:
    return TABLE[name].to_numpy()


FORMULAS: dict[str, Callable[[], np.ndarray]] = {
    "gaussian()[log(income), age]": lambda: np.exp(-_squares(np.log(_own("income")), _own("age")) / 2),
    "laplace()[income/age]": lambda: np.exp(-np.sqrt(_squares(_own("income") / _own("age")))),
    'gaussian(scale=2)["sepal length" - 1, max(age, 2)]': lambda: np.exp(
        -_squares(_own("sepal length"), np.maximum(_own("age"), 2)) / 8
    ),
    "param shift = 3\nlet half = 1/2\ngaussian()[(income + shift)**half]": lambda: np.exp(
        -_squares(np.sqrt(_own("income") + 3)) / 2
    ),
    "exponential()[unit_vector(lat, lon)]*match()[city]": lambda: (
        np.exp(-np.sqrt(_squares(*_sphere(1)))) * np.equal.outer(_own("city"), _own("city"))
    ),
    "matern(nu=1/2, scale=4000)[unit_vector(lat, lon, radius=6371)]": lambda: np.exp(
        -np.sqrt(_squares(*_sphere(6371))) / 4000
    ),
    "gaussian()[cycle(hour, 24)] + 0.5*laplace()[log(income)]": lambda: (
        np.exp(-_squares(*_clock(24)) / 2) + np.exp(-np.sqrt(_squares(np.log(_own("income"))))) / 2
    ),
    "(gaussian()[0] + laplace()[exp(column(1))])[log(income), -age]": lambda: (
        np.exp(-_squares(np.log(_own("income"))) / 2) + np.exp(-np.sqrt(_squares(np.exp(-_own("age")))))
    ),
    "sphere()[unit_vector(lat, lon)]": lambda: 1 - _squares(*_sphere(1)) / 2,
    "match()[max(age, 2)]": lambda: np.equal.outer(np.maximum(_own("age"), 2), np.maximum(_own("age"), 2)),
    "(2*gaussian()[age**2])**2": lambda: 4 * np.exp(-_squares(_own("age") ** 2)),
}


TIMES = pd.date_range("1968-02-28 23:59", periods=_N, freq="97h13min")
"""Before and after 1970, leap days among them."""

DAYS = ((TIMES - pd.Timestamp("1970-01-01")) / pd.Timedelta("1D")).to_numpy()
DATED = pd.DataFrame({"t": TIMES, "age": np.where(np.arange(_N) % 5 == 0, np.nan, _own("age"))})

DATED_FORMULAS: dict[str, Callable[[], np.ndarray]] = {
    "laplace(scale=30)[t]": lambda: np.exp(-np.sqrt(_squares(DAYS)) / 30),
    "laplace(scale=30)[days(t) + 1]": lambda: np.exp(-np.sqrt(_squares(DAYS)) / 30),
    **{
        f"match()[{name}(t)]": lambda own=own: np.equal.outer(own, own)
        for name, own in {
            "year": TIMES.year,
            "month": TIMES.month,
            "weekday": TIMES.day_of_week,
            "hour": TIMES.hour,
            "day_of_year": TIMES.day_of_year,
        }.items()
    },
    "gaussian()[cycle(days(t), 1), fill(age, 2)]": lambda: np.exp(
        -_squares(np.cos(2 * np.pi * DAYS), np.sin(2 * np.pi * DAYS), np.where(DATED["age"].isna(), 2, DATED["age"]))
        / 2
    ),
    "match()[is_missing(age)]": lambda: np.equal.outer(*[np.isnan(DATED["age"].to_numpy())] * 2),
    "linear()[rank(fill(age, 2), [1, 2, 2, 4])]": lambda: (
        (r := np.interp(DATED["age"].fillna(2), [1, 2 - 1e-13, 2, 2 + 1e-13, 4], [0, 1 / 3, 1 / 2, 2 / 3, 1]))[:, None]
        * r
    ),
}


@pytest.mark.parametrize("name", ["year", "month", "weekday", "hour", "day_of_year"])
def test_the_last_microsecond_of_a_day_and_a_whole_hour_far_away_keep_their_day(name: str) -> None:
    ends = [f"{day} 23:59:59.999999" for day in ("1899-12-31", "1969-12-31", "2024-02-29", "2058-12-31")]
    whole = ["1970-01-01", "2024-12-31T05:00", "2500-02-28T23:00", "9999-12-31T07:00", "9999-12-31T23:59:59.999"]
    times = pd.DatetimeIndex([*ends, *whole], dtype="M8[us]")
    own = np.asarray(getattr(times, "day_of_week" if name == "weekday" else name), dtype=float)
    np.testing.assert_array_equal(
        ks.parse(f"linear()[{name}(t)]").gram(pd.DataFrame({"t": times})), np.multiply.outer(own, own)
    )


@pytest.mark.parametrize("unit", ["us", "ns"])
@pytest.mark.parametrize("end", ["1900-12-31", "1969-12-31", "2023-12-31", "2150-12-31", "2260-12-31"])
def test_the_last_instant_of_a_year_stays_in_it(end: str, unit: str) -> None:
    """Also where the float of its days would be the first of the next year."""
    nines = {"us": 6, "ns": 9}[unit]
    time = np.array([[f"{end}T23:59:59.{'9' * nines}"]], dtype=f"M8[{unit}]")
    for name, part in {"year": int(end[:4]), "month": 12, "hour": 23}.items():
        assert ks.parse(f"linear()[{name}(column(0))]").gram(time)[0, 0] == part**2, name
    early = np.array([[["1970-01-01T00:00:00.000000001"]]], dtype="M8[ns]")[0]
    np.testing.assert_allclose(ks.parse("linear()[days(column(0))]").gram(early), (1e-9 / 86400) ** 2, rtol=1e-12)


def test_times_finer_than_nanoseconds() -> None:
    times = np.array([[0], [86_400 * 10**12]], dtype="M8[ps]")
    np.testing.assert_allclose(ks.parse("linear()").gram(times), [[0, 0], [0, 1]])


READERS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda table: table,
    "zones": lambda table: table.assign(t=table["t"].dt.tz_localize("UTC").dt.tz_convert("Asia/Kolkata")),
    "polars": pl.from_pandas,
    "arrow": pa.Table.from_pandas,
    "objects": lambda table: table.assign(t=np.array(table["t"].array.to_pydatetime(), dtype=object)),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", DATED_FORMULAS)
def test_dates_and_missing_numbers_of_every_library(text: str, reader: str) -> None:
    np.testing.assert_allclose(
        ks.parse(text).gram(READERS[reader](DATED)), DATED_FORMULAS[text](), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("gaussian()[age]", r"NaN in row 0, column 'age'.*fill\(age\).*match\(\)\[is_missing\(age\)\]"),
        ("gaussian()[fill(age, 1), age + 1]", r"NaN in row 0, column 'age'"),
        ("gaussian()[fill(log(age - 2), 1)]", r"fill\(log\(age - 2\), 1\) is not a real number"),
        ("match()[t]", r"column 't' holds dates.*match\(\)\[month\(t\)\]"),
        ("gaussian()[year(2)]", r":1:17: error: year\(\) needs a column"),
        ("gaussian()[rank(age, [2, 1])]", r"the quantiles of rank\(\) must be at most 101 increasing numbers"),
        ("gaussian()[fill()]", r"fill\(\) needs a column"),
        ("gaussian()[yaer(t)]", r"did you mean 'year'"),
    ],
)
def test_what_is_wrong_with_dates_and_missing_numbers_is_said(text: str, error: str) -> None:
    with pytest.raises(ks.KernelspecError, match=error):
        ks.parse(text).gram(DATED)


def test_a_map_made_for_dates_takes_no_numbers_and_says_what_it_reads(tmp_path: Path) -> None:
    fmap = ks.compile("gaussian(scale=30)[t, fill(age, 2)]", data=DATED, n_features=16, landmarks="never")
    fmap.save(tmp_path / "map.npz")
    loaded = ks.load_map(tmp_path / "map.npz")
    np.testing.assert_array_equal(loaded.transform(READERS["zones"](DATED)), fmap.transform(DATED))
    assert "t: date (days since 1970-01-01 in UTC)" in str(loaded.describe())
    assert "times with a zone are converted to UTC" in loaded.explain()
    with pytest.raises(ks.DataError, match="made for dates"):
        loaded.transform(DATED.assign(t=DAYS))
    whole = ks.compile("gaussian()[t]", data=DATED.assign(t=np.arange(_N)), n_features=16)
    with pytest.raises(ks.DataError, match="made for whole numbers"):
        whole.transform(DATED)
    collection = dask.dataframe.from_pandas(DATED, npartitions=3)
    np.testing.assert_array_equal(loaded.transform(collection).compute(), fmap.transform(DATED))


_FEATURES = ["--n-features", "16", "--landmarks", "never", "-q"]


def test_the_command_line_reads_dates_in_every_format(tmp_path: Path) -> None:
    table = DATED.assign(
        iso=TIMES.strftime("%Y-%m-%d %H:%M"),
        zone=(TIMES + pd.Timedelta("2h")).strftime("%Y-%m-%dT%H:%M:%S+02:00"),
        own=TIMES.strftime("%d.%m.%Y %H:%M"),
        whole=TIMES.strftime("%Y%m%d%H%M"),
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    DATED.to_parquet(tmp_path / "t.parquet")
    expected = ks.compile("gaussian(scale=30)[t]", columns=["t"], n_features=16).transform(DATED)
    formats = ["--date-format", "%d.%m.%Y %H:%M", "--date-format", "whole=%Y%m%d%H%M"]
    for name, column, options in (
        ("t.csv", "t", []),
        ("t.parquet", "t", []),
        ("t.csv", "iso", []),
        ("t.csv", "zone", []),
        ("t.csv", "own", formats),
        ("t.csv", "whole", formats),
    ):
        out = tmp_path / "f.npy"
        arguments = ["features", "-e", f"gaussian(scale=30)[{column}]", str(tmp_path / name), "-o", str(out)]
        run = CliRunner().invoke(main, [*arguments, *_FEATURES, *options])
        assert run.exit_code == 0, run.output
        np.testing.assert_array_equal(np.load(out), expected)
    READERS["zones"](DATED).to_parquet(tmp_path / "z.parquet")
    arguments = ["features", "-e", "gaussian(scale=30)[t]", str(tmp_path / "z.parquet"), "-o", str(out)]
    run = CliRunner().invoke(main, [*arguments, *_FEATURES[:-1]])
    assert "column 't' has times of Asia/Kolkata: converted to UTC" in run.output
    np.testing.assert_array_equal(np.load(out), expected)
    arguments = ["features", "-e", "gaussian(scale=30)[zone]", str(tmp_path / "t.csv"), "-o", str(out)]
    run = CliRunner().invoke(main, [*arguments, *_FEATURES[:-1]])
    assert "column 'zone' has times of an offset from UTC: converted to UTC" in run.output


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        (["2020-01-01", "soon"], [], "row 2, column 't': 'soon' is not a date such as 2024-02-29T18:30; for another"),
        (["31.12.2020", "1.13.2020"], ["--date-format", "%d.%m.%Y"], "row 2, column 't': '1.13.2020' is not a date of"),
        (["31.12.2020", "1.1.2020"], [], "'31.12.2020' looks like a date: use --date-format"),
        (['"1,234"', '"2,345"'], [], "'1,234' has thousands separators"),
        (['"0,126"', '"2,345"'], [], "'0,126' has a decimal comma"),
        (['"1,5"', '"2,5"'], [], "'1,5' has a decimal comma"),
        (["1", ""], [], "NaN in row 2, column 't'"),
        (["1", "2"], ["--date-format", "DMY"], "--date-format requires a format such as %d.%m.%Y"),
        (["1", "2"], ["--date-format", "z=%Y"], "--date-format z=%Y: unknown column 'z'"),
        (
            ["20240115"],
            ["--date-format", "%Y%m%d"],
            "also fits columns of numbers: name the column of dates, such as day=",
        ),
    ],
)
def test_cells_that_cannot_be_read_are_named(tmp_path: Path, rows: list[str], options: list[str], words: str) -> None:
    (tmp_path / "t.csv").write_text("t,u\n" + "".join(f"{row},0\n" for row in rows))
    arguments = ["features", "-e", "gaussian()[t]", str(tmp_path / "t.csv"), "-o", str(tmp_path / "f.npy")]
    run = CliRunner().invoke(main, [*arguments, *_FEATURES, *options])
    assert run.exit_code == 2
    assert words in run.output
    assert not (tmp_path / "f.npy").exists()


@pytest.mark.parametrize("text", FORMULAS)
def test_the_kernel_matrix_is_that_of_the_formula(text: str) -> None:
    np.testing.assert_allclose(ks.parse(text).gram(TABLE), FORMULAS[text](), rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("text", sweep(FORMULAS, every=3))
def test_features_have_the_formula_as_their_mean(text: str) -> None:
    """The mean of all inner products over independent maps, in standard errors: P(|t| > 6) < 2e-6 with 29 degrees."""
    exact, means = FORMULAS[text](), []
    plan = ks.compile(text, data=TABLE, n_features=16, landmarks="never").plan
    for seed in range(_MAPS):
        features = draw_map(replace(plan, seed=seed)).transform(TABLE)
        features = features if isinstance(features, np.ndarray) else features.toarray()
        means.append((features @ features.T - exact)[np.triu_indices(_N, 1)].mean())
    assert abs(np.mean(means)) <= 6 * np.std(means, ddof=1) / np.sqrt(_MAPS) + 1e-9


def test_features_with_defaults_are_as_close_as_predicted() -> None:
    text = "laplace()[income/age]"
    exact = FORMULAS[text]()
    model = ks.KernelFeatures(text, random_state=0).fit(TABLE)
    features = model.transform(TABLE)
    error = np.linalg.norm(features @ features.T - exact) / np.linalg.norm(exact)
    assert error <= 6 * model.feature_map_.predicted_error(TABLE) + 1e-7


@pytest.mark.parametrize(
    "text",
    [
        "gaussian()[log(income), age]",
        'gaussian()["sepal length" - 1, -0.5*age**2, 0]',
        'gaussian()["log", unit_vector(lat, "the lon", radius=6371)]',
        "gaussian()[a/b/c, (a - b)*c, -1, 0:3, :, 2:]",
    ],
)
def test_selectors_are_printed_as_they_are_parsed(text: str) -> None:
    program = parse_program(text)
    assert parse_program(print_node(program)) == program
    assert format_text(text) == print_node(program) + "\n"


def test_a_lone_string_is_a_column_as_a_lone_name_is() -> None:
    assert parse_program('gaussian()["age"]') == parse_program("gaussian()[age]")
    assert parse_program('gaussian()["age" + 1]') != parse_program("gaussian()[age + 1]")


@pytest.mark.parametrize(
    ("text", "marked", "words"),
    [
        ("gaussian()[2*3]", "2*3", "this reads no column: a lone number is a position"),
        ("param s = 2\ngaussian()[log(s)]", "log(s)", 'for the column, write "s"'),
        ("param age = 2\ngaussian()[age*income]", "age", 'both a parameter and a column: for the column, write "age"'),
        ("gaussian()[log(incom)]", "incom", "unknown column 'incom'; did you mean 'income'?"),
        ("gaussian()[lag(age)]", "lag", "unknown function 'lag' of columns; did you mean 'log'?"),
        ("gaussian()[log(column(9))]", "column(9)", "column 9 is out of range: there are 7 columns, 0 to 6"),
        ("gaussian()[log(column(age))]", "column(age)", "needs the position of a column, such as column(0)"),
        ("gaussian()[log(income), log(income)]", "log(income)", "log(income) is selected twice"),
        (
            "gaussian()[unit_vector(lat, lon) + 1]",
            "unit_vector(lat, lon)",
            "has several results: use it alone in a selection,",
        ),
        ("gaussian()[unit_vector(lat)]", "unit_vector(lat)", "needs the argument 'lon'"),
        ("gaussian()[unit_vector(lat, lon, radius=age)]", "age", "'radius' of unit_vector() must be a number"),
        ("gaussian()[cycle(hour, 0)]", "0", "'period' of cycle() must be greater than 0"),
        ("gaussian()[besselj(0, age)]", "besselj(0, age)", "not a function of columns"),
        ("gaussian()[[age, 1]]", "[age, 1]", "can only use numbers and columns"),
        ("gaussian()[match()*age]", "match()", "a formula can only use numbers, but match() is a kernel"),
        ("gaussian()[1.5]", "1.5", "a column position must be a whole number"),
        ("gaussian()[age:income]", "age", "a range of columns needs positions"),
        ("gaussian('age')", "'age'", "quotes are for names of columns"),
        ("stretch(gaussian()[log(age)], 2)", "stretch(gaussian()[log(age)], 2)", "acts on differences of columns"),
        ("tilt(gaussian()[log(age)], 2)", "tilt(gaussian()[log(age)], 2)", "acts on differences of columns"),
    ],
)
def test_what_is_wrong_with_a_selector_is_shown_at_its_place(text: str, marked: str, words: str) -> None:
    with pytest.raises(ks.SpecError) as caught:
        ks.parse(text).gram(TABLE)
    assert words in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.text == marked


@pytest.mark.parametrize(
    ("text", "column", "value", "words"),
    [
        (
            "gaussian()[log(income), age]",
            "income",
            -1.0,
            "log(income) is not a real number in row 3, column 'income' (-1)",
        ),
        ("gaussian()[age/income]", "income", 0.0, "age/income is infinite, or too large for a float, in row 3, column"),
        (
            "gaussian()[unit_vector(lat, lon)]",
            "lat",
            90.5,
            "the latitude is 90.5 in row 3, column 'lat': it must lie between",
        ),
        ("gaussian()[unit_vector(lat, lon)]", "lon", -400.0, "the longitude is -400 in row 3, column 'lon'"),
        ("gaussian()[log(income)]", "income", np.nan, "Input contains NaN in row 3, column 'income'"),
        ("binary()[age - 1]", "age", 2.5, "column 'age - 1' is"),
    ],
)
def test_a_row_outside_of_the_domain_is_named(text: str, column: str, value: float, words: str) -> None:
    bad = TABLE.copy()
    bad.loc[3, column] = value
    with pytest.raises(ks.DataError) as caught:
        ks.parse(text).gram(bad)
    assert words in str(caught.value)


def test_text_is_no_number() -> None:
    with pytest.raises(ks.DataError, match=r"column 'city' holds '.*' in row 0: the kernel needs numbers there"):
        ks.parse("gaussian()[log(city)]").gram(TABLE)


def test_the_verdict_and_the_density_are_those_in_the_mapped_columns() -> None:
    facts, plain = ks.analyze("gaussian()[log(income), age]"), ks.analyze("gaussian()", columns=["log(income)", "age"])
    assert facts.verdict.positive_definite == "proved"
    assert facts.spectral_density == plain.spectral_density
    assert facts.kernel == plain.kernel
    assert "k(g(x), g(y)) is positive definite when k is" in facts.verdict.reasons[-1]
    assert "columns: log(income), age\n  functions of the table's columns: everything below" in facts.report()
    at = np.array([[0.3, 0.4]])
    assert facts.spectral_density_at(at) == pytest.approx(np.exp(-0.125) / (2 * np.pi))


def test_the_dimension_is_the_number_of_mapped_columns() -> None:
    """The norm of four columns in the tent that is a kernel on a line: not on more."""
    tent = "radial(r -> max(0, 1 - r))"
    assert ks.analyze(f"{tent}[log(income)]", columns=list(TABLE)).verdict.positive_definite == "proved"
    assert ks.analyze(f"{tent}[unit_vector(lat, lon)]").verdict.positive_definite == "disproved"


_LEVELS = 'levels(["a", "b", "c"], [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]])[g]'


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("gaussian()[x] - 0.5*gaussian()[x + 0]", "unknown"),  # half a Gaussian kernel, written in two columns
        ("2*gaussian()[x] - gaussian()[-x]", "unknown"),
        (f"{_LEVELS} - 0.1*match()[g]", "unknown"),  # the least eigenvalue of the matrix is 0.29
        (f"{_LEVELS} - 0.3*match()[g]", "disproved"),
        ("gaussian()[x] - 2*gaussian()[x + 0]", "disproved"),
        ("linear()[cycle(t, 24)] - 0.5*constant()", "disproved"),
        ("match()[month(t)] - 0.5*match()[year(t)]", "disproved"),
        ("gaussian()[log(x)] - 2*laplace()[log(x)]", "disproved"),
        ("gaussian()[log(x)] - gaussian()[y]", "disproved"),
    ],
)
def test_functions_of_one_column_are_disproved_by_rows_of_the_table(text: str, answer: str) -> None:
    assert ks.analyze(text).verdict.positive_definite == answer


def test_positions_without_names_and_the_number_of_columns() -> None:
    assert str(ks.analyze("gaussian()[log(column(0))]").mapped.names) == "('log(column(0))',)"
    with pytest.raises(ks.DimensionError, match="a kernel on all columns needs their number"):
        ks.analyze("gaussian()[log(column(0))]*laplace()")
    X = TABLE[["income", "age"]].to_numpy()
    expected = FORMULAS["gaussian()[log(income), age]"]()
    np.testing.assert_allclose(ks.parse("gaussian()[log(column(0)), 1]").gram(X), expected, atol=1e-12)
    np.testing.assert_allclose(ks.parse("gaussian()[log(column(-2)), -1]").gram(csr_array(X)), expected, atol=1e-12)
    single = (
        ks.KernelFeatures("gaussian()[log(column(0)), 1]").fit(X.astype(np.float32)).transform(X.astype(np.float32))
    )
    assert single.dtype == np.float32


def test_a_wide_sparse_table_stays_sparse() -> None:
    X = csr_array((np.ones(60), (np.repeat(np.arange(30), 2), np.arange(60) * 7)), shape=(30, 5000))
    found = ks.parse("linear() + gaussian()[exp(column(3)) + column(7)]").gram(X)
    dense, mapped = X.toarray(), np.exp(X.toarray()[:, 3]) + X.toarray()[:, 7]
    np.testing.assert_allclose(found, dense @ dense.T + np.exp(-_squares(mapped) / 2), atol=1e-12)


SAVED = 'gaussian()[log(income), "sepal length" - 1, unit_vector(lat, lon)]*match()[city]'

_ALONE = """
import sys
import numpy as np, pandas as pd, kernelspec as ks
fmap = ks.load_map(sys.argv[1])
np.save(sys.argv[3], fmap.transform(pd.read_pickle(sys.argv[2])).toarray())
names = ("sympy", "lark", "kernelspec.language.parser", "kernelspec.elaboration")
print([name for name in names if name in sys.modules])
"""


@pytest.mark.slow
def test_a_saved_map_needs_neither_the_parser_nor_sympy(tmp_path: Path) -> None:
    fmap = ks.compile(SAVED, data=TABLE, n_features=64)
    fmap.save(tmp_path / "map.npz")
    TABLE.to_pickle(tmp_path / "table.pkl")
    paths = [str(tmp_path / name) for name in ("map.npz", "table.pkl", "features.npy")]
    run = subprocess.run([sys.executable, "-c", _ALONE, *paths], capture_output=True, text=True, check=False)
    assert run.stdout == "[]\n", run.stderr
    np.testing.assert_array_equal(np.load(paths[2]), fmap.transform(TABLE).toarray())
    assert ks.load_map(paths[0], redraw=True).plan == fmap.plan


def test_the_command_line_reads_the_columns_and_names_the_row(tmp_path: Path) -> None:
    path, out = tmp_path / "table.csv", tmp_path / "features.npy"
    TABLE.to_csv(path, index=False)
    arguments = ["features", "-e", "gaussian()[log(income), age]", str(path), "-o", str(out), "--n-features", "32"]
    found = CliRunner().invoke(main, arguments)
    assert found.exit_code == 0, found.output
    assert "columns read: income, age (2 of 7)" in found.output
    expected = ks.compile("gaussian()[log(income), age]", columns=["income", "age"], n_features=32).transform(TABLE)
    np.testing.assert_allclose(np.load(out), expected, rtol=1e-12, atol=1e-12)
    bad = TABLE.copy()
    bad.loc[3, "income"] = -1.0
    bad.to_csv(path, index=False)
    found = CliRunner().invoke(main, arguments)
    assert found.exit_code == 2
    assert "log(income) is not a real number in row 4, column 'income' (-1) (rows count from 1)" in found.output


def test_other_libraries_and_models() -> None:
    X = TABLE[["income", "age"]].to_numpy()
    names = ["income", "age"]
    text = "param s = 1\ngaussian(scale=s)[log(income), age]"
    kernel = ks.to_sklearn(text, columns=names)
    value, gradient = kernel(X, eval_gradient=True)
    squares = _squares(np.log(X[:, 0]), X[:, 1])
    np.testing.assert_allclose(value, np.exp(-squares / 2), atol=1e-12)
    np.testing.assert_allclose(gradient[..., 0], np.exp(-squares / 2) * squares, atol=1e-12)
    assert not kernel.is_stationary()
    inside = "param s = 1\nparam t = 1\ngaussian(scale=s)[log(income + t), age]"
    tuned = ks.tune(inside, TABLE[names], TABLE["hour"], fixed=["t"])
    assert tuned.spec.params["t"] == 1
    fitted = ks.parse(text).with_params({"s": "median"}, data=TABLE[names])
    distances = np.sqrt(squares[np.triu_indices(_N, 1)])
    assert fitted.params["s"] == pytest.approx(np.median(distances), rel=1e-3)
    with pytest.raises(ks.ParameterError, match="cannot be the median distance"):
        ks.parse(inside).with_params({"t": "median"}, data=TABLE[names])


def test_specs_are_added_with_their_parameters_in_functions_renamed() -> None:
    one, other = (ks.parse(f"let c = {c}\ngaussian()[log(income + c)]") for c in (1, 2))
    total = (one + other).gram(TABLE)
    np.testing.assert_allclose(total, one.gram(TABLE) + other.gram(TABLE), atol=1e-12)


@pytest.mark.slow
def test_a_certificate_and_its_rows() -> None:
    assert ks.verify("gaussian()[log(income), age]", TABLE[["income", "age"]]).passed


LEARNED_TABLE = pd.DataFrame(
    {
        "age": np.where(np.arange(60) % 7 == 0, np.nan, np.random.default_rng(1).normal(38, 13, 60)),
        "the income": np.exp(np.random.default_rng(2).normal(10, 1, 60)),
        "t": pd.date_range("2020-01-01", periods=60),
        "one": 5.0,
    }
)
INCOME = LEARNED_TABLE["the income"].to_numpy()
AGE = LEARNED_TABLE["age"].fillna(LEARNED_TABLE["age"].median()).to_numpy()


def _of_present(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Standard scores and ranks of the numbers present, 0 and ½ for the others."""
    there = ~np.isnan(column)
    scores, ranks = np.zeros(len(column)), np.full(len(column), 0.5)
    scores[there] = _z(column[there])
    ranks[there] = column[there].argsort().argsort() / (there.sum() - 1)
    return scores, ranks


def _z(column: np.ndarray) -> np.ndarray:
    return (column - column.mean()) / column.std()


def _in_medians(column: np.ndarray) -> np.ndarray:
    lags = np.abs(np.subtract.outer(column, column))
    return lags / np.median(lags[np.triu_indices(len(column), 1)])


LEARNED_FORMULAS: dict[str, tuple[str, Callable[[], np.ndarray]]] = {
    'gaussian()[standardize("the income")]': (
        r'gaussian\(\)\[\("the income" - \d+\)/\d+\]',
        lambda: np.exp(-_squares(_z(INCOME)) / 2),
    ),
    "laplace()[fill(age)]": (r"laplace\(\)\[fill\(age, [\d.]+\)\]", lambda: np.exp(-np.sqrt(_squares(AGE)))),
    'param a = 2\ngaussian()[standardize(fill(age)), log("the income" + a)]': (
        r'param a = 2\ngaussian\(\)\[\(fill\(age, [\d.]+\) - [\d.]+\)/[\d.]+, log\("the income" \+ a\)\]',
        lambda: np.exp(-_squares(_z(AGE), np.log(INCOME + 2)) / 2),
    ),
    "gaussian()[standardize(fill(:))]": (
        r'gaussian\(\)\[\(fill\(age, .*, \(fill\("the income", .*, \(fill\(t, .*, fill\(one, 5\) - 5\]',
        lambda: np.exp(-_squares(_z(AGE), _z(INCOME), _z(np.arange(60.0))) / 2),
    ),
    "gaussian(scale=1/4)[rank(column(1))]": (
        r"gaussian\(scale=1/4\)\[rank\(column\(1\), \[.*\]\)\]",
        lambda: np.exp(-8 * _squares(INCOME.argsort().argsort() / 59)),
    ),
    'stretch(laplace(), median)["the income", t]': (
        r'stretch\(laplace\(\), \[\d+, [\d.]+\]\)\["the income", t\]',
        lambda: np.exp(-_in_medians(INCOME) - _in_medians(np.arange(60.0))),
    ),
    'let width = median\ngaussian(scale=width)[standardize("the income")]': (
        r'let width = [\d.]+\ngaussian\(scale=width\)\[\("the income" - \d+\)/\d+\]',
        lambda: np.exp(-(lag := _squares(_z(INCOME))) / 2 / np.median(lag[np.triu_indices(60, 1)])),
    ),
    'param s = median in [1, 1e9]\nspherical(range=s)["the income"]': (
        r'param s = \d+ in \[1, 1000000000\]\nspherical\(range=s\)\["the income"\]',
        lambda: np.maximum(0, 1 - (lag := np.minimum(_in_medians(INCOME), 1)) * (3 - lag**2) / 2),
    ),
    'radial(r -> 1/(1 + r/median))["the income"]': (
        r'radial\(r -> 1/\(1 \+ r/\d+\)\)\["the income"\]',
        lambda: 1 / (1 + _in_medians(INCOME)),
    ),
    'changepoint(laplace()[one], 2*laplace()[one], on=standardize("the income"), at=median, width=1/2)': (
        r"changepoint\(laplace\(\)\[one\], 2\*laplace\(\)\[one\], on=.*, at=-?[\d.]+, width=1/2\)",
        lambda: (
            np.outer(1 - (late := 1 / (1 + np.exp(-2 * (_z(INCOME) - np.median(_z(INCOME)))))), 1 - late)
            + 2 * np.outer(late, late)
        ),
    ),
    "gaussian()[fill(standardize(age), 0), fill(rank(age), 1/2)]": (
        r"gaussian\(\)\[fill\(\(age - [\d.]+\)/[\d.]+, 0\), fill\(rank\(age, \[.*\]\), 1/2\)\]",
        lambda: np.exp(-_squares(*_of_present(LEARNED_TABLE["age"].to_numpy())) / 2),
    ),
    'let b = brownian()\nb[one] + 0.5*each(brownian(1))[standardize("the income") + 3, one]': (
        r"let b = brownian\(until=5\)\nb\[one\] \+ 0.5\*each\(brownian\(1, until=[\d.]+\)\)\[.*\]",
        lambda: 5 + 0.25 * (5 + np.minimum.outer(_z(INCOME) + 3, _z(INCOME) + 3)),
    ),
    "let near = gaussian()[standardize(x=t)]\nnear*match()[month(t)] + near": (
        r"let near = gaussian\(\)\[\(t - [\d.]+\)/[\d.]+\]\n.*",
        lambda: (
            np.exp(-_squares(_z(np.arange(60.0))) / 2)
            * (1 + np.equal.outer(*[LEARNED_TABLE["t"].dt.month.to_numpy()] * 2))
        ),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", LEARNED_FORMULAS)
def test_learned_functions_are_numbers_after_fit(text: str, tmp_path: Path) -> None:
    pattern, formula = LEARNED_FORMULAS[text]
    fitted = ks.parse(text).fitted(LEARNED_TABLE)
    assert re.fullmatch(pattern, str(fitted)), str(fitted)
    assert ks.parse(str(fitted)) == fitted == fitted.fitted(LEARNED_TABLE)
    np.testing.assert_allclose(fitted.gram(LEARNED_TABLE), formula(), rtol=0, atol=2e-3)  # four digits are kept
    model = ks.KernelFeatures(text, n_features=64, landmarks="never", random_state=0).fit(LEARNED_TABLE)
    assert model.feature_map_.plan.text == str(fitted)
    compiled = ks.compile(text, data=LEARNED_TABLE, n_features=64, landmarks="never")
    compiled.save(tmp_path / "map.npz")
    loaded = ks.load_map(tmp_path / "map.npz", redraw=True)
    half = LEARNED_TABLE.iloc[::-2]  # other rows, the same numbers
    both = [own.transform(half) for own in (loaded, compiled)]
    np.testing.assert_array_equal(*[own if isinstance(own, np.ndarray) else own.toarray() for own in both])
    LEARNED_TABLE.to_csv(tmp_path / "t.csv", index=False)
    arguments = ["features", "-e", text, str(tmp_path / "t.csv"), "-o", str(tmp_path / "f.npz")]
    run = CliRunner().invoke(main, [*arguments, "--n-features", "64", "--save-map", str(tmp_path / "cli.npz")])
    assert run.exit_code == 0, run.output
    assert "fitted to" in run.output
    assert ks.load_map(tmp_path / "cli.npz").plan.text == str(fitted)


def test_arrays_have_positions_and_medians_are_those_of_fitted_columns() -> None:
    table = np.random.default_rng(0).normal(3, 2, (50, 2))
    text = "param s > 0\ngaussian(scale=s)[standardize(:)]"
    fitted = ks.parse(text).fitted(table)
    assert re.fullmatch(
        r"param s > 0\ngaussian\(scale=s\)\[\(column\(0\) - .*\)/.*, \(column\(1\) - .*\)/.*\]", str(fitted)
    )
    scaled = ks.parse(text).with_params({"s": "median"}, data=table)
    model = ks.KernelFeatures(text, params={"s": "median"}, n_features=16).fit(table)
    assert model.params_ == scaled.params == fitted.with_params({"s": "median"}, data=table).params
    distances = np.sqrt(_squares(_z(table[:, 0]), _z(table[:, 1])))[np.triu_indices(50, 1)]
    assert scaled.params["s"] == pytest.approx(np.median(distances), rel=2e-3)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("gaussian()[standardize(age)]", r"NaN in row 0, column 'age'.*fill\(age\)"),
        ("gaussian()[fill(gone)]", r":1:17: error: unknown column 'gone'"),
        ("(gaussian()[standardize(column(0))])[log(t)]", r"refers to a function of columns by position"),
        ("let k = gaussian()[rank(column(0))]\nk[t] + k[one]", r"reads other columns elsewhere in the spec:"),
        ("param s > 0\ngaussian()[standardize(t + s)]", r"set the parameters of standardize\(t \+ s\) first"),
        ("gaussian()[standardize(0:2, 1:3)]", r"only one range|takes"),
        ("median*gaussian()[t]", r"'median' cannot be the median distance: that only works for a scale"),
        ("param s = median\ns*gaussian()[t]", r"'s' cannot be the median distance: that only works for a scale"),
        ("param s = median in [1e-9, 1e-8]\ngaussian(scale=s)[t]", r"parameter 's' must be <= 1e-08, not "),
        ("gaussian(scale=median)[one]", r"'median' cannot be the median distance, which is 0 in the columns"),
        ("stretch(gaussian(), median)[t, one]", r"which is 0 in column 'one': at least half of all pairs of rows"),
        ("param s[d] = median\nstretch(gaussian(), s)[one, t]", r"'s' cannot be .* is 0 in column 'one'"),
        ("changepoint(laplace()[one], match()[one], on=age, at=median, width=1)", r"NaN in row 0, column 'age'"),
        ("brownian()[one - 6]", r"brownian\(\) needs numbers from 0 on, but the largest is -1"),
        ("param s > 0\nbrownian(2)[one/s]", r"set the parameters of the columns of brownian\(2\) first"),
        ("gaussian()[max(:, :)]", r"a function of columns can have only one range"),
        ("gaussian(scale=0:2)", r"write arguments with '='"),
        ("gaussian()[log(one:t)]", r"a range of columns needs positions, as in log\(0:3\)"),
        ("stretch(gaussian(), 0:2)", r"a range of columns needs a selection"),
    ],
)
def test_what_cannot_be_learned_is_said(text: str, error: str) -> None:
    with pytest.raises(ks.KernelspecError, match=error):
        ks.parse(text).fitted(LEARNED_TABLE).gram(LEARNED_TABLE)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["standardize", "rank", "fill"])
def test_without_data_a_learned_function_is_an_error_that_says_so(name: str) -> None:
    text = f"gaussian()[{name}(t)]"
    report = ks.analyze(text).report()  # what does not depend on the numbers
    assert f"columns: {name}(t)" in report
    for call in (
        lambda: ks.compile(text, columns=["t"]),
        lambda: ks.parse(text).gram(LEARNED_TABLE),
        lambda: ks.to_sklearn(text, columns=["t"])(np.zeros((2, 1))),
    ):
        with pytest.raises(ks.ParameterError, match=rf":1:12: error: {name}\(\) learns its numbers from data"):
            call()
    with pytest.raises(ks.ParameterError, match=r":1:16: error: the median distance is learned from data"):
        ks.compile("gaussian(scale=median)[t]", columns=["t"])
    with pytest.raises(ks.ParameterError, match=r"changepoint\(\) learns its numbers from data"):
        ks.compile("changepoint(laplace()[t], match()[t], on=t, at=median, width=1)", columns=["t"])
    with pytest.raises(ks.ParameterError, match=r":1:3: error: 'until' of brownian\(\) is learned from data"):
        ks.compile("2*brownian()[t]", columns=["t"])
    empty = LEARNED_TABLE.assign(age=np.nan)
    with pytest.raises(ks.DataError, match=r"fill\(age\) cannot learn from its column:"):
        ks.parse("gaussian()[fill(age)]").fitted(empty)


@pytest.mark.slow
def test_a_median_on_a_wide_table_takes_no_symbol_for_each_column() -> None:
    rows = random_array((40, 2**17), density=2e-4, random_state=0, format="csr")
    began = time.process_time()
    assert re.fullmatch(r"gaussian\(scale=[\d.]+\)", str(ks.parse("gaussian(scale=median)").fitted(rows)))
    assert seconds_since(began, bound=3) < 3  # with a symbol for each 6


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1.0, 1e170, 1e307])
@pytest.mark.parametrize("name", ["standardize", "rank", "fill"])
def test_learned_numbers_do_not_depend_on_the_unit(name: str, size: float) -> None:
    rows = pd.DataFrame({"x": np.array([-1.5, 1.7, 0.2, 0.9, -1.1, -1.6])})
    text = f"linear()[{name}(x)]" if name != "fill" else f"linear()[fill(x)/{size:g}]"
    at_one, at_size = (ks.parse(f"linear()[{name}(x)]").fitted(rows), ks.parse(text).fitted(rows * size))
    np.testing.assert_allclose(at_size.gram(rows * size), at_one.gram(rows), rtol=1e-6, atol=1e-9)


def test_functions_and_categories_of_which_a_kernel_uses_some() -> None:
    """A selection from a selection may use no function, and match() of a function has exact columns."""
    rows = pd.DataFrame({"x": [1.0, 2.0, 5.0], "n": [4, 5, 5]})
    n = rows["n"].to_numpy()
    for table in (rows, rows.to_numpy(), csr_array(rows.to_numpy(dtype=float))):
        np.testing.assert_array_equal(ks.parse("linear()[-1][log(column(0)), 1]").gram(table), np.outer(n, n))
    features = ks.compile("match()[n - 3]", data=rows, n_features=16).transform(rows)
    np.testing.assert_array_equal((features @ features.T).toarray(), np.equal.outer(n, n))


@pytest.mark.parametrize("column", ["x", "log(x + 1)", "x/1e9"])
@pytest.mark.parametrize("divisor", [1, 3, 7])
def test_equal_values_have_their_mean_rank(divisor: int, column: str) -> None:
    """Also where a value has more digits than the quantiles in the text, or a logarithm between."""
    values = np.repeat([0, 1, 2, 5], [2, 3, 4, 3]) / divisor
    table = pd.DataFrame({"x": values})
    expected = (rankdata(values) - 1) / (len(values) - 1)
    fitted = ks.parse(f"linear()[rank({column})]").fitted(table)
    for spec in (fitted, ks.parse(str(fitted))):
        np.testing.assert_allclose(np.sqrt(np.diag(spec.gram(table))), expected, rtol=1e-6)


def test_ranks_of_logarithms_have_the_same_features() -> None:
    """Through the estimators, with their defaults."""
    table = pd.DataFrame({"income": np.repeat([20_000.0, 30_000, 50_000, 70_001], [5, 9, 4, 2])})
    y = np.log(table["income"])
    texts = [f"gaussian(scale=0.1)[rank({column})]" for column in ("income", "log(income)", "income/7")]
    features = [ks.KernelFeatures(text, random_state=0).fit_transform(table) for text in texts]
    models = [ks.KernelRegressor(text, random_state=0).fit(table, y).predict(table) for text in texts]
    for found in (features, models):
        for other in found[1:]:
            np.testing.assert_allclose(other, found[0], rtol=1e-5, atol=1e-6)


def test_a_csv_file_and_a_parquet_file_have_the_same_last_instant(tmp_path: Path) -> None:
    times = pd.DataFrame({"t": np.array(["2023-12-31T23:59:59.999999999", "2023-12-31T22:00"], dtype="M8[ns]")})
    times.to_parquet(tmp_path / "t.parquet")
    times.to_csv(tmp_path / "t.csv", index=False)
    for name in ("t.csv", "t.parquet"):
        run = CliRunner().invoke(main, ["gram", "-e", "linear()[month(t)]", str(tmp_path / name), "-o", "-"])
        assert run.exit_code == 0, run.output
        cells = [cell for line in run.output.splitlines()[1:] for cell in line.split(",")]
        assert list(map(float, cells)) == [144] * 4


def test_quantiles_of_ranks_may_be_computed_numbers(tmp_path: Path) -> None:
    rows, text = {"x": [0.0, 2**0.5, 3.0, 9.0]}, "linear()[rank(x, [-1.6e-170, sqrt(2), pi])]"
    fmap = ks.compile(text, columns=["x"], n_features=8)
    expected = np.interp(rows["x"], [-1.6e-170, 2**0.5, np.pi], [0, 0.5, 1])
    np.testing.assert_allclose(ks.parse(text).gram(rows), np.multiply.outer(expected, expected), atol=1e-12)
    fmap.save(tmp_path / "map.npz")
    np.testing.assert_array_equal(ks.load_map(tmp_path / "map.npz").transform(rows), fmap.transform(rows))


def test_a_command_reads_the_columns_that_a_spec_with_medians_names(tmp_path: Path) -> None:
    LEARNED_TABLE.to_csv(tmp_path / "t.csv", index=False)
    run = CliRunner().invoke(main, ["explain", "-e", "gaussian(scale=median)[t]", str(tmp_path / "t.csv")])
    assert run.exit_code == 0, run.output
    assert "\ncolumns: t\n" in run.output


@pytest.mark.slow
def test_models_and_certificates_learn_too(tmp_path: Path) -> None:
    text = 'gaussian()[standardize("the income"), fill(age)]'
    fitted = str(ks.parse(text).fitted(LEARNED_TABLE))
    y = np.log(INCOME)
    assert str(ks.KernelRegressor(text).fit(LEARNED_TABLE, y).spec_) == fitted
    assert str(ks.tune(text, LEARNED_TABLE, y).spec) == fitted
    assert fitted in repr(ks.verify(text, LEARNED_TABLE, n_maps=50, n_features=32)).replace("\\", "")
    LEARNED_TABLE.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    for arguments in (
        ["fit", "-e", text, str(tmp_path / "t.csv"), "--target", "y", "-o", str(tmp_path / "m.npz")],
        ["explain", "-e", text, str(tmp_path / "t.csv"), "--drop", "y"],
        ["verify", "-e", text, str(tmp_path / "t.csv"), "--n-maps", "50", "--n-features", "32"],
    ):
        run = CliRunner().invoke(main, arguments)
        assert run.exit_code in (0, int(arguments[0] == "verify")), run.output  # few maps judge little
    assert str(ks.load_model(tmp_path / "m.npz").spec_) == fitted


SCALES = "param scales[d] > 0\nstretch(gaussian(), scales)[age, income]"


def test_a_vector_of_parameters_is_one_hyperparameter(tmp_path: Path) -> None:
    expected = np.exp(-_squares(_own("age") / 2, _own("income") / 3) / 2)
    given: list[Any] = [[2, 3], np.array([2.0, 3.0]), {"income": 3, "age": 2}]
    for values in given:
        spec = ks.parse(SCALES, {"scales": values})
        np.testing.assert_allclose(spec.gram(TABLE), expected, atol=1e-12)
        assert str(spec) == "param scales[d] = [2, 3] > 0\nstretch(gaussian(), scales)[age, income]"
        assert ks.parse(str(spec)).params == spec.params == {"scales": (2.0, 3.0)}
    model = ks.KernelFeatures(SCALES, n_features=16, landmarks="never").set_params(params__scales=[2, 3]).fit(TABLE)
    assert model.params_ == {"scales": (2.0, 3.0)}
    assert model.get_params()["params__scales"] == [2, 3]
    model.feature_map_.save(tmp_path / "map.npz")
    loaded = ks.load_map(tmp_path / "map.npz", redraw=True)
    assert "scales[0] = 2, scales[1] = 3" in str(loaded.describe())
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    for value, out in (("2,3", "a.npy"), ("median", "b.npy")):
        arguments = ["features", "-e", SCALES, str(tmp_path / "t.csv"), "-o", str(tmp_path / out), "--n-features", "16"]
        run = CliRunner().invoke(main, [*arguments, "-p", f"scales={value}"])
        assert run.exit_code == 0, run.output
    same = ks.compile(ks.parse(SCALES, {"scales": [2, 3]}), columns=["age", "income"], n_features=16)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), same.transform(TABLE))
    lags = [np.subtract.outer(own, own)[np.triu_indices(_N, 1)] for own in map(_own, ("age", "income"))]
    found = ks.parse(SCALES).with_params({"scales": "median"}, data=TABLE).params["scales"]
    np.testing.assert_allclose(found, np.median(np.abs(lags), axis=1), rtol=1e-3)
    kernel = ks.to_sklearn(ks.parse(SCALES, {"scales": [2, 3]}), columns=list(TABLE.columns[:2]))
    (own,) = kernel.hyperparameters
    assert (own.name, own.n_elements, kernel.theta.shape, kernel.bounds.shape) == ("scales", 2, (2,), (2, 2))
    assert kernel.clone_with_theta(np.log([4, 5])).spec.params["scales"] == pytest.approx((4, 5))


@pytest.mark.parametrize(
    ("text", "params", "error"),
    [
        (SCALES, {}, r"'scales' has no value: use .*\[1, 2\].* -p scales=1,2"),
        (SCALES, {"scales": [1, 2, 3]}, r":2:21: error: 'scales' has 3 entries, but 2 are needed here"),
        (SCALES, {"scales": [1, -2]}, r"'scales' must be > 0, not -2"),
        (SCALES, {"scales": ["a", 2]}, r"must be finite numbers, as in \[1, 2\]"),
        (SCALES, {"scales": {"age": 1}}, r"its columns are age, income"),
        ("param s[0]\nstretch(gaussian(), s)", {"s": [1]}, r"the length of 's' is 0"),
        (
            "param s[d] = 1\nstretch(gaussian(), s)[age] + stretch(laplace(), s)[age, income]",
            {},
            r"'s' has 1 entries elsewhere, but 2 here",
        ),
        ("param s = 4 in [1, 3]\ngaussian(s)[age]", {}, r"'s' must be <= 3, not 4"),
        ("param s in [1, 3]\ngaussian(s)[age]", {"s": 0.5}, r"'s' must be >= 1, not 0.5"),
        ("param s in [3, 1]\ngaussian(s)[age]", {}, r"1:1: error: the range of 's' is empty: 3 > 1"),
        ("param s = 2 in [2*pi, 3]\ngaussian(s)[age]", {}, r"the range of 's' is empty: 6.28319 > 3"),
        ("param s = 1\ngaussian(s)[age]", {"s": [1, 2]}, r"'s' must be a finite number"),
    ],
)
def test_what_is_wrong_with_a_value_or_a_vector_is_said(text: str, params: dict[str, Any], error: str) -> None:
    with pytest.raises(ks.ParameterError, match=error):
        ks.parse(text, params).gram(TABLE)


def test_tuned_text_keeps_its_ranges() -> None:
    text = "param s = 2 in [0.1, 10]\nparam t > 0\ngaussian(scale=s*t)[age]"
    assert str(ks.parse(text, {"s": 3, "t": 4})) == text.replace("= 2", "= 3").replace("t >", "t = 4 >")
    tuned = ks.tune(text, TABLE[["age"]], np.sin(_own("age")))
    assert re.fullmatch(r"param s = [\d.]+ in \[0.1, 10\]\nparam t = [\d.]+ > 0\n.*", str(tuned.spec))
    low, high = np.exp(ks.to_sklearn("param s = 2 in [0.1, 10]\ngaussian(s)[age]", columns=["age"]).bounds[0])
    assert (low, high) == pytest.approx((0.1, 10))


MOVING = {
    "param c = 0.5 > 0\nparam w = 2\ngaussian(w)[log(income + c), age*c]": (),
    "param p = 24 > 0\ngaussian()[cycle(hour, p)]": (),
    "param s[d] = [2, 3] > 0\nstretch(gaussian(), s)[age, income]": (),
    "param at = 12\nparam w = 3 > 0\nchangepoint(gaussian()[age], laplace(2)[income], on=hour, at=at, width=w)": (),
    "param m = 2 in [1, 3]\nmatern(nu=3/2)[max(age, m)/income, month(hour*40)]": (),
    "param m = 2\nexponential()[fill(age, m) + m*income, fill(age, 1)]": ("age",),
}


@pytest.mark.parametrize("text", MOVING)
def test_parameters_in_functions_of_columns_have_exact_gradients(text: str) -> None:
    """Against central differences of the kernel matrix, whose error is about 1e-9."""
    table = TABLE[["income", "age", "hour"]].copy()
    table.loc[::4, list(MOVING[text])] = np.nan
    X, h = table.to_numpy(), 1e-6
    kernel = ks.to_sklearn(text, columns=list(table.columns))
    _, gradient = kernel(X, eval_gradient=True)
    for i, step in enumerate(h * np.eye(len(kernel.theta))):
        ends = [kernel.clone_with_theta(kernel.theta + sign * step)(X) for sign in (1, -1)]
        np.testing.assert_allclose(gradient[..., i], (ends[0] - ends[1]) / (2 * h), atol=1e-7)


@pytest.mark.slow
def test_parameters_in_functions_of_columns_are_tuned() -> None:
    generator = np.random.default_rng(0)
    x, z = generator.uniform(0, 20, 300), generator.uniform(0, 5, 300)
    z[::5] = 3
    y = np.sin(2 * np.pi * x / 7) + np.square(z - 1) / 4 + generator.normal(0, 0.05, 300)
    table = pd.DataFrame({"x": x, "z": np.where(np.arange(300) % 5, z, np.nan)})
    text = "param p = 6 in [5, 9]\nparam v = 2 in [1, 5]\ngaussian()[cycle(x, p)] + gaussian()[fill(z, v)]"
    tuned = ks.tune(text, table, y)
    assert tuned.spec.params["p"] == pytest.approx(7, rel=0.01)
    assert tuned.spec.params["v"] == pytest.approx(3, rel=0.1)
    with pytest.raises(ks.NoCounterpartError, match=r"month\(\) has no derivative by the parameter inside it"):
        ks.to_sklearn("param m = 2\ngaussian()[month(x*m)]", columns=["x"])(np.ones((2, 1)), eval_gradient=True)


def _messy_kernel(table: pd.DataFrame) -> np.ndarray:
    """The kernel of the messy table by pandas and NumPy alone."""
    age, income = table["age"].fillna(table["age"].median()).to_numpy(), table["monthly income"].to_numpy()
    missing, town = table["age"].isna().to_numpy(), table["home town"].fillna("(none)").to_numpy()
    person = np.exp(-_squares(_z(age), _z(np.log(income))) / 2) * np.equal.outer(missing, missing)
    days = (table["visited on"] - pd.Timestamp("1970-01-01")) / pd.Timedelta("1D")
    turn = 2 * np.pi * days.to_numpy() / 365.25
    shares = np.linspace(0, 1, 101)
    rank = np.interp(income, np.quantile(income, shares), shares)
    distance = np.sqrt(3 * _squares(np.cos(turn), np.sin(turn), rank))
    lat, lon = np.radians(table["lat"].to_numpy()), np.radians(table["lon"].to_numpy())
    globe = 6371 * np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    home = np.exp(-np.sqrt(_squares(*globe)) / 3000) * np.equal.outer(town, town)
    return 0.5 * person + 0.3 * (1 + distance) * np.exp(-distance) + 0.2 * home


@pytest.mark.slow
def test_a_messy_table_becomes_features_with_one_spec_and_one_command(tmp_path: Path) -> None:
    table = messy_table()
    (tmp_path / "messy.kernel").write_text(SPEC)
    data, out = written(tmp_path, table), tmp_path / "messy.npz"
    options = ["--missing", "category", "--date-format", "%d.%m.%Y %H:%M", "--save-map", str(tmp_path / "map.npz")]
    run = CliRunner().invoke(main, ["features", str(tmp_path / "messy.kernel"), str(data), "-o", str(out), *options])
    assert run.exit_code == 0, run.output
    assert "let person = gaussian()[(fill(age, 56) - 55.422)/19.41" in run.output
    assert "(6 of 8)" in run.output
    fmap, features = ks.load_map(tmp_path / "map.npz"), load_npz(out)
    exact = _messy_kernel(table)
    fitted = ks.parse(fmap.plan.text)
    np.testing.assert_allclose(fitted.gram(table, missing="category"), exact, rtol=0, atol=1e-3)
    np.testing.assert_array_equal(fmap.transform(table).toarray(), features.toarray())
    error = np.linalg.norm((features @ features.T).toarray() - exact) / np.linalg.norm(exact)
    assert error <= 3 * fmap.predicted_error(table)
    spec, to = str(tmp_path / "messy.kernel"), ["-o", str(out)]
    for options in (["--missing", "category"], ["--date-format", "%d.%m.%Y %H:%M"]):
        run = CliRunner().invoke(main, ["features", spec, str(data), *to, *options])
        assert run.exit_code == 2
        assert "in row" in run.output or "row 1," in run.output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("param my__rate\nlevels([0, 1], [[1, my__rate], [my__rate, 1]])[g]", r"fixed=\['my__rate'\]"),
        ("levels([0, 1], [[1, 1/d], [1/d, 1]])", "levels\\(\\) needs the number of columns, d: set dim= or columns="),
    ],
)
def test_levels_name_the_number_that_they_need(text: str, message: str) -> None:
    with pytest.raises(ks.SpecError, match=message):
        ks.analyze(text)
