"""Several files read as one table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import kernelspec as ks
from kernelspec.cli import main

SPEC = "gaussian()[standardize(a), b] + 0.5*match()[c]"


@pytest.fixture
def parts(tmp_path: Path) -> pd.DataFrame:
    """A table in three CSV files, of which the first two have whole numbers in b only, and the second has no rows."""
    generator = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "a": generator.standard_normal(300),
            "b": np.round(3 * generator.standard_normal(300)) + np.repeat([0, 0.5], 150),
            "c": generator.choice(["x", "7"], 300),
            "w": generator.integers(1, 4, 300),
        }
    )
    table["y"] = 100 + np.sin(table.a) + (table.c == "x")
    table["k"] = np.where(table.y > 100, "up", "down")
    table[:150].to_csv(tmp_path / "part-0.csv", index=False)
    table[:0].to_csv(tmp_path / "part-1.csv", index=False)
    table[150:].to_csv(tmp_path / "part-2.csv", index=False)
    return table


def test_models_are_fitted_to_the_blocks_of_files(parts: pd.DataFrame, tmp_path: Path) -> None:
    """As to the whole table: types fit the cells of all files, and files are read again by each pass."""
    blocks = ks.read_blocks(tmp_path / "part-*.csv", "y", weight="w", columns=["a", "b", "c"])
    rows, weights = parts[["a", "b", "c"]], parts.w
    assert [len(y) for _, y, _ in blocks] == [150, 150]
    models = [ks.KernelRegressor(SPEC, solver="features", n_features=30, random_state=0) for _ in range(2)]
    models[0].fit_blocks(blocks)
    models[1].fit_blocks([(rows, parts.y, weights)])
    one, other = (model.predict(rows) for model in models)
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * np.ptp(other))
    classes = ks.KernelClassifier("gaussian()[a, b]", kind="least_squares", n_features=30, random_state=0)
    classes.fit_blocks(ks.read_blocks([tmp_path / "part-0.csv", tmp_path / "part-2.csv"], "k", columns=["a", "b"]))
    assert set(classes.classes_) == {"up", "down"}
    assert list(classes.feature_names_in_) == ["a", "b"]


def test_what_files_lack_is_refused_by_name(parts: pd.DataFrame, tmp_path: Path) -> None:
    pattern = str(tmp_path / "part-*.csv")
    with pytest.raises(ks.FileError, match="no file matches"):
        ks.read_blocks(tmp_path / "day-*.csv", "y")
    with pytest.raises(ks.FileError, match=r"part-0.csv is named twice"):
        ks.read_blocks([pattern, tmp_path / "part-0.csv"], "y")
    with pytest.raises(ks.DataError, match="names or patterns of files, not 3"):
        ks.read_blocks(3, "y")  # type: ignore[arg-type]
    with pytest.raises(ks.FileError, match="no files"):
        ks.read_blocks([], "y")
    with pytest.raises(ks.DataError, match=r"part-0.csv: unknown column 'yy'; did you mean 'y'\?"):
        ks.read_blocks(pattern, "yy")
    with pytest.raises(ks.DataError, match="unknown column 'e'"):
        ks.read_blocks(pattern, "y", columns=["a", "e"])
    parts[:3].drop(columns="b").to_csv(tmp_path / "part-3.csv", index=False)
    with pytest.raises(ks.DataError, match=r"part-3.csv: column names must be the same in all files; 'b' is not"):
        ks.read_blocks(pattern, "y")
    for cells, message in (("1\n2\nup\n", "holds 'up' in row 3"), ("1\n\n3\n", "is missing in row 2")):
        (tmp_path / "odd.csv").write_text("y,a\n" + cells.replace("\n", ",5\n"))
        with pytest.raises(ks.DataError, match=rf"odd.csv: the target 'y' {message}"):
            list(ks.read_blocks(tmp_path / "odd.csv", "y"))
    pd.DataFrame({"y": [1.0, np.inf], "a": [0, 1]}).to_parquet(tmp_path / "odd.parquet")
    with pytest.raises(ks.DataError, match=r"odd.parquet: the target 'y' is inf in row 2"):
        list(ks.read_blocks(tmp_path / "odd.parquet", "y"))
    blocks = ks.read_blocks(tmp_path / "part-2.csv", "y", weight="k")
    with pytest.raises(ks.DataError, match="sample_weight must be numbers"):
        ks.KernelRegressor("gaussian()[a]", solver="features").fit_blocks(blocks)


def test_parts_may_have_numbers_and_texts_of_different_types(parts: pd.DataFrame, tmp_path: Path) -> None:
    """Whole numbers beside fractions, 32 bits beside 64, gaps alone beside numbers, dictionaries beside text."""
    rows = parts[["a", "b", "c", "y"]].assign(b=parts.b.round(), e=np.where(np.arange(300) < 150, np.nan, 1.0))
    first, second = pa.Table.from_pandas(rows[:150]), pa.Table.from_pandas(rows[150:], preserve_index=False)
    first = first.set_column(1, "b", first.column("b").cast(pa.int32()))
    first = first.set_column(2, "c", first.column("c").dictionary_encode())
    first = first.set_column(first.column_names.index("e"), "e", pa.nulls(150))
    for name, own in (("one", first), ("two", second)):
        pq.write_table(own.select(["a", "b", "c", "e", "y"]), tmp_path / f"{name}.parquet")
    spec = "gaussian()[a, b, fill(e, 0)] + match()[c]"
    models = [ks.KernelRegressor(spec, solver="features", n_features=30, random_state=0) for _ in range(2)]
    models[0].fit_blocks(ks.read_blocks([tmp_path / "one.parquet", tmp_path / "two.parquet"], "y"))
    models[1].fit_blocks([(rows[["a", "b", "c", "e"]], rows.y)])
    one, other = (model.predict(rows) for model in models)
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * np.ptp(other))


def test_blocks_may_be_record_batches_and_queries(parts: pd.DataFrame) -> None:
    rows = parts[["a", "b"]]
    batches = pa.Table.from_pandas(rows).to_batches(max_chunksize=100)
    models = [ks.KernelRegressor("gaussian()", solver="features", n_features=30, random_state=0) for _ in range(3)]
    models[0].fit_blocks([(rows, parts.y)])
    models[1].fit_blocks([(own, parts.y[100 * i : 100 * i + 100]) for i, own in enumerate(batches)])
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    models[2].fit_blocks([(connection.register("v", rows).sql("SELECT * FROM v"), parts.y)])
    expected = models[0].predict(rows)
    for own in models[1:]:
        np.testing.assert_allclose(own.predict(rows), expected, rtol=0, atol=1e-9 * np.ptp(expected))
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    with pytest.raises(ks.DataError, match="a reader of record batches once"):
        models[0].fit_blocks([(reader, parts.y)])


def test_whole_numbers_beyond_64_bits_as_targets(tmp_path: Path) -> None:
    """A CSV file gives such integers as floats: they are no classes, and different ones may become equal."""

    def written(*targets: int) -> Path:
        (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{i},{y}\n" for i, y in enumerate(targets * 20)))
        return tmp_path / "t.csv"

    model = ks.KernelRegressor("gaussian(scale=9)", solver="features", n_features=20, random_state=0)
    model.fit_blocks(ks.read_blocks(written(2**70, 2**72), "y"))
    assert np.mean(model.predict(pd.DataFrame({"a": range(40)}))) == pytest.approx(2.5 * 2**70, rel=0.1)
    classes = ks.KernelClassifier("gaussian()", kind="least_squares")
    with pytest.raises(ks.DataError, match=r"whole numbers beyond 64 bits: give such classes as text"):
        classes.fit_blocks(ks.read_blocks(written(2**70, 2**72), "y"))
    with pytest.raises(ks.DataError, match=rf"t.csv: the target 'y' holds .* merge {2**70} and {2**70 + 1}: write"):
        classes.fit_blocks(ks.read_blocks(written(2**70, 2**70 + 1), "y"))
    classes.fit_blocks(ks.read_blocks(written(2**64 - 2, 2**64 - 1), "y"))
    assert classes.classes_.tolist() == [2**64 - 2, 2**64 - 1]


def test_week_dates_are_dates(tmp_path: Path) -> None:
    days = pd.date_range("2024-01-29", periods=20)
    for name, pattern in (("day", "%Y-%m-%d"), ("week", "%G-W%V-%u"), ("short", "%GW%V%u")):
        pd.DataFrame({"t": days.strftime(pattern), "y": range(20)}).to_csv(tmp_path / f"{name}.csv", index=False)
    blocks = [next(iter(ks.read_blocks(tmp_path / f"{name}.csv", "y")))[0] for name in ("day", "week", "short")]
    assert blocks[0].column("t").to_pylist() == days.to_pydatetime().tolist()
    assert blocks[1].equals(blocks[0])
    assert blocks[2].equals(blocks[0])
    arguments = [
        "fit",
        "-e",
        "gaussian(scale=5)[t]",
        str(tmp_path / "week.csv"),
        "--target",
        "y",
        "-o",
        str(tmp_path / "m"),
    ]
    fitted = CliRunner().invoke(main, arguments)
    assert (fitted.exit_code, "t: date (days since" in fitted.output) == (0, True), fitted.output
    (tmp_path / "day.csv").write_text("t,y\n2024-W05,1\n2024-W06,2\n")  # weeks, as match() may compare
    assert next(iter(ks.read_blocks(tmp_path / "day.csv", "y")))[0].column("t").to_pylist() == ["2024-W05", "2024-W06"]
